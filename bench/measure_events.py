"""measure_events.py -- streams of events: sections 17 to 21; bench/run.sh calls it."""
import statistics
import subprocess
import sys

from common import BUILD, SOURCE, fields, finish, heading, pinned, raddle, say, start, version_of

REPEATS = 5
PEERS = f"{SOURCE}/bench/peers"
MATCH = [f"{BUILD}/bin/raddle", "match", "./pings.so", "-"]
PYTHON = ["/usr/bin/python3", f"{PEERS}/events_python.py"]


def build(*command):
    subprocess.run(command, check=True)


def build_all():
    build("gcc", "-g", "-O2", "-shared", "-fPIC", f"-I{SOURCE}/include",
          f"{SOURCE}/bench/streams/log.c", "-o", "pings.so")
    build("gcc", "-O2", f"{SOURCE}/bench/plain/again.c", "-o", "again_plain")
    build("gcc", "-O2", f"{SOURCE}/bench/plain/events.c", "-o", "events_plain")
    build("g++", "-O2", f"{PEERS}/events_statechart.cpp", "-o", "events_statechart")
    build("g++", "-O2", f"{PEERS}/events_re2.cpp", "-o", "events_re2", "-lre2")


# ---- 17. How many a second ---------------------------------------------------------------------

def rates_of(*command):
    """Of a program that says how many events it took, and how long."""
    for _ in range(REPEATS):
        used = fields(finish(start(pinned([*map(str, command)]))))
        yield used["events"] / used["cpu"]


def stream_rates(test, cases):
    for seed in range(REPEATS):
        report, used = raddle("streams", test, "--cases", str(cases), "--seed", str(seed + 1),
                              "--strategy", "random", "--timeout", "100")
        if report["verdict"] != "pass":
            sys.exit(f"measure_events.py: {test}: {report['message']}")
        yield used["events"] / used["cpu"]


def rates():
    rows = [
        ("rdl_stream, the test emits itself", stream_rates("own", 2)),
        ("rdl_stream, a thread emits, freely", stream_rates("thread", 2)),
        ("rdl_stream, a controlled thread emits", stream_rates("controlled", 25)),
        ("the matcher alone", rates_of("./matcher", "pings", 6_000_000)),
        ("the matcher alone, ids bound and compared", rates_of("./matcher", "bound", 6_000_000)),
        ("a state machine in C, written by hand", rates_of("./events_plain", 60_000_000)),
        (f"Boost.Statechart {version_of('libboost-dev')}",
         rates_of("./events_statechart", 6_000_000)),
        (f"RE2 {version_of('libre2-dev')}, events are letters",
         rates_of("./events_re2", 24_000_000)),
        (f"Python {version_of('python3')} re, events are letters",
         rates_of(*PYTHON, "letters", 6_000_000)),
    ]
    heading("17. Events through rules, a repeat and an either")
    say(f"{'':44}{'events/s':>14}{'(median)':>14}{'ns':>10}{'x Raddle':>12}")
    first = None
    for name, values in rows:
        values = list(values)
        first = first or max(values)
        say(f"{name:44}{max(values):14,.0f}{statistics.median(values):14,.0f}"
            f"{1e9 / max(values):10,.1f}{max(values) / first:12.3g}")
    say("""\
One core, CPU time, best of 5; x Raddle: so many times as fast as the first row.  A ping comes out,
one of two pongs goes in, three times, any number of times; noise is allowed one way and dropped the
other, and an alarm would be forbidden: two of four events are noise.
rdl_stream: by the public interface, with start-up, a million events a stream (40,000 if threads are
controlled, and each event is a point at which they may be switched).  Each event is copied, queued,
taken, matched and forwarded, and the last are kept for a report.  The matcher alone has none of
this, and cannot be had like that.
Peers know this one spec only.  The state machine in C and that of Boost.Statechart look at what
events carry, and do something with each; they are in one state at a time, so that whoever writes
them has to resolve what may be two things at once, and they cannot say what was expected.  RE2 and
re look at letters that lie in memory already: no events, values, actions or rules, and a verdict at
the end; re would go back where it has erred, and is told by "*+" not to.""")


# ---- 18 and 19. Long streams -------------------------------------------------------------------

def log_chunk():
    """12,000 lines, after which the log may go on in the same way, or end."""
    rounds = []
    for number in (1, 2):
        for direction, kind in (("out", "ping"), ("in", "noise"), ("in", "pong"), ("out", "noise")):
            rounds.append(f'{{"port":"net","dir":"{direction}","type":"{kind}",'
                          f'"data":{{"id":{number}}},"time":12.5}}\n')
    return "".join(rounds).encode() * 1500


