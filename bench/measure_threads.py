"""measure_threads.py -- controlled threads: sections 6 to 10; bench/run.sh calls it."""
import os
import resource
import shutil
import statistics
import subprocess
import sys

from common import BUILD, SOURCE, fields, finish, heading, pinned, raddle, say, start, version_of

REPEATS = 5
PLAIN = f"{SOURCE}/bench/plain"
TOOL = f"{BUILD}/bin/raddle"
BASE = os.environ.get("BASE")  # another build of Raddle, to be measured in the same run


def compiled(name, how, *command):
    """A plain program, compiled in this way."""
    out = f"./{name}_{how}"
    subprocess.run([*command, "-std=gnu17", "-g", "-O2", "-pthread", f"{PLAIN}/{name}.c",
                    "-o", out], check=True)
    return out


def explore(program, *arguments, schedules, strategy, points=200_000):
    return [TOOL, "explore", "--schedules", str(schedules), "--strategy", strategy, "--seed", "1",
            "--points", str(points), "--timeout", "100", "--quiet", "--", program, *arguments]


def cpu_of(command):
    """Seconds of CPU time that it takes, with all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != 0:
        sys.exit(f"measure_threads.py: {command} went wrong:\n{ended.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wall_of(command):
    before = os.times().elapsed
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return os.times().elapsed - before


def table(rows, unit, what="x Raddle"):
    """Rows of (name, best, median); the first one is what the last column compares with."""
    say(f"{'':44}{unit:>14}{'(median)':>14}{what:>14}")
    for name, best, median in rows:
        say(f"{name:44}{best:14,.0f}{median:14,.0f}{best / rows[0][1]:14.3g}")


def execution_rates(test, *options, cases):
    for seed in range(REPEATS):
        report, used = raddle("threads", test, "--cases", str(cases), "--seed", str(seed + 1),
                              *options)
        if report["cases"] < cases:
            sys.exit(f"measure_threads.py: {test} {options}: there are only {report['cases']}")
        yield cases / used["cpu"]


# ---- 6. Switches -------------------------------------------------------------------------------

def handover_rates(program, how, times):
    for _ in range(REPEATS):
        yield times / fields(finish(start(pinned([program, how, str(times)]))))["cpu"]


def switches():
    program = compiled("handover", "plain", "gcc")
    yields = 2 * 1000
    rates = [
        ("Raddle, rdl_yield", (yields * rate for rate in execution_rates("switches", cases=2000))),
        ("swapcontext, contexts of one thread", handover_rates(program, "context", 2_000_000)),
        ("two threads, futex", handover_rates(program, "futex", 400_000)),
        ("two threads, condition variable", handover_rates(program, "condition", 300_000)),
    ]
    heading("6. Two threads that hand over to each other")
    rows = [(name, list(values)) for name, values in rates]
    table([(name, max(values), statistics.median(values)) for name, values in rows], "switches/s")
    say("""\
One core, CPU time, best of 5.  Raddle's threads have their own stacks and thread-local variables;
each switch is recorded so that it can be replayed, and the case itself counts (a thousandth).
swapcontext switches stacks, not thread-local variables; a context of its own is no thread to the
C library.  The two real threads share the core.""")


# ---- 7. Executions -----------------------------------------------------------------------------

def executions():
    strategies = ("random", "pos", "pct", "surw", "random-delays")
    rates = [(f"Raddle, {name}", execution_rates("locks", "--strategy", name, cases=200_000))
             for name in strategies]
    rates.append(("Raddle, portfolio", execution_rates("locks_and_data", cases=200_000)))
    rates.append(("real threads, not controlled", execution_rates("real_locks", cases=5000)))
    heading("7. Executions in process: two threads, four operations on a lock each")
    rows = [(name, list(values)) for name, values in rates]
    table([(name, max(values), statistics.median(values)) for name, values in rows],
          "executions/s", "x random")
    say("""\
One core, CPU time with start-up, best of 5.  The portfolio would be through with all schedules of
these threads after a few; so that it is not, its case draws a boolean as well.  Real threads are
created and joined for each run, under the one schedule that the operating system gives them.
Debian has no other tool that controls schedules of C programs, so none is compared.""")


# ---- 8. raddle explore -------------------------------------------------------------------------

def runs_per_second(times, *command):
    """By the clock, of a program that is started again and again."""
    for _ in range(3):
        used = fields(finish(start(["./again_plain", str(times), *command])))
        if used["failures"]:
            sys.exit(f"measure_threads.py: {command} failed {used['failures']:.0f} times")
        yield times / used["wall"]


def programs():
    compiled("again", "plain", "gcc")
    plain = compiled("small", "plain", "gcc")
    seen = compiled("small", "raddle", TOOL, "cc")
    tsan = compiled("small", "tsan", "gcc", "-fsanitize=thread")
    count = 4000
    rates = [
        ("raddle explore", [count / wall_of(explore(plain, schedules=count, strategy="random"))
                            for _ in range(3)]),
        ("raddle explore, compiled by raddle cc",
         [count / wall_of(explore(seen, schedules=count, strategy="random")) for _ in range(3)]),
        ("the program by itself", runs_per_second(500, plain)),
        ("the program with libtsan", runs_per_second(100, tsan)),
    ]
    if shutil.which("valgrind"):
        rates.append((f"the program in helgrind {version_of('valgrind')}",
                      runs_per_second(4, "valgrind", "-q", "--tool=helgrind", plain)))
    heading("8. Runs of a small program: two threads, four operations on a lock each")
    rows = [(name, list(values)) for name, values in rates]
    table([(name, max(values), statistics.median(values)) for name, values in rows], "runs/s")
    say("""\
