"""measure_specs.py -- specs and their uses: sections 12 to 16; bench/run.sh calls it."""
import glob
import json
import random
import resource
import statistics
import subprocess
import sys
import time

from common import BUILD, SOURCE, fields, finish, heading, pinned, raddle, say, start, version_of
from ring_peers import (HYPOTHESIS_S, between, build, build_peers, hypothesis, proper,
                        rapidcheck)

REPEATS = 5
SEEDS = 10
TOOL = f"{BUILD}/bin/raddle"
WAREHOUSE = f"{SOURCE}/examples/warehouse"


# ---- 12. Sequential models ---------------------------------------------------------------------

def calls_of(report):
    return sum(operation["calls"] for operation in report["calls"])


def measured_raddle(mode, cases):
    for seed in range(REPEATS):
        report, used = raddle("model", mode, "--cases", str(cases), "--seed", str(seed + 1))
        yield {"cases": report["cases"], "commands": calls_of(report), "cpu": used["cpu"]}


def model_rows(mode):
    few = mode == "large"
    yield "Raddle", list(measured_raddle(mode, 100_000 if few else 800_000))
    yield (f"RapidCheck {version_of('librapidcheck-dev')}",
           [rapidcheck(mode, 1000 if few else 10_000, seed + 1) for seed in range(REPEATS)])
    yield (f"PropEr {version_of('erlang-proper')}",
           proper(mode, 1 if few else 3, 30 if few else 1000))
    yield (f"Hypothesis {version_of('python3-hypothesis')}",
           [fields(finish(start(pinned(hypothesis(mode, seed + 1, 20 if few else 200)))))
            for seed in range(1 if few else 2)])


def models():
    heading("12. A ring buffer against its model, in one thread")
    for mode, what in (("basic", "room for 1 to 16, puts:gets 1:1, up to 50 commands"),
                       ("large", "room for 1 to 256, puts:gets 5:1, up to 500 commands")):
        say(f"{what:60}\n{'':24}{'commands/s':>14}{'(median)':>14}{'a case':>10}{'ns':>12}"
            f"{'x Raddle':>12}")
        first = None
        for name, runs in model_rows(mode):
            rates = [run["commands"] / run["cpu"] for run in runs]
            length = sum(run["commands"] for run in runs) / sum(run["cases"] for run in runs)
            first = first or max(rates)
            say(f"{name:24}{max(rates):14,.0f}{statistics.median(rates):14,.0f}{length:10.1f}"
                f"{1e9 / max(rates):12,.0f}{first / max(rates):12,.1f}")
    say("""\
One core, CPU time of the process and its workers.  Raddle: default settings, every choice recorded,
start-up included, best of 5 seeds.  Peers: the check alone, without start-up; RapidCheck best of 5
(rc::state), PropEr of 3, then 1 (proper_statem), Hypothesis of 2, then 1 (RuleBasedStateMachine).
Each tool has its own law of lengths.  Raddle, RapidCheck and, by ctypes, Hypothesis call the same
C code; PropEr's ring is written in Erlang, on an array of atomics.  Hypothesis has no weights: five
rules put, one gets.  Tools that have no models, as Debian's QuickCheck and proptest, are left out.\
""")


# ---- 13. Shrinking -----------------------------------------------------------------------------

def shrunk_raddle():
    for seed in range(SEEDS):
        report, used = raddle("model", "small", "--cases", "10000", "--seed", str(seed + 1))
        failure = report["failures"][0]
        story = [line["value"] for line in failure["story"] if line["value"].startswith("#")]
        size = fields(failure["detail"].replace(" = ", "=").replace(",", " ").replace("{", " "))
        yield used | {"length": len(story), "size": size["size"],
                      "values": sum("put(" in line and "put(0)" not in line for line in story)}


def shrunk_hypothesis(seeds):
    """Side by side: it takes its time."""
    return map(fields, map(finish, [start(hypothesis("small", seed + 1, 1000))
                                    for seed in range(seeds)]))