def through_pipe(chunks, *command):
    """CPU time of the command, and its memory, while this process writes what it reads."""
    chunk = log_chunk()
    process = subprocess.Popen(pinned(["./again_plain", "1", *command]), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    for _ in range(chunks):
        process.stdin.write(chunk)
    process.stdin.close()
    used = fields(process.stdout.read().decode())
    if process.wait() != 0 or used["failures"]:
        sys.exit(f"measure_events.py: {command} went wrong")
    return used | {"lines": chunks * chunk.count(b"\n")}


def memory_row(name, few, few_kib, many, many_kib):
    say(f"{name:30}{few:14,.0f}{few_kib:12,.0f} KiB{many:16,.0f}{many_kib:12,.0f} KiB")


def memory(few_lines, many_lines):
    matcher = fields(finish(start(pinned(["./matcher", "pings", "100000000"]))))
    few, many = (raddle("streams", test, "--cases", "1", "--timeout", "100")[1]
                 for test in ("own", "own_long"))
    heading("18. Memory of long streams")
    say(f"{'':30}{'events':>14}{'peak':>16}{'events':>16}{'peak':>16}")
    memory_row("the matcher alone", matcher["events"] / 100, matcher["few_kib"], matcher["events"],
               matcher["kib"])
    memory_row("rdl_stream", few["events"], few["worker_kib"], many["events"], many["worker_kib"])
    memory_row("raddle match, from a pipe", few_lines["lines"], few_lines["kib"],
               many_lines["lines"], many_lines["kib"])
    say("""\
Resident set at its largest, of the whole process; the same streams as in section 17.  The matcher:
one process, asked on the way and at the end; the others: a process each.  What rdl_stream has not
taken yet is kept: here the test waits with a hundred rounds until those before are through.  From
process to process it differs by some 100 KiB.""")


def logs(few, many):
    jq = ["jq", "-n", "reduce inputs as $event (0; . + 1)"]
    rows = [
        ("raddle match", few),
        ("raddle match", many),
        (f"Python {version_of('python3')}: json, a state machine",
         through_pipe(25, *PYTHON, "log")),
        (f"jq {version_of('jq')}, which only reads and counts", through_pipe(25, *jq)),
    ]
    heading("19. A log of events, through a pipe")
    say(f"{'':44}{'lines':>12}{'CPU s':>10}{'lines/s':>14}{'x Raddle':>12}")
    rate = many["lines"] / many["cpu"]
    for name, used in rows:
        say(f"{name:44}{used['lines']:12,.0f}{used['cpu']:10.2f}"
            f"{used['lines'] / used['cpu']:14,.0f}{used['lines'] / used['cpu'] / rate:12.3g}")
    say("""\
One core, CPU time of the one who reads, with start-up, once; x Raddle: so many times as fast as the
second row.  Lines are about 70 bytes of JSON, the same stream as in section 17.  raddle match reads
the fields that the C struct has, and makes one of them.  The script knows this one spec only.""")


# ---- 20. Without an order ----------------------------------------------------------------------

def unordered():
    heading("20. rdl_unordered of 60 events")
    say(f"{'':46}{'they come':>12}{'taken':>8}{'at a time':>12}{'us':>12}{'us an event':>14}"
        f"{'to compile, us':>17}")
    for spec, what in (("single", "each has a place of its own"),
                       ("twins", "each has any of the places"),
                       ("pairs", "each has two, which others have as well")):
        for order in ("as given", "reversed", "by chance"):
            times = 20 if spec == "pairs" else 2000
            runs = [fields(finish(start(pinned(["./matcher", spec, order[0], str(times)]))))
                    for _ in range(REPEATS)]
            best = min(runs, key=lambda run: run["cpu"])
            taken = f"{best['taken']:.0f}" + ("" if best["taken"] == 60 else " *")
            compiled = min(run["compiled"] for run in runs)
            say(f"{what:46}{order:>12}{taken:>8}{best['most']:12,.0f}{best['cpu'] * 1e6:12,.1f}"
                f"{best['cpu'] * 1e6 / best['taken']:14.2f}{compiled * 1e6:17,.0f}")
    say("""\
The matcher alone, one core, CPU time, best of 5.  at a time: ways to understand the stream that
were followed, at most; there are 60! orders.  To compile a spec includes a search for streams that
are ambiguous by it, and rdl_stream compiles it each time.
* Then there were more than 10,000 ways, and the stream is refused, with that as the reason.
For a deterministic automaton, any order of 60 is 2^60 states, so no peer is compared.""")


# ---- 21. The verdict ---------------------------------------------------------------------------

def verdict_row(name, test):
    options = ("--strategy", "random", "--seed", "1")
    used = raddle("streams", test, "--cases", "5000", *options, pin=False)[1]
    alone = [raddle("streams", test, "--cases", "1", *options, pin=False)[1]["reported_us"]
             for _ in range(21)]
    say(f"{name:44}{used['samples']:8,.0f}{used['median_us']:10,.1f}{used['p99_us']:10,.1f}"
        f"{used['most_us']:10,.1f}{statistics.median(alone):16,.0f}{max(alone):10,.0f}")


def verdicts():
    heading("21. From the last event to the verdict, if the stream is right")
    say(f"{'':44}{'streams':>8}{'us':>10}{'(99 %)':>10}{'(most)':>10}{'and reported':>16}"
        f"{'(most)':>10}")
    verdict_row("controlled, a thread that waits for more", "over_controlled")
    verdict_row("controlled, no other thread", "over_controlled_alone")
    verdict_row("free, a thread that waits for more", "over_free")
    verdict_row("free, no other thread", "over_free_alone")
    say("""\
By the clock, on all cores; us: median.  From just before a component emits its last event until
rdl_stream returns: it has been taken, the stream is complete, and nobody can do anything any more;
of free threads that is asked of the kernel.  and reported: until the program has reported and is
about to end, of tests with one case, joining the thread included; median of 21.  Where one can only
wait whether more comes, it takes as long as one waits, so no peer is compared.""")


build_all()
rates()
few_lines, many_lines = through_pipe(10, *MATCH), through_pipe(300, *MATCH)
memory(few_lines, many_lines)
logs(few_lines, many_lines)
unordered()
verdicts()
