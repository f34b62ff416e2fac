"""measure_mocks.py -- mocks and components: sections 27 to 30; bench/run.sh calls it."""
import json
import os
import re
import statistics
import subprocess
import sys

from common import BUILD, SOURCE, fields, finish, heading, pinned, raddle, say, start, version_of
from ring_peers import (HYPOTHESIS_S, between, build, build_peers, hypothesis, proper, rapidcheck)

REPEATS = 5
SEEDS = 50


# ---- 27. The message box of the paper ----------------------------------------------------------

def box(test, seed, pin=True):
    """Twice in one process: what was used, and the report of the second time."""
    command = ["./box", "--filter", f"={test}", "--format", "json", "--regressions", "none",
               "--seed", str(seed)]
    lines = finish(start(pinned(command) if pin else command)).splitlines()
    reports = [json.loads(line) for line in lines if line.startswith("{")]
    return reports[-1], fields("\n".join(line for line in lines if not line.startswith("{")))


def calls_of(report):
    return sum(operation["calls"] for operation in report["calls"])


def passing_box(test):
    for seed in range(REPEATS):
        report, used = box(test, seed + 1)
        if report["verdict"] != "pass" or report["cases"] != 100:
            sys.exit(f"measure_mocks.py: {test}: {report['message']}")
        yield used | {"calls": calls_of(report) / 100}


