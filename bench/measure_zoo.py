"""measure_zoo.py -- how many schedules it takes to find known bugs: section 11; bench/run.sh
calls it.

The programs are those of tests/zoo/threads.  Two run side by side, each on a core of its own."""
import glob
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from common import BUILD, SOURCE, heading, say

STRATEGIES = ("portfolio", "random", "pct", "pos", "surw", "dpor")
SEEDS = 20
WITHIN = 10_000  # schedules
RUNS = 100       # of the program by itself
BUDGET_S = 4     # for a cell of the table: no further seed, or run, is begun after it
HANGS_S = 1      # a run that takes so long is in a deadlock, or endless
TOOL = f"{BUILD}/bin/raddle"
MISSED = math.inf


class Program:
    def __init__(self, path):
        text = open(path).read()
        self.path = path
        self.name = os.path.basename(path).removesuffix(".c")
        self.expect = re.search(r"expect: *([a-z| ]+)", text).group(1).replace(" ", "").split("|")
        self.needs = re.search(r"needs: *(\w+)", text).group(1)
        self.c11_threads = "<threads.h>" in text

    def compile(self):
        ways = {"raddle": [TOOL, "cc"], "plain": ["gcc"], "tsan": ["gcc", "-fsanitize=thread"]}
        for how, command in ways.items():
            subprocess.run([*command, "-std=gnu17", "-g", "-O1", "-pthread", self.path,
                            "-o", f"zoo/{self.name}_{how}"], check=True)


# ---- Cells -------------------------------------------------------------------------------------

def schedules_to_bug(program, strategy, seed):
    ended = subprocess.run(
        [TOOL, "explore", "--strategy", strategy, "--seed", str(seed), "--schedules", str(WITHIN),
         "--shrink-runs", "1", "--format", "json", "--", f"zoo/{program.name}_raddle"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ended.returncode not in (0, 1):
        sys.exit(f"measure_zoo.py: {program.name}: {ended.stdout}{ended.stderr}")
    report = json.loads(ended.stdout.splitlines()[-1])
    if report["verdict"] != "fail":
        return MISSED
    if report["class"] not in program.expect:
        say(f"{program.name}: {strategy} found {report['class']}, expected {program.expect}")
    return report["schedules"]


def begun_within_budget(count):
    began = time.monotonic()
    for n in range(count):
        if n > 0 and time.monotonic() - began > BUDGET_S:
            return
        yield n


def counts_of(program, strategy):
    return [schedules_to_bug(program, strategy, seed + 1) for seed in begun_within_budget(SEEDS)]


def shows_the_bug(command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=HANGS_S,
                              env=os.environ | {"TSAN_OPTIONS": "symbolize=0"}).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def runs_of(program, how):
    if how == "tsan" and program.c11_threads:
        return []
    return [shows_the_bug([f"zoo/{program.name}_{how}"]) for _ in begun_within_budget(RUNS)]


def row_of(program):
    return (program, [counts_of(program, strategy) for strategy in STRATEGIES],
            [runs_of(program, how) for how in ("plain", "tsan")])


# ---- The table ---------------------------------------------------------------------------------

def number(count):
    return "-" if count == MISSED else f"{count:.0f}"


def cell(counts):
    seeds = "" if len(counts) == SEEDS else f" ({len(counts)})"
    return "/".join(number(f(counts)) for f in (min, statistics.median_high, max)) + seeds


def share(runs):
    if not runs:
        return "cannot"
    return f"{sum(runs)}" if len(runs) == RUNS else f"{sum(runs)} ({len(runs)})"


def print_row(program, counts, runs):
    say(f"{program.name:23}{program.needs:7}" + "".join(f"{cell(c):>17}" for c in counts) +
        "".join(f"{share(r):>9}" for r in runs))


def print_sums(rows):
    def all_seeds(column):
        return sum(max(counts[column]) != MISSED for _, counts, _ in rows)

    def some_seed(column):
        return sum(min(counts[column]) != MISSED for _, counts, _ in rows)

    columns = range(len(STRATEGIES))
    say(f"{'found from every seed':30}" + "".join(f"{all_seeds(c):17}" for c in columns) +
        "".join(f"{sum(any(runs[how]) for _, _, runs in rows):9}" for how in (0, 1)))
    say(f"{'found from some seed':30}" + "".join(f"{some_seed(c):17}" for c in columns))


def zoo():
    programs = [Program(path) for path in sorted(glob.glob(f"{SOURCE}/tests/zoo/threads/*.c"))]
    os.makedirs("zoo", exist_ok=True)
    heading(f"11. Schedules until a known bug is found: {len(programs)} programs")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(Program.compile, programs))
        say(f"{'':30}" + "".join(f"{name:>17}" for name in STRATEGIES) +
            f"{'plain':>9}{'libtsan':>9}")
        rows = []
        for row in pool.map(row_of, programs):
            print_row(*row)
            rows.append(row)
    print_sums(rows)
    say(f"""\
Least, median and most schedules of {SEEDS} seeds (in brackets: of so many, when they took more than
{BUDGET_S} s); "-": more than {WITHIN:,}.  Compiled by raddle cc -O1: threads are switched at accesses
to memory, and a data race is a finding where the program has one.  needs: what it takes to switch
at for the bug itself.  plain, libtsan: of {RUNS} runs of the program by itself, or compiled with
-fsanitize=thread, so many showed the bug or, with libtsan, a race; these do not control schedules.
Their last line: programs that showed it at all.  libtsan cannot run C11 threads.""")


zoo()
