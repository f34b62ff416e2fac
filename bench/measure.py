"""measure.py -- tests without threads: sections 1 to 5; bench/run.sh calls it."""
import json
import statistics

from common import SOURCE, fields, finish, heading, pinned, raddle, say, start, version_of

REPEATS = 5
SEEDS = 20
HYPOTHESIS_SEEDS = 10
PROBLEMS = ("reverse", "large", "length", "pair", "sum", "nested")
HYPOTHESIS = ["/usr/bin/python3", f"{SOURCE}/bench/peers/with_hypothesis.py"]


# ---- Peers -------------------------------------------------------------------------------------

def proper(*words):
    call = ", ".join(f'"{word}"' for word in words)
    return ["erl", "-noshell", "-eval", f"with_proper:main([{call}]), halt()."]


def rapidcheck(what, cases, seed):
    process = start(pinned(["./with_rapidcheck", what]),
                    RC_PARAMS=f"max_success={cases} seed={seed}")
    return fields(finish(process))


# ---- 1. Throughput -----------------------------------------------------------------------------

def measured_raddle(*options):
    report, _ = raddle("throughput", "length", "--cases", "200000", "--seed", "1")
    mean = report["measures"][0]["mean"]
    for seed in range(REPEATS):
        report, used = raddle("throughput", "twice", "--cases", "1000000", "--seed", str(seed + 1),
                              *options)
        yield {"cases": report["cases"], "ints": report["cases"] * mean, "cpu": used["cpu"]}


def throughput():
    tools = [
        ("Raddle", list(measured_raddle())),
        ("Raddle --no-fork", list(measured_raddle("--no-fork"))),
        (f"RapidCheck {version_of('librapidcheck-dev')}",
         [rapidcheck("throughput", 100000, seed + 1) for seed in range(REPEATS)]),
        (f"PropEr {version_of('erlang-proper')}",
         [fields(finish(start(pinned(proper("throughput", "50000"))))) for _ in range(REPEATS)]),
        (f"Hypothesis {version_of('python3-hypothesis')}",
         [fields(finish(start(pinned(HYPOTHESIS + ["throughput", "1000"])))) for _ in range(3)]),
    ]
    heading("1. Reversing a list of 32-bit integers twice gives the list again")
    say(f"{'':24}{'cases/s':>11}{'(median)':>12}{'mean length':>13}{'ints/s':>13}{'ns/int':>10}"
        f"{'x Raddle':>14}")
    best = None
    for name, runs in tools:
        rates = [run["cases"] / run["cpu"] for run in runs]
        length = sum(run["ints"] for run in runs) / sum(run["cases"] for run in runs)
        cost = min(run["cpu"] / run["ints"] for run in runs) * 1e9
        best = best or cost
        say(f"{name:24}{max(rates):11,.0f}{statistics.median(rates):12,.0f}{length:13.1f}"
            f"{1e9 / cost:13,.0f}{cost:10,.1f}{cost / best:14,.1f}")
    say("""\
One core, CPU time of the process and its workers, best of 5 runs (Hypothesis: 3).  Raddle: default
settings, start-up included; peers: the check alone, without start-up.  Each tool has its own law
of lengths and of numbers, so the last column compares the time for an integer, not for a case;
where lists are short, more of that time is the case's own.  Compiled with -O2, RapidCheck's own
library as Debian does; PropEr runs on the Erlang VM, Hypothesis in Python.""")


# ---- 2. Crashes --------------------------------------------------------------------------------

def crashes():
    costs = []
    for seed in range(3):
        report, _ = raddle("crash", "every_case_crashes", "--more-bugs", "--time", "1", "--seed",
                           str(seed + 1), pin=False)
        costs.append(report["seconds"] / (report["failures"][0]["again"] + 1) * 1e3)
    heading("2. A property that crashes in every case")
    say(f"{min(costs):.3f} ms a crash (median of 3 runs {statistics.median(costs):.3f})")
    say("""\
Wall clock for noticing it, finding where it was, and a new worker.  The program is small; a large
one forks more slowly.  Core dumps, where they are on, come on top.  No peer here survives a crash.\
""")


# ---- 3. Memory ---------------------------------------------------------------------------------

def memory():
    heading("3. Peak memory, by the number of cases (lists of up to 100 integers)")
    say(f"{'cases':>12}{'parent':>12}{'worker':>12}{'both':>12}{'growth':>12}")
    first = None
    for cases in (10_000, 1_000_000, 10_000_000):
        _, used = raddle("throughput", "twice", "--cases", str(cases), "--seed", "1", pin=False)
        both = used["parent_kib"] + used["worker_kib"]
        first = first or both
        say(f"{cases:12,}{used['parent_kib']:8,.0f} KiB{used['worker_kib']:8,.0f} KiB"
            f"{both:8,.0f} KiB{both - first:+8,.0f} KiB")
    say("Resident set at its largest.  Pages that both share count twice in the sum.")