def hundred_of_hypothesis(mode):
    """Of long tests 20, times 5: it takes its time."""
    few = 1 if mode == "basic" else 5
    run = fields(finish(start(pinned(hypothesis(mode, 1, 100 // few)))))
    return {name: few * value for name, value in run.items()}


def peer_rows(mode):
    yield (f"RapidCheck {version_of('librapidcheck-dev')}",
           [rapidcheck(mode, 100, seed + 1) for seed in range(REPEATS)])
    yield f"PropEr {version_of('erlang-proper')}", proper(mode, 3 if mode == "basic" else 1, 100)
    yield f"Hypothesis {version_of('python3-hypothesis')}", [hundred_of_hypothesis(mode)]


def passing_row(name, ms, wall, calls, paper):
    say(f"{name:44}{ms:>12}{wall:>12}{calls:12.1f}{paper:>12}")


def passing(title, paper_s, mode, tests):
    say(f"{title:44}{'CPU ms':>12}{'wall ms':>12}{'calls/test':>12}{'paper x':>12}")
    say(f"{'the paper (Quviq QuickCheck, 2017)':44}{'':12}{1e3 * paper_s:12,.0f}")
    for name, test in tests:
        runs = list(passing_box(test))
        for which, what in (("again", name), ("first", "  with looking up functions")):
            cpu, wall = (1e3 * min(run[f"{which}_{kind}"] for run in runs)
                         for kind in ("cpu", "wall"))
            passing_row(what, f"{cpu:,.1f}", f"{wall:,.1f}", runs[0]["calls"],
                        f"{1e3 * paper_s / wall:,.0f}")
    for name, runs in peer_rows(mode):
        best = min(runs, key=lambda run: run["cpu"])
        passing_row(f"{name}, no mocks", f"{1e3 * best['cpu']:,.1f}", "",
                    best["commands"] / best["cases"], "")


def shrunk_box():
    for seed in range(SEEDS):
        report, used = box("small", seed + 1)
        failure = report["failures"][0]
        story = "\n".join(line["value"] for line in failure["story"])
        posts = re.findall(r"\bpost\((\d+)\)", failure["detail"] + "\n" + story)
        size = re.search(r"size = (\d+)", failure["detail"])
        yield {"found_at": report["cases"], "attempts": failure["attempts"],
               "runs": used["again_runs"] - report["cases"], "length": report["phases"],
               "size": float(size.group(1)), "values": sum(post != "0" for post in posts),
               "cpu": used["again_cpu"], "wall": used["again_wall"], "first": used["first_cpu"]}


def shrink_row(name, runs, cpu, simplest, of):
    say(f"{name:32}{of:>6}{between(runs, 'found_at'):>10}{between(runs, 'runs'):>18}"
        f"{statistics.median(cpu):9.3f}{max(cpu):9.3f}{between(runs, 'length'):>9}"
        f"{between(runs, 'size'):>9}{between(runs, 'values'):>8}{f'{simplest}/{of}':>10}")


def small_box():
    say(f"\n{'silently holds 128: found and shrunk':32}{'seeds':>6}{'found at':>10}{'runs':>18}"
        f"{'CPU s':>9}{'(most)':>9}{'to':>9}{'size':>9}{'values':>8}{'simplest':>10}")
    say(f"{'the paper, wall: 7 s + 6 min':32}{1:>6}{'~20':>10}{'1,056':>18}{360:9}{'':9}{130:>9}")
    runs = list(shrunk_box())
    simplest = sum((run["length"], run["size"], run["values"]) == (130, 129, 0) for run in runs)
    shrink_row("Raddle", runs, [run["cpu"] for run in runs], simplest, len(runs))
    shrink_row("  with looking up functions", runs, [run["first"] for run in runs], simplest,
               len(runs))
    tools = (("RapidCheck, no mocks", [rapidcheck("small", 100, seed + 1) for seed in range(2)]),
             ("PropEr, no mocks", proper("small", 5, 100)),
             (f"Hypothesis, no mocks, {HYPOTHESIS_S} s",
              [fields(finish(start(pinned(hypothesis("small", 1, 1000)))))]))
    for name, found in tools:
        of = len(found)
        found = [run | {"runs": run["shrink_runs"], "length": run["length"] + 1}
                 for run in found if "length" in run]
        simplest = sum((run["length"], run["size"], run["values"]) == (130, 129, 0)
                       for run in found)
        if found:
            shrink_row(name, found, [run["cpu"] for run in found], simplest, of)
    return runs


def paper():
    heading("27. The message box, with its buffer mocked: examples/autosar/mbox")
    passing("100 basic tests", 3, "basic", [("Raddle, call-outs answer", "basic")])
    say()
    passing("100 long tests", 36, "large", [("Raddle, call-outs answer", "large"),
                                            ("Raddle, the buffer is played", "plays")])
    runs = small_box()
    clock = (f"median {statistics.median(run['wall'] for run in runs):.3f} s, "
             f"most {max(run['wall'] for run in runs):.3f} s")
    say(f"""\
(Raddle: of the runs, the shrinker's own are {between(runs, 'attempts')}; by the clock, {clock}.)
The paper: Mostowski, Arts and Hughes 2017, by the clock, on a laptop of then; its message box had
its buffer mocked, too.  paper x: its time by ours, both by the clock.  One core.  Raddle: CPU time
and wall clock of rdl_main, processes it makes included, best of {REPEATS} seeds; in a process that
has run the same test before, so that functions have been looked up, once for all cases; and the
first time.  Not in it: the start of the program.  CPU s: finding, shrinking, making sure and
telling, median and most.  runs: all executions after the failing one.  The simplest case has 130
calls: create(129) and 129 times post(0).
Peers do not mock: they test a ring buffer against the same model, without start-up (RapidCheck best
of {REPEATS} and 2, PropEr 3, 1 and 5, Hypothesis 1 each, of whose long tests there are 20, and five
times their time is shown).  Their basic tests have room for 1 to 16, as many puts as gets and up to
50 commands; Raddle's are those of the example: room for 1 to 256, five posts to a fetch, so compare
calls.  to: with the call that creates it.  Hypothesis is stopped after {HYPOTHESIS_S} s of shrinking.""")


# ---- 28. Calls ---------------------------------------------------------------------------------

def build_mock_peers():
    mocks, peers = f"{SOURCE}/bench/mocks", f"{SOURCE}/bench/peers"
    build("gcc", "-O2", "-c", f"{mocks}/flash.c", f"{mocks}/loop.c")
    build("gcc", "-O2", "-Wl,--wrap=flash_write", f"{peers}/mocks_cmocka.c", "flash.o", "loop.o",
          "-lcmocka", "-o", "mocks_cmocka")
    build("g++", "-O2", f"{peers}/mocks_gmock.cpp", "loop.o", "-lgmock", "-lgtest", "-o",
          "mocks_gmock")


def mocked(test):
    report, used = raddle("mocks", test, "--seed", "1")
    if report["verdict"] != "pass":
        sys.exit(f"measure_mocks.py: {test}: {report['message']}")
    return used["ns"]


def peer(*command):
    text = finish(start(pinned(list(command))))
    return fields(text)["ns"]


def calls():
    build_mock_peers()
    rows = [(name, min(mocked(test) for _ in range(REPEATS))) for name, test in (
        ("the function itself", "plain"),
        ("rdl_mock, three arguments checked", "mocked"),
        ("  one of them a text", "mocked_text"),
        ("  a function that begins otherwise", "mocked_short"),
        ("rdl_expect_calls, three arguments", "expected"),
        ("rdl_replace", "replaced"),
        ("rdl_spy", "spied"),
        ("call-out of an operation, by .mock", "called_out"),
        ("  by names", "called_out_by_names"),
        ("  and answered by a spec that plays", "played"))]
    rows += [(name, min(peer(*command) for _ in range(REPEATS))) for name, command in (
        (f"cmocka {version_of('libcmocka-dev')}, three arguments", ["./mocks_cmocka"]),
        (f"gMock {version_of('libgmock-dev')}, three arguments", ["./mocks_gmock"]),
        ("a fake by hand that keeps three arguments", ["./mocks_cmocka", "hand"]))]
    heading("28. Calls of a mocked function")
    say(f"{'':46}{'calls/s':>16}{'ns':>10}")
    for name, ns in rows:
        say(f"{name:46}{1e9 / ns:16,.0f}{ns:10,.1f}")
    say(f"""\
One core, CPU time of the loop that calls, best of {REPEATS} runs of 5 cases of 7 times 20,000 calls
(peers: of {REPEATS} times 7); with the call itself.  What is called is
int flash_write(int block, const char *data, size_t length).  All but rdl_expect_calls and call-outs
keep the arguments of each call.  Neither code nor link is changed for Raddle; cmocka and the fake
need the linker's --wrap, or another function of that name, gMock an object.  cmocka is told each
call beforehand, which is not in it; the fake checks nothing in it.""")


# ---- 29. Lines ---------------------------------------------------------------------------------

def lines():
    table = subprocess.run(["bash", f"{SOURCE}/examples/autosar/ratio.sh"], check=True,
                           capture_output=True, text=True).stdout
    heading("29. Lines of specs, and of what they are about: examples/autosar")
    say(table.rstrip())
    say("""\
Neither empty lines nor comments; specs with all that mocks and calls need, but without tests; code
with the headers that declare its interface.  The paper: 1:1 for its buffer and message box, and 20
to 25 % for all AUTOSAR libraries that were tested, whose code does much more than this.""")


# ---- 30. Clusters ------------------------------------------------------------------------------

def example(program, test, cases):
    """The report, and CPU seconds of all of it."""
    process = start(pinned([f"{BUILD}/examples/{program}", "--filter", f"={test}", "--format",
                            "json", "--regressions", "none", "--seed", "1", "--cases", str(cases)]))
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    report = json.loads(next(line for line in out.splitlines() if line.startswith("{")))
    if report["verdict"] != "pass" or report["cases"] != cases:
        sys.exit(f"measure_mocks.py: {program} {test}: {report['message']}")
    return report, usage.ru_utime + usage.ru_stime


def clusters():
    heading("30. Components together")
    say(f"{'':56}{'calls/s':>12}{'cases/s':>12}{'calls/case':>12}")
    for program, test, name in (
            ("autosar_cluster", "the_specs_agree", "message box and buffer, specs only"),
            ("autosar_cluster", "the_box_is_real", "the box is real"),
            ("autosar_cluster", "both_are_real", "both are real"),
            ("autosar_can", "the_specs_agree", "CAN stack of 5 components, specs only"),
            ("autosar_can", "all_are_real", "all are real")):
        report, cpu = min((example(program, test, 2000) for _ in range(3)), key=lambda run: run[1])
        count = calls_of(report)
        say(f"{name:56}{count / cpu:12,.0f}{report['cases'] / cpu:12,.0f}"
            f"{count / report['cases']:12.1f}")
    say("""\
One core, CPU time with start-up and looking up functions, best of 3 times 2,000 cases.  Calls are
those that the test makes; those that components make of each other come on top.  Specs only: no
code is run.  Debian has no other tool that does this, so none is compared.""")


build_peers()
paper()
calls()
lines()
clusters()