def shrinking():
    tools = {
        "Raddle": shrunk_raddle,
        "RapidCheck": lambda: (rapidcheck("small", 100, seed + 1) for seed in range(2)),
        "PropEr": lambda: proper("small", 5, 100),
        "Hypothesis": lambda: shrunk_hypothesis(2),
    }
    heading("13. A ring buffer that holds no more than 128, whatever it should hold")
    say(f"{'':12}{'seeds':>6}{'found at':>11}{'from':>10}{'runs':>22}{'CPU s':>9}{'(most)':>9}"
        f"{'to':>10}{'size':>10}{'values':>9}{'simplest':>10}")
    for name, tool in tools.items():
        runs = list(tool())
        found = [run for run in runs if "length" in run]
        cpu = [run["cpu"] for run in found]
        simplest = sum((run["length"], run["size"], run["values"]) == (129, 129, 0)
                       for run in found)
        stopped = sum(run.get("stopped", 0) for run in found)
        say(f"{name:12}{len(runs):6}{between(found, 'found_at'):>11}"
            f"{between(found, 'first_length'):>10}{between(found, 'shrink_runs'):>22}"
            f"{statistics.median(cpu):9.2f}{max(cpu):9.2f}{between(found, 'length'):>10}"
            f"{between(found, 'size'):>10}{between(found, 'values'):>9}"
            f"{f'{simplest}/{len(runs)}':>10}" +
            (f"  {stopped:.0f} stopped" if stopped else ""))
    say(f"""\
As the second of section 12.  found at: the first failing case; from: its commands; runs: after it,
Raddle's with those that make sure the failure is steady and explain it; CPU s: all of it, median
and most.  The simplest case is 129 puts of 0 into a ring that should have room for 129.  size,
values: what it should have room for, and values other than 0 that are left.  RapidCheck and PropEr
let cases grow with their number, up to 500 commands at the 100th.  Hypothesis is stopped after
{HYPOTHESIS_S} s of CPU time for shrinking; what it had then is shown.""")


# ---- 14. Phases --------------------------------------------------------------------------------

def build_phases():
    """As raddle grade does: the implementation is instrumented, the spec is not."""
    build("gcc", "-std=gnu17", "-D_GNU_SOURCE", "-g", "-O2", f"-I{SOURCE}/include",
          f"-I{WAREHOUSE}", "-c", f"{SOURCE}/bench/phases/spec.c", "-o", "phases_spec.o")
    build(TOOL, "cc", "-std=gnu17", "-g", "-O1", f"-I{WAREHOUSE}", "phases_spec.o",
          f"{SOURCE}/bench/phases/monitor.c", "-o", "phases_seen")


def phase_row(name, program, test, *options):
    phases, calls = [], []
    for seed in range(REPEATS):
        report, used = raddle(program, test, "--cases", "10000", "--seed", str(seed + 1), *options)
        if report["verdict"] != "pass":
            sys.exit(f"measure_specs.py: {program} {test} {options}: {report['message']}")
        phases.append(used["phases"] / used["cpu"])
        calls.append(calls_of(report) / used["cpu"])
    waits = sum(operation["waited"] for operation in report["calls"]) / calls_of(report)
    say(f"{name:50}{max(phases):12,.0f}{statistics.median(phases):12,.0f}{max(calls):12,.0f}"
        f"{100 * waits:8.0f} %")


def phases():
    build_phases()
    heading("14. Phases of a shared resource: examples/warehouse, implementations/monitor.c")
    say(f"{'':50}{'phases/s':>12}{'(median)':>12}{'calls/s':>12}{'waited':>10}")
    phase_row("round 2: one call a phase", "phases", "robots", "--round", "2")
    phase_row("round 3: up to 4 concurrent calls", "phases", "robots", "--round", "3")
    phase_row("round 2, compiled by raddle cc", "phases_seen", "robots", "--round", "2")
    phase_row("round 3, compiled by raddle cc", "phases_seen", "robots", "--round", "3")
    say("""\
One core, CPU time with start-up, best of 5 seeds; 4 warehouses, 10 robots, up to 40 phases a case.
A phase is made up, executed under a schedule of its own, and judged.  Compiled by raddle cc, as
raddle grade does, threads are also switched at accesses to memory.  waited: of the calls, so many
did not return in their phase.  Debian has no other tool that does this, so none is compared.""")