# ---- 4. Shrinking ------------------------------------------------------------------------------

def is_simplest(problem, found):
    if problem == "reverse":
        return sorted(map(abs, found)) == [0, 1]
    if problem == "sum":
        return len(found) == 3 and sum(found) == 1000
    return found == {"large": [900], "length": [0] * 10, "pair": [8, 8],
                     "nested": [[0] * 11]}[problem]


def shrunk_raddle(problem):
    for seed in range(SEEDS):
        report, used = raddle("shrink", problem, "--cases", "10000", "--seed", str(seed + 1),
                              pin=False)
        lists = [line["value"] for line in report["failures"][0]["story"]
                 if line["value"].startswith("{")]
        text = ",".join(lists).replace("{", "[").replace("}", "]").replace(" ", "")
        yield used | {"result": f"[{text}]" if problem == "nested" else text}


def shrunk_proper(problem):
    return map(fields, finish(start(proper(problem, str(SEEDS)))).splitlines())


def shrunk_hypothesis(problem):
    """Two processes side by side: it takes its time."""
    half = HYPOTHESIS_SEEDS // 2
    halves = [start(HYPOTHESIS + [problem, str(first), str(half)]) for first in (1, half + 1)]
    return map(fields, "".join(map(finish, halves)).splitlines())


def shrink_cell(problem, runs):
    runs = list(runs)
    middle = {name: statistics.median(run[name] for run in runs)
              for name in ("first_length", "shrink_runs", "shrink_wall")}
    reached = sum(is_simplest(problem, json.loads(run["result"])) for run in runs)
    ms = middle["shrink_wall"] * 1e3
    return (f"{middle['first_length']:5.0f}{middle['shrink_runs']:5.0f}"
            f"{ms:6.{0 if ms >= 100 else 1 if ms >= 10 else 2}f}{f'{reached}/{len(runs)}':>6}")


def shrinking():
    tools = {
        "Raddle": shrunk_raddle,
        "RapidCheck": lambda problem: (rapidcheck(problem, 10000, seed + 1)
                                       for seed in range(SEEDS)),
        "PropEr": shrunk_proper,
        "Hypothesis": shrunk_hypothesis,
    }
    heading("4. Shrinking")
    say(" " * 9 + "".join(f"{name:>22}" for name in tools))
    say(" " * 9 + f"{'from':>5}{'runs':>5}{'ms':>6}{'min':>6}" * len(tools))
    for problem in PROBLEMS:
        say(f"{problem:9}" + "".join(shrink_cell(problem, run(problem)) for run in tools.values()))
    say("""\
from: elements in the first failing case; runs: of the property after it; ms: wall clock after it
(medians); min: how many seeds ended at a simplest case.  Raddle's runs are all in a worker process,
and include those that make sure the failure is steady and explain it.  Who starts from a smaller
case has less to do.  Hypothesis: no explaining; two processes side by side, one on each core.
Simplest: reverse [0,1] or the like; large [900]; length ten zeros; pair [8,8]; sum three numbers
that make 1000; nested one list of eleven zeros.""")


# ---- 5. Draws ----------------------------------------------------------------------------------

def draws():
    kinds = (("int_large", "rdl_int, all 32-bit numbers"), ("int_small", "rdl_int, 0 to 9"),
             ("boolean", "rdl_bool"), ("pick", "rdl_pick of 7"),
             ("double", "rdl_double, 0 to 1"), ("double_any", "rdl_double, any"),
             ("ints_element", "element of rdl_ints"),
             ("list_element", "element of rdl_list, drawn by rdl_int"),
             ("string_char", "character of rdl_string"))
    heading("5. What a draw costs in Raddle, recorded")
    for kind, name in kinds:
        cases, each = 5000, 1000
        cpu = min(raddle("draws", kind, "--cases", str(cases), "--seed", "1")[1]["cpu"]
                  for _ in range(REPEATS))
        say(f"{name:40}{cpu / cases / each * 1e9:8.1f} ns")
    cases = 2_000_000
    cpu = min(raddle("draws", "nothing", "--cases", str(cases), "--seed", "1")[1]["cpu"]
              for _ in range(REPEATS))
    say(f"{'a case that draws nothing':40}{cpu / cases * 1e9:8.1f} ns")
    say("""\
One core, CPU time with start-up, best of 5.  A thousand draws a case (lists and strings: ten of a
hundred), so that a thousandth of the case is in each.""")


throughput()
crashes()
memory()
shrinking()
draws()
