#!/usr/bin/env bash
# run_step.sh -- --step: a case is walked through by lines from a pipe, and by keys in a terminal,
# forwards and backwards; tokens of tests, of raddle explore and of raddle grade.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
export RADDLE_SEED=1 RADDLE_REGRESSIONS=none

fail() {
    echo "run_step.sh: $*" >&2
    exit 1
}

says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }
lacks() { ! grep -qF -- "$1" out || fail "it says '$1':" "$(cat out)"; }

# walk STATUS COMMANDS PROGRAM...: with these commands, a line each; what it shows is in `out`.
walk() {
    local wanted=$1 commands=$2 status=0
    shift 2
    printf '%s\n' $commands | timeout 100 "$@" >out 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(cat out)"
}

# token_in: the token of the report in `out`.
token_in() { sed -n 's/.*replay[ =]\(rdl1[^ ]*\).*/\1/p' out | head -n 1; }

# ---- A test with threads ---------------------------------------------------------------------

"$BUILD/zoo/schedules" --filter =deposits_add_up >out || true
token=$(token_in)
step=("$BUILD/zoo/schedules" --replay "$token" --step)

walk 1 q "${step[@]}"
says '0  main: creates a thread'
says '->   '
lacks '1  main: creates'
walk 1 'n n n b' "${step[@]}"
says '2  main: waits for the end of one'
says '3  one: starts'
[ "$(grep -c '^2  main: ' out)" = 2 ] || fail "not back:" "$(cat out)"

# There and back again: what is shown is the same, the other way round.
count=$(walk 1 G "${step[@]}"; grep -o '^[0-9][0-9]*  ' out | tail -n 1 | tr -d ' ')
walk 1 "$(yes n | head -n "$count")" "${step[@]}"
grep '^[0-9]' out >forwards
walk 1 "G $(yes b | head -n "$count")" "${step[@]}"
grep '^[0-9]' out | tail -n +2 | tac >backwards
cmp forwards backwards || fail "$(diff forwards backwards)"

walk 1 's 8 t f b' "${step[@]}"
says 'two: locks mutex lock'
says 'main waits for the end of one'
says 'rdl_check_eq(balance, 20)'
walk 1 '/interrupt /unlock / /nonsense x 1000 h' "${step[@]}"
says 'one: unlocks mutex lock'
says "nothing has 'nonsense' in it"
says "what is 'x'?"
says 'the last moment is'
says 'NUMBER                   what happened at that moment'

# raddle replay takes the program of tests.
walk 1 'n' "$raddle" replay "$token" --step -- "$BUILD/zoo/schedules"
says '1  main: creates a thread'

# ---- Calls of a spec: the model, who is in which call ----------------------------------------

"$BUILD/specs/resource" --filter '=always_wrong' >out || true
token=$(token_in)
walk 1 'n n n f' "$BUILD/specs/resource" "--replay=$token" --step
says 'before   {free = '
says 'in       '
says 'a call waits that could go on'

# A case without either, and options that do not go together.
"$BUILD/zoo/faults" --filter =fails_a_check >out || true
walk 1 n "$BUILD/zoo/faults" --replay "$(token_in)" --step
says 'there are neither threads nor calls'
says 'rdl_check_lt(n, 300)'
walk 2 n "$BUILD/zoo/faults" --step
says '--step goes with --replay'

# ---- A program that knows nothing of Raddle --------------------------------------------------

cat >bank.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *deposit(void *unused)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, deposit, NULL);
    pthread_create(&two, NULL, deposit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(balance == 2);
    if (getchar() != EOF)
        puts("input");
    return 0;
}
END
${CC:-gcc} -g -pthread bank.c -o bank
"$raddle" explore -- ./bank >out 2>&1 </dev/null && fail 'nothing was found'
token=$(token_in)
walk 1 'n n f' "$raddle" replay "$token" --step
says 'main: creates a thread'
says 'assert(balance == 2);'
! grep -q '^input' out || fail 'it reads the commands'

# ---- A token of raddle grade -----------------------------------------------------------------

mkdir spec
cat >spec/pool.h <<'END'
int pool_add(int n);
END
cat >spec/spec.c <<'END'
#include <raddle.h>

#include "pool.h"

static void add(void *unused)
{
    (void)unused;
    pool_add(1);
}

RDL_EXPLORE(adds_up, .cases = 200)
{
    int before = pool_add(0);
    struct rdl_thread *one = rdl_spawn(t, "one", add, NULL);

    pool_add(1);
    rdl_join(one);
    rdl_check_eq(pool_add(0) - before, 2);
}

RDL_MAIN
END
cat >wrong.c <<'END'
#include <pthread.h>

#include "pool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

