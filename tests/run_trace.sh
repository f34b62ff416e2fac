#!/usr/bin/env bash
# run_trace.sh -- --trace: files that keep to the rules of the trace-event format, whatever failed.
# Those rules: every event has what its phase asks for; complete events of a thread lie one within
# the other or apart; arrows have two ends, in order, each within a complete event; processes and
# threads have names.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
export RADDLE_SEED=1 RADDLE_REGRESSIONS=none

python3 - <<'END'
import json, os, subprocess, sys

build, source = os.environ["BUILD"], os.environ["SOURCE"]


def complain(*what):
    sys.exit("run_trace.sh: " + " ".join(str(it) for it in what))


def traced(status, *command):
    """What --trace of the command writes, if it ends like that."""
    ended = subprocess.run([*command[:1], "--trace", "trace.json", *command[1:]],
                           capture_output=True, text=True)
    if ended.returncode != status:
        complain(command, "has status", ended.returncode, ended.stdout, ended.stderr)
    with open("trace.json") as file:
        return check(command, json.load(file))


def check(command, trace):
    if not set(trace) <= {"traceEvents", "displayTimeUnit"}:
        complain(command, "has keys", *trace)
    events = trace["traceEvents"]
    for event in events:
        needed = {"ph", "name", "pid", "tid"} | {
            "M": {"args"}, "X": {"ts", "dur", "cat"}, "i": {"ts", "s", "cat"},
            "s": {"ts", "id", "cat"}, "f": {"ts", "id", "cat", "bp"}}[event["ph"]]
        if not needed <= set(event):
            complain(command, event, "lacks", needed - set(event))
    check_names(command, events)
    check_nesting(command, events)
    check_arrows(command, events)
    return events


def check_names(command, events):
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    for e in events:
        if (e["pid"], e["tid"]) not in named or e["pid"] not in processes:
            complain(command, "a track without a name:", e)
    if processes != set(range(1, len(processes) + 1)):
        complain(command, "has processes", processes)


def check_nesting(command, events):
    """Events are written in order of time, those around before those within."""
    around, last = {}, {}
    for e in (e for e in events if e["ph"] in "Xi"):
        track = e["pid"], e["tid"]
        stack = around.setdefault(track, [])
        if e["ts"] < last.get(track, 0):
            complain(command, "not in order of time:", e)
        last[track] = e["ts"]
        if e["ph"] == "i":
            continue
        if e["dur"] < 1:
            complain(command, "takes no time:", e)
        while stack and stack[-1] <= e["ts"]:
            stack.pop()
        if stack and e["ts"] + e["dur"] > stack[-1]:
            complain(command, "goes on after what is around it:", e)
        stack.append(e["ts"] + e["dur"])


def check_arrows(command, events):
    begun, tracks = {}, {}
    for e in events:
        if e["ph"] == "X":
            tracks.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
    for e in (e for e in events if e["ph"] in "sf"):
        if not any(start <= e["ts"] < end for start, end in tracks.get((e["pid"], e["tid"]), [])):
            complain(command, "an arrow is bound to nothing:", e)
        if e["ph"] == "s":
            if e["id"] in begun:
                complain(command, "two arrows have the same id:", e)
            begun[e["id"]] = e
        else:
            start = begun[e["id"]]
            if start["ts"] > e["ts"] or start["name"] != e["name"] or start["pid"] != e["pid"]:
                complain(command, "not the same arrow:", start, e)
            start["ended"] = True
    for e in begun.values():
        if not e.get("ended"):
            complain(command, "an arrow does not end:", e)


def named(events, **wanted):
    return [e for e in events if all(e.get(key) == value for key, value in wanted.items())]


def expect(what, so):
    if not so:
        complain("not so:", what)


# Threads: one is interrupted, and another runs.
events = traced(1, build + "/zoo/schedules", "--filter", "=deposits_add_up")
tracks = {e["tid"]: e["args"]["name"] for e in named(events, ph="M", name="thread_name")}
expect("a track for each thread", {"main", "one", "two"} <= set(tracks.values()))
expect("it is interrupted", named(events, ph="X", name="interrupted", cat="switch"))
expect("by somebody", named(events, ph="s", name="switches"))
expect("a wait is woken", named(events, ph="f", name="wakes"))
expect("it fails", [e for e in events if e["ph"] in "iX" and e["cat"] == "failure" and
                    e["args"]["fails"]])

# Calls of a resource, with the states of the model.
events = traced(1, build + "/specs/resource", "--shrink-runs", "50")
expect("phases are on the first track", {e["tid"] for e in named(events, cat="phase")} == {0})
expect("states", all("state before" in e["args"] for e in named(events, cat="phase")))
expect("calls that do not return",
       [e for e in named(events, cat="call", ph="X") if e["args"].get("has not ended")])
expect("several cases", len({e["pid"] for e in events}) > 1)

# Call-outs, streams, gates.
events = traced(1, build + "/specs/components", "--shrink-runs", "50")
expect("call-outs", named(events, ph="s", name="calls"))
for program in "streams", "model", "linear", "clock", "mock":
    traced(1, build + "/specs/" + program, "--cases", "20", "--shrink-time", "0", "--shard", "1/4")
traced(1, build + "/specs/gates", "--cases", "20", "--shrink-time", "0", "--shard", "1/8")
traced(1, build + "/specs/streams_and_gates", "--cases", "20", "--shrink-time", "0")

# Nothing fails: an empty trace; a case that is replayed is there, passing or not.
expect("nothing", traced(0, build + "/zoo/faults", "--filter", "=passes") == [])
expect("not without threads and calls",
       traced(1, build + "/zoo/faults", "--filter", "=fails_a_check") == [])
END
