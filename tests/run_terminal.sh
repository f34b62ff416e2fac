#!/usr/bin/env bash
# run_terminal.sh -- what is shown on a terminal, while something runs and otherwise: a line of
# progress that fits, that changes, and of which nothing is left in the end.
set -eu

# What takes long there is not for here; and nothing is to be timed.
[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
unset CI NO_COLOR
export TERM=xterm RADDLE_REGRESSIONS=none

${CC:-gcc} -g -shared -fPIC "-I$SOURCE/include" "$SOURCE/docs/events/log.c" -o log.so
${CC:-gcc} -g -shared -fPIC "-I$SOURCE/include" \
    "$SOURCE/docs/tutorials/linearizability/tickets.c" -o tickets.so

python3 - <<'END'
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios

build, source = os.environ["BUILD"], os.environ["SOURCE"]
raddle = build + "/bin/raddle"


def complain(what, *seen):
    sys.exit("run_terminal.sh: " + what + "".join("\n" + repr(it)[-2000:] for it in seen))


def rest_of(fd, until=None, pid=0):
    written = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:  # how a terminal says that nobody is left
            break
        written += more
        if until and re.search(until, written):
            os.kill(pid, signal.SIGINT)
            until = None
    os.close(fd)
    return written


def on_terminal(columns, *command, until=None):
    """Everything that the command writes to a terminal of so many columns, and its status.  Once
    it has written what is looked for, it gets SIGINT."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    written = rest_of(fd, until, pid)
    return written.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def screen(written):
    """What is left on the screen."""
    lines, line, at = [], "", 0
    for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", written):
        if part == "\r":
            at = 0
        elif part == "\n":
            lines.append(line)
            line, at = "", 0
        elif part == "\x1b[K":
            line = line[:at]
        elif part[0] != "\x1b":
            line = line[:at] + part + line[at + len(part):]
            at += len(part)
    return [line.rstrip("\r") for line in lines + [line]]


def progress_in(written):
    return re.findall(r"\r([^\r\n\x1b]*)\x1b\[K", written)


def fed(columns, lines, *command):
    """The same for one that reads lines, which there are until it has shown something."""
    reader, writer = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        os.close(writer)
        os.dup2(reader, 0)
        os.execv(command[0], command)
    os.close(reader)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    written = b""
    for line in lines:
        os.write(writer, line.encode())
        if select.select([fd], [], [], 0)[0]:
            written += os.read(fd, 65536)
        if b"/s\x1b" in written:
            break
    os.close(writer)
    return (written + rest_of(fd)).decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def log_of(i):
    if i == 0:
        return ['{"port":"net","dir":"out","type":"hello","data":{"name":"watcher"}}\n']
    return [f'{{"port":"net","dir":"{way}","type":"{type}","data":{{"id":{i}}}}}\n'
            for way, type in (("out", "ping"), ("in", "pong"))]


# ---- A search that would go on for ever, at several widths ----
for columns in 200, 80, 40, 20, 8:
    written, status = on_terminal(columns, build + "/zoo/faults", "--filter", "=passes", "--cases",
                                  "1000000000000", until=rb"\x1b\[K.*\x1b\[K")
    shown = [line for line in progress_in(written) if line]
    if not shown:
        complain(f"nothing is shown at {columns} columns", written)
    for line in shown:
        if len(line) >= columns:
            complain(f"{columns} columns have no room for it", line)
    if columns >= 80 and not re.search(
            r"^passes: searching, [\d,]+ of 1,000,000,000,000 cases, ([\d,]+/s, )?about .* left$",
            shown[-1]):
        complain("it is not said how far it is", shown[-1])
    if any("searching" in line for line in screen(written)):
        complain("it is not wiped", written)
    if written.count("\r\x1b[K") != 1:
        complain("it is erased before it is written anew", written)
    if status != 128 + signal.SIGINT:
        complain(f"status {status}", written)

# ---- With a limit of time, and with several tests ----
written, status = on_terminal(100, build + "/zoo/faults", "--filter", "passes", "--filter",
                              "=fails_a_check", "--time", "1000", until=rb"left")
if not re.search(r"\[\d/\d\] \w+: searching, [\d,]+ cases, [\d,]+/s, [\d:]+ min left", written):
    complain("nothing of the time that is left", written)

# ---- Not where nobody looks, nor where nobody wants it ----
for option, environment in (("--quiet", {}), ("--seed=1", {"CI": "1"}),
                            ("--seed=1", {"TERM": "dumb"})):
    written, status = on_terminal(80, "/usr/bin/env", *(f"{k}={v}" for k, v in environment.items()),
                                  build + "/zoo/faults", "--filter", "=passes", "--cases", "200000",
                                  option)
    if progress_in(written):
        complain(f"progress with {option} {environment}", written)
    if option == "--quiet" and written:
        complain("--quiet prints", written)
ended = subprocess.run([build + "/zoo/faults", "--filter", "=passes", "--cases", "200000"],
                       capture_output=True, text=True)
if ended.stderr:
    complain("progress in a pipe", ended.stderr)

# ---- The others ----
written, status = on_terminal(100, build + "/specs/deviations", "--deviations", "--cases",
                              "1000000000", until=rb"searching.*left")
if not re.search(r"\r\w+: searching, [\d,]+ of 1,000,000,000 \w+, [\d,]+/s, about .* left",
                 written):
    complain("nothing of what deviations are at", written)

# A log that goes on until something is shown, and ends with an answer.
written, status = fed(100, ("".join(log_of(i)) for i in range(1 << 30)), raddle, "match",
                      "log.so", "-")
if not any(re.search(r"^standard input: matching, [\d,]+ events, [\d,]+/s$", line)
           for line in progress_in(written)) or status != 0:
    complain("nothing of what raddle match is at", status, written)
if not re.search(r"^[\d,]+ events: as specified$", screen(written)[-2]):
    complain("not wiped", screen(written))

# Histories that are longer and longer, until one takes its time.
for calls in (1 << n for n in range(14, 24)):
    with open("history", "w") as out:
        out.writelines(f"a call draw\na return {n}\n" for n in range(calls))
    written, status = on_terminal(100, raddle, "judge", "--spec", "./tickets.so", "history")
    if progress_in(written):
        break
if not any(re.search(r"^history: judging, [\d,]+ of [\d,]+ events, [\d,]+/s, about .* left$", line)
           for line in progress_in(written)) or status != 0:
    complain("nothing of what raddle judge is at", status, written)
END