int pool_add(int n)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = total;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    total = seen + n;
    pthread_mutex_unlock(&lock);
    return seen + n;
}
END
"$raddle" grade --seed 1 --spec spec wrong.c >out && fail 'it passes'
token=$(token_in)
walk 1 'n f' "$raddle" grade --spec spec wrong.c --replay "$token" --step --trace trace.json
says 'one'
says 'rdl_check_eq(pool_add(0) - before, 2)'
python3 -c 'import json; assert json.load(open("trace.json"))["traceEvents"]'
walk 2 n "$raddle" grade --spec spec wrong.c --step

# ---- In a terminal ---------------------------------------------------------------------------

"$BUILD/zoo/schedules" --filter =deposits_add_up >out || true
TOKEN=$(token_in) TERM=xterm python3 - <<'END'
import fcntl, os, pty, re, signal, struct, sys, termios

program = os.environ["BUILD"] + "/zoo/schedules"


class Terminal:
    """What a program draws on a terminal; only as much of it as it may use."""

    def __init__(self, rows, columns, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(command[0], command)
        self.before = termios.tcgetattr(self.fd)
        self.lines, self.at, self.raw, self.left = [""], (0, 0), "", ""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.columns = columns
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def put(self, part):
        row, column = self.at
        while len(self.lines) <= row:
            self.lines.append("")
        line = self.lines[row]
        if part == "\x1b[H":
            self.at = 0, 0
        elif part == "\x1b[K":
            self.lines[row] = line[:column]
        elif part == "\x1b[J":
            self.lines[row] = line[:column]
            del self.lines[row + 1:]
        elif part == "\r":
            self.at = row, 0
        elif part == "\n":
            self.at = row + 1, column
        elif part[0] != "\x1b":
            self.lines[row] = line.ljust(column)[:column] + part + line[column + len(part):]
            self.at = row, column + len(part)

    def read(self):
        """More of what it draws; False: it has ended."""
        try:
            more = os.read(self.fd, 65536).decode()
        except OSError:
            return False
        self.raw += more
        self.left += more
        whole = re.sub(r"\x1b(\[[?0-9;]*)?$", "", self.left)
        self.left = self.left[len(whole):]
        for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", whole):
            self.put(part)
        return True

    def shows(self, *texts):
        while not all(any(text in line for line in self.lines) for text in texts):
            if not self.read():
                sys.exit(f"run_step.sh: {texts} never come, but\n" + "\n".join(self.lines))
        return self.lines

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def end(self, status):
        while self.read():
            pass
        seen = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if seen != status or self.raw.rstrip().endswith("\x1b[?1049l") is False:
            sys.exit(f"run_step.sh: status {seen}, and the end is {self.raw[-80:]!r}")


def start(rows=24, columns=80):
    return Terminal(rows, columns, program, "--color=never", "--replay", os.environ["TOKEN"],
                    "--step")


terminal = start()
terminal.shows("> ", "0  main: creates a thread", "q quit")
terminal.type("\x1b[C \r")  # right, space, Enter
terminal.shows("3  one: starts")
terminal.type("\x1b[Db")
terminal.shows("1  main: creates a thread")
terminal.type("99\x7f\x7f10\r")
terminal.shows("10  two: locks mutex lock", "-- interrupted --")
terminal.type("/unl\rh")
lines = terminal.shows("what happened at that moment")
if len(lines) > 24 or max(map(len, lines)) > 80:
    sys.exit("run_step.sh: it does not fit:\n" + "\n".join(lines))
terminal.resize(15, 50)
terminal.type("f")
lines = terminal.shows("main: rdl_check_eq(balance, 20)")
terminal.type("n")
lines = terminal.shows("this is the end")
if len(lines) > 15 or max(map(len, lines)) > 50:
    sys.exit("run_step.sh: it does not fit:\n" + "\n".join(lines))
terminal.type("q")
terminal.end(1)
if "\x1b[?1049h" not in terminal.raw:
    sys.exit("run_step.sh: not on a screen of its own")

# However it is ended, the terminal is as it was.
for how in "\x03", "\x04", signal.SIGTERM, signal.SIGHUP:
    terminal = start()
    terminal.shows("q quit")
    if termios.tcgetattr(terminal.fd)[3] & termios.ICANON:
        sys.exit("run_step.sh: keys come by lines")
    if isinstance(how, str):
        terminal.type(how)
    else:
        os.kill(terminal.pid, how)
    terminal.end(-signal.SIGHUP if how == signal.SIGHUP else 1)

# A terminal that can do nothing gets lines.
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.execv(program, [program, "--replay", os.environ["TOKEN"], "--step"])
os.write(fd, b"n\nq\n")
seen = b""
try:
    while more := os.read(fd, 4096):
        seen += more
except OSError:
    pass
if b"\x1b" in seen or b"1  main: creates a thread" not in seen:
    sys.exit(f"run_step.sh: on a dumb terminal: {seen!r}")
END