By the clock, one run after the other, best of 3.  raddle explore loads the program once, and runs
each schedule in a copy of the process (fork); it includes start-up.  The others are started by
posix_spawn for each run, and leave the schedule to the operating system: they do not control it.
libtsan and helgrind look for races, as does raddle explore in what raddle cc has compiled.""")


# ---- 9. Accesses -------------------------------------------------------------------------------

def cost_of_access(millions, command_of):
    """ns, best and median, of an access; what the program takes without any is not counted."""
    nothing = min(cpu_of(command_of("0")) for _ in range(REPEATS))
    costs = [(cpu_of(command_of(str(millions))) - nothing) / millions * 1e3
             for _ in range(REPEATS)]
    return min(costs), statistics.median(costs)


def accesses():
    plain = compiled("accesses", "plain", "gcc")
    tsan = compiled("accesses", "tsan", "gcc", "-fsanitize=thread")
    seen = compiled("accesses", "raddle", TOOL, "cc")

    def under(strategy):
        return lambda count: explore(seen, count, schedules=1, strategy=strategy,
                                     points=1_000_000_000)

    rows = [
        ("raddle cc, nobody is preempted (in-order)", 12, under("in-order")),
        ("raddle cc, a few preemptions (pct)", 12, under("pct")),
        ("raddle cc, partial order sampling (pos)", 6, under("pos")),
        ("raddle cc, any thread each time (random)", 6, under("random")),
        ("raddle cc, the program by itself", 12, lambda count: [seen, count]),
        ("libtsan", 12, lambda count: [tsan, count]),
        ("not instrumented", 120, lambda count: [plain, count]),
    ]
    heading("9. What an access to memory costs")
    say(f"{'':44}{'ns':>14}{'(median)':>14}{'x in-order':>14}")
    first = None
    for name, millions, command_of in rows:
        best, median = cost_of_access(millions, command_of)
        first = first or best
        say(f"{name:44}{best:14.2f}{median:14.2f}{best / first:14.2f}")
    say("""\
CPU time, best of 5.  Two threads count the letters of a text: both read it, each writes its own
counts; two accesses in three are reads.  Both can run all the time, so each access is a place to
switch at, and is looked at for data races (by libtsan, too).  By pos the strategy is asked at each
access; by random every second one is a switch, too, and recorded.""")


# ---- 10. Memory --------------------------------------------------------------------------------

def memory():
    heading("10. Peak memory of controlled executions")
    say(f"{'':44}{'parent':>14}{'worker':>14}")
    rows = [(f"{cases:,} executions (section 7, random)", "locks", "--strategy", "random",
             "--cases", str(cases)) for cases in (1000, 30_000, 1_000_000)]
    rows.append(("500 threads at the same time, 16 KiB of stack", "many", "--cases", "3"))
    for name, test, *options in rows:
        _, used = raddle("threads", test, "--seed", "1", *options, pin=False)
        say(f"{name:44}{used['parent_kib']:10,.0f} KiB{used['worker_kib']:10,.0f} KiB")
    say("Resident set at its largest.  Pages that both share count twice.")


# ---- Another build ----------------------------------------------------------------------------

def compiled_tests(build, size):
    """bench/threads.c, all of it instrumented, with so many bytes of static data."""
    out = f"./threads_{'now' if build == BUILD else 'base'}_{size}"
    subprocess.run([f"{build}/bin/raddle", "cc", "-std=gnu17", "-O2", "-pthread", f"-DDATA={size}",
                    f"-I{build}/include", f"{SOURCE}/bench/threads.c", "-o", out], check=True)
    return out


def rates_of_both(measure):
    """Best of 5 for this build and for the other one, which take turns."""
    rates = {BUILD: [], BASE: []}
    for _ in range(REPEATS):
        for build, values in rates.items():
            values.append(measure(build))
    return [max(values) for values in rates.values()]


def in_process(test, size, cases, *options):
    programs = {build: compiled_tests(build, size) for build in (BUILD, BASE)}

    def measure(build):
        _, used = raddle(programs[build], test, "--cases", str(cases), "--seed", "1", *options)
        return cases / used["cpu"]

    return rates_of_both(measure)


def explored(name, count, strategy, *arguments):
    for build in (BUILD, BASE):
        compiled(name, "now" if build == BUILD else "base", f"{build}/bin/raddle", "cc")

    def measure(build):
        program = f"./{name}_{'now' if build == BUILD else 'base'}"
        command = explore(program, *arguments, schedules=count, strategy=strategy,
                          points=1_000_000_000)
        return count / cpu_of([f"{build}/bin/raddle", *command[1:]])

    return rates_of_both(measure)


def another_build():
    heading("10a. This build and another one (BASE)")
    say(f"{'':52}{'now/s':>12}{'base/s':>12}{'x slower':>12}")
    rows = [
        ("in process, random", in_process("locks", 0, 200_000, "--strategy", "random")),
        ("in process, portfolio", in_process("locks_and_data", 0, 200_000)),
        ("in process, random, 1 MB of static data",
         in_process("locks", 1 << 20, 200_000, "--strategy", "random")),
        ("in process, random, 1 MB, no execution is repeated",
         in_process("many_locks", 1 << 20, 100_000, "--strategy", "random")),
        ("raddle explore, random", explored("small", 3000, "random")),
        ("raddle explore, 4 million accesses, in order", explored("accesses", 1, "in-order", "4")),
    ]
    for name, (now, base) in rows:
        say(f"{name:52}{now:12,.1f}{base:12,.1f}{base / now:12.2f}")
    say("CPU time, best of 5, both builds in turn; all code is compiled by raddle cc.")


switches()
executions()
programs()
accesses()
memory()
if BASE:
    another_build()
