"""measure_gates.py -- gates and the test clock: sections 22 to 26; bench/run.sh calls it."""
import os
import statistics
import sys

from common import fields, finish, heading, pinned, raddle, say, start, version_of

REPEATS = 5
ROUNDS = 7  # of calls, as in gates/hot.h
JUMP, BREAKPOINT = "long", "short"  # what the functions begin with: see gates/hot.h


def hooks(what, count):
    return fields(finish(start(pinned(["./hooks", what, str(count)]))))


def gates(test, *options, pin=True):
    report, used = raddle("gates", test, "--seed", "1", "--timeout", "100", *options, pin=pin)
    if report["verdict"] != "pass":
        sys.exit(f"measure_gates.py: {test}: {report['message']}")
    return report, used


def best(run):
    """Of some runs, the least of each value."""
    runs = [run() for _ in range(REPEATS)]
    return {name: min(each[name] for each in runs) for name in runs[0]}


# ---- 22. A passed gate -------------------------------------------------------------------------

def cpu_with_gdb(function, kind, calls):
    """CPU time of gdb and of the same loop in it, with a breakpoint whose condition never holds."""
    command = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
               "-ex", f"break {function} if x == -1", "-ex", f"run plain {calls}", "./hooks"]
    process = start(pinned(command))
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or fields(out).get(kind, 0) < 1000:
        sys.exit(f"measure_gates.py: gdb went wrong:\n{out}")
    return usage.ru_utime + usage.ru_stime


def with_gdb(function, kind, calls=300):
    """A call in ns: gdb's start-up is in both of two runs."""
    few, many = (min(cpu_with_gdb(function, kind, count) for _ in range(3))
                 for count in (calls // 10, calls))
    return (many - few) * 1e9 / ((calls - calls // 10) * ROUNDS)


def passed():
    hook = best(lambda: hooks("passed", 10_000))
    if not hook["long_is_jump"] or hook["short_is_jump"] or hook["forced_is_jump"]:
        sys.exit("measure_gates.py: hooks have other forms than they are to have")
    gdb = {JUMP: with_gdb("begin_long", JUMP), BREAKPOINT: with_gdb("begin_short", BREAKPOINT)}
    rows = [("the function, and nothing else", best(lambda: hooks("plain", 2_000_000))),
            ("a hook, and nothing else", hook)]
    for test, name in (("never", "rdl_at, a condition that is false"),
                       ("minus_one", "rdl_at, a condition on x"),
                       ("other_thread", "a gate for another thread"),
                       ("open", "a gate that is open for all")):
        for mode, prefix in (("free", ""), ("controlled", "controlled_")):
            rows.append((f"{name}, {mode}", best(lambda: gates(prefix + test)[1])))
    rows.append((f"gdb {version_of('gdb')}, break if x == -1", gdb))
    heading("22. A passed gate: nobody is held there")
    say(f"{'':46}{'as a jump, ns':>15}{'gdb x':>10}{'as int3, ns':>15}{'gdb x':>10}")
    for name, ns in rows:
        say(f"{name:46}{ns[JUMP]:15,.1f}{gdb[JUMP] / ns[JUMP]:10,.0f}"
            f"{ns[BREAKPOINT]:15,.1f}{gdb[BREAKPOINT] / ns[BREAKPOINT]:10,.0f}")
    say(f"{'a hook in the first function, as int3':46}{'':25}{hook['forced']:15,.1f}"
        f"{gdb[JUMP] / hook['forced']:10,.0f}")
    say("""\
One core, CPU time (gdb's own too, without its start-up), best of 5 times 7 (gdb: of 3); with the
call itself.  gdb x: so many times as long does it take with a breakpoint of gdb.  Two functions
that store a number; which form a hook gets depends on the length of the first instruction.  A
condition is a function in C; on x: it asks for the parameter by its name, as gdb's does.  free: a
thread as any other; controlled: one that Raddle schedules, for whom each gate is a place where
others may run.""")


# ---- 23. Never reached -------------------------------------------------------------------------

def spread_row(name, values):
    say(f"{name:46}{statistics.median(values):12.3f}{min(values):12.3f}{max(values):12.3f}")


def never_reached():
    without, with_gate = [], []
    for _ in range(2 * REPEATS):
        without.append(gates("not_there")[1]["ns"])
        with_gate.append(gates("never_reached")[1]["ns"])
    heading("23. A gate that nobody reaches")
    say(f"{'':46}{'ns a call':>12}{'(least)':>12}{'(most)':>12}")
    spread_row("no gate", without)
    spread_row("a gate in another function", with_gate)
    say("""\
One core, CPU time; the first function of section 22, of 10 processes each that took turns.""")


# ---- 24. Placed --------------------------------------------------------------------------------

def placed():
    hook = best(lambda: hooks("placed", 20_000))
    ms = best(lambda: gates("placed")[1])
    heading("24. Placing a gate")
    say(f"{'':46}{'as a jump, us':>15}{'as int3, us':>15}")
    say(f"{'the first hook of a process':46}{hook['never_first']:15,.1f}")
    for key, name in (("first", "a hook, the first one there"), ("place", "again"),
                      ("remove", "removing it")):
        say(f"{name:46}{hook[f'{JUMP}_{key}']:15,.1f}{hook[f'{BREAKPOINT}_{key}']:15,.1f}")
    say(f"\n{'':46}{'ms':>15}")
    for key, name in (("first", "rdl_at, the first place in a process"),
                      ("other", "another function"), ("again", "that place again"),
                      ("text", "a line of a function, by its text"),
                      ("symbol", "a symbol of a library")):
        say(f"{name:46}{ms[key]:15,.3f}")
    say("""\
One core, by the clock, best of 5; placing again and removing: the mean of 20,000.  rdl_at finds the
place and puts a hook there; what was found is kept as long as the process.  The program is this
benchmark, which has all of Raddle in it, with debugging information.""")


# ---- 25 and 26. Whole tests, and the clock -----------------------------------------------------

def cases_per_second(test, cases):
    report, used = gates(test, "--cases", str(cases))
    if report["cases"] != cases:
        sys.exit(f"measure_gates.py: {test} ran {report['cases']} cases, not {cases}")
    return cases / used["cpu"]


def whole():
    heading("25. Whole tests")
    say(f"{'':46}{'controlled, cases/s':>22}{'free, cases/s':>18}")
    for test, name in (("without_gate", "a thread, no gate"),
                       ("with_gate", "a thread that is held at a gate, and let go"),
                       ("with_order", "two threads, in an order")):
        rates = [max(cases_per_second(prefix + test, cases) for _ in range(REPEATS))
                 for prefix, cases in (("controlled_", 3000), ("whole_", 1000))]
        say(f"{name:46}{rates[0]:22,.0f}{rates[1]:18,.0f}")
    say("""\
One core, CPU time with start-up, best of 5; controlled: 3,000 schedules by chance; free: 1,000 with
real threads.  Gates are placed anew for each case, and removed after it.""")


def clock():
    heading("26. The test clock: two threads that await every other time")
    say(f"{'':46}{'ticks/s':>15}{'us a tick':>15}")
    for test, name in (("controlled_ticks", "controlled"), ("ticks", "free")):
        rate = max(gates(test)[1]["ticks"] for _ in range(REPEATS))
        say(f"{name:46}{rate:15,.0f}{1e6 / rate:15,.1f}")
    say("""\
One core, CPU time, best of 5.  The clock goes on when all threads wait; of free ones that is asked
of the kernel, each time.""")


passed()
never_reached()
placed()
whole()
clock()