# ---- 15. The judge -----------------------------------------------------------------------------

def register_history(calls, clients, keys, lie=False):
    """Registers of 0 to 9.  Each step calls, takes effect or returns, of a client by chance."""
    chance = random.Random(1)
    values, doing, lines, begun = {}, {}, [], 0
    while begun < calls or doing:
        who = chance.randrange(clients)
        what, key, value, answer = doing.get(who, (None,) * 4)
        if what is None:
            if begun == calls:
                continue
            begun += 1
            key, value = chance.randrange(keys or 1), chance.randrange(10)
            what = chance.choice(("write", "read"))
            words = [str(key)] if keys else []
            words += [str(value)] if what == "write" else []
            name = {"write": "set", "read": "get"}[what] if keys else what
            lines.append(f"c{who} call {name} {' '.join(words)}")
            doing[who] = (what, key, value, None)
        elif answer is None:
            if what == "write":
                values[key] = value
            doing[who] = (what, key, value, values.get(key, 1 if keys else 0))
        else:
            lines.append(f"c{who} return {answer if what == 'read' else ''}")
            del doing[who]
    if lie:
        lines.append(f"c0 call {'get 0' if keys else 'read'}\nc0 return 10")
    return lines


class Plant:
    """Robots that call phase by phase; all that can go on does, in an order by chance."""

    def __init__(self, robots, heaviest):
        self.chance = random.Random(1)
        self.weight, self.occupied = [0] * 4, [False] * 5
        self.step = [0] * robots
        self.weighs = [100 * self.chance.randint(1, heaviest // 100) for _ in range(robots)]
        self.waiting, self.lines = [], []

    def serve(self, robot):
        n, weight = self.step[robot] // 2, self.weighs[robot]
        if self.step[robot] % 2 == 0:
            if self.weight[n] + weight > 1000:
                return False
            self.weight[n] += weight
            self.occupied[n] = False
        else:
            if n < 3 and self.occupied[n + 1]:
                return False
            self.weight[n] -= weight
            self.occupied[n + 1] = True
        self.step[robot] = (self.step[robot] + 1) % 8
        return True

    def phase(self, calls):
        """Those who are ahead call first, or soon all would wait for each other."""
        idle = [robot for robot in range(len(self.step)) if robot not in self.waiting]
        idle.sort(key=lambda robot: (-self.step[robot], self.chance.random()))
        for robot in idle[:calls]:
            operation = "exit" if self.step[robot] % 2 else "enter"
            self.lines.append(f"r{robot} call {operation} {self.step[robot] // 2} "
                              f"{self.weighs[robot]}")
            self.waiting.append(robot)
        served = True
        while served:
            served = [robot for robot in self.chance.sample(self.waiting, len(self.waiting))
                      if self.serve(robot)]
            for robot in served:
                self.waiting.remove(robot)
                self.lines.append(f"r{robot} return")
        self.lines.append("quiet")


def plant_history(phases, calls, robots, heaviest, keep=False):
    """If keep, nobody tells the one who was served last."""
    plant = Plant(robots, heaviest)
    for _ in range(phases):
        plant.phase(calls)
    if keep:
        last = max(i for i, line in enumerate(plant.lines) if line.endswith("return"))
        del plant.lines[last]
    return plant.lines


def judge_row(name, library, spec, lines):
    with open("history", "w") as out:
        out.write("".join(f"{line}\n" for line in lines))
    command = [TOOL, "judge", "--spec", f"./{library}", "--spec-name", spec, "--format", "json",
               "history"]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    if not out.startswith("{"):
        sys.exit(f"measure_specs.py: {command} went wrong: {out}")
    report = json.loads(out)
    runs = [fields(finish(start(pinned(["./again_plain", "1", *command])))) for _ in range(REPEATS)]
    cpu = min(run["cpu"] for run in runs)
    rate = f"{report['calls'] / cpu:,.0f}" if report["verdict"] != "undecided" else "-"
    say(f"{name:63}{report['verdict']:>10}{report['calls']:9,}{cpu:9.3f}{rate:>12}"
        f"{max(run['kib'] for run in runs) / 1024:8.1f} MiB")


def judge():
    build("gcc", "-g", "-O2", "-shared", "-fPIC", f"-I{SOURCE}/include",
          f"{SOURCE}/tests/judge/specs.c", "-o", "registers.so")
    build("gcc", "-g", "-O2", "-shared", "-fPIC", f"-I{SOURCE}/include", f"-I{WAREHOUSE}",
          f"{WAREHOUSE}/spec.c", f"{WAREHOUSE}/implementations/monitor.c", "-o", "warehouse.so")
    build("gcc", "-O2", f"{SOURCE}/bench/plain/again.c", "-o", "again_plain")
    heading("15. The judge alone: raddle judge")
    say(f"{'':63}{'verdict':>10}{'calls':>9}{'CPU s':>9}{'calls/s':>12}{'memory':>12}")
    judge_row("nothing: what the start takes", "registers.so", "cell", [])
    for clients in (3, 6, 9, 12):
        judge_row(f"a register, {clients} clients", "registers.so", "cell",
                  register_history(100_000, clients, None))
    for clients in (3, 12):
        judge_row(f"1000 registers, each a key, {clients} clients", "registers.so", "cells",
                  register_history(100_000, clients, 1000))
    judge_row("a register, 12 clients, a wrong answer at the end", "registers.so", "cell",
              register_history(100_000, 12, None, lie=True))
    for keep, how in ((False, ""), (True, ", a return is missing")):
        judge_row("warehouse, a phase of 12 concurrent calls" + how, "warehouse.so", "warehouse",
                  plant_history(1, 12, 12, 1100, keep))
        judge_row("warehouse, 20 phases of 8 concurrent calls" + how, "warehouse.so", "warehouse",
                  plant_history(20, 8, 40, 700, keep))
    say("""\
One core, CPU time, best of 5; memory: resident set at its largest.  All with start-up and reading:
of the last four it is most of it.  Histories are made by chance from what the spec allows; two
thirds of the clients have a call in progress at any time.  undecided: there were more
orders than the judge keeps.  Debian has no other tool that judges histories, so none is
compared.""")


# ---- 16. Grading -------------------------------------------------------------------------------

def graded(*files):
    """The rows of the table; seconds by the clock and of CPU time, with compiling."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    ended = subprocess.run([TOOL, "grade", "--seed", "1", "--format", "json", "--spec", WAREHOUSE,
                            *files], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode not in (0, 1):
        sys.exit(f"measure_specs.py: raddle grade went wrong:\n{ended.stdout}{ended.stderr}")
    return (json.loads(ended.stdout), wall,
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def grade():
    files = sorted(glob.glob(f"{WAREHOUSE}/implementations/*.c"))
    broken = [path for path in files if open(path).read().startswith("/* broken")]
    rows, wall, cpu = graded(*files)
    found = [row for row in rows if row["file"] in broken and row["verdict"] == "fail"]
    passed = [row for row in rows if row["file"] not in broken and row["verdict"] == "pass"]
    alone = [graded(row["file"])[2] for row in found]
    heading(f"16. Grading the {len(files)} implementations of examples/warehouse")
    say(f"all: {wall:.1f} s by the clock, {cpu:.1f} s of CPU time")
    say(f"broken: {len(found)} of {len(broken)} found, "
        f"{sum(row['seconds'] <= 10 for row in found)} within 10 s by the clock; "
        f"phases of the smallest case {min(row['phases'] for row in found)} to "
        f"{max(row['phases'] for row in found)}")
    say(f"broken, one at a time: {sum(one <= 10 for one in alone)} within 10 s of CPU time; "
        f"median {statistics.median(alone):.2f} s, most {max(alone):.2f} s")
    say(f"correct: {len(passed)} of {len(files) - len(broken)} passed")
    say("""\
Default settings, seed 1; all: as many at a time as there are cores.  Times are with compiling, but
for the 10 s by the clock, where others who use the machine count.  One at a time: the spec is
compiled for each.  Debian has no other tool that does this, so none is compared.""")


build_peers()
models()
shrinking()
phases()
judge()
grade()
