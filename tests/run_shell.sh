#!/usr/bin/env bash
# Claim: in `raddle shell` calls are made by hand, to an implementation or to the spec alone; it
# says who has returned, who waits and why, what could be called, and what the spec does not
# explain; calls are undone, saved and made again, those of tokens, too; what is misspelt is told.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77 # a sanitized library needs sanitized programs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done
cd "$SOURCE"
raddle=$BUILD/bin/raddle
of=examples/warehouse/implementations

fail() {
    echo "run_shell.sh: $*" >&2
    exit 1
}

# talk ARGUMENT... <<END: what is said, in $scratch/out
talk() {
    status=0
    timeout 100 "$raddle" shell "$@" >"$scratch/out" 2>&1 || status=$?
}
says() {
    grep -qF -e "$1" "$scratch/out" || fail "no '$1' in" "$(cat "$scratch/out")"
}

# ---- The spec alone ------------------------------------------------------------------------------

talk --spec examples/warehouse <<END
help
0: enter(n = 0, weight = 600)
1 enter 0 600
who
state
allowed
allowed 2: enter(n = 0, weight = 500)
0: exti(n = 0, weight = 600)
stat
12: enter(n = 0, weight = 1)
1: enter(n = 0, weight = 1)
2: enter(n = 9, weight = 1)
4: exit(n = 0, weight = 1)
2: enter(n = zero)
2: enter(n = 0, weight = 100) || 3: enter(n = 0, weight = 200)
2: exit(n = 0, weight = 100) || 2: enter(n = 0, weight = 1)
# a comment

undo
calls
save $scratch/calls
quit
END
[ $status = 0 ] || fail "status $status:" "$(cat "$scratch/out")"
says "warehouse, as the spec has it; clients 0 to 9."
says "Clients are 0 to 9, operations of warehouse, with zeros for arguments:"
says "  exit(n = 0, weight = 0)"
says "  0 returns from enter(n = 0, weight = 600)"
says "  1 waits in enter(n = 0, weight = 600): its cpre does not hold"
says "  {weight = [600, 0, 0, 0], occupied = [false, false, false, false]}"
says "  client 0: {step = 1, weight = 600}"
says "  0: exit(n = 0, weight = 600) can go on"
says "  2: enter(n = 0, weight = 500) would wait: its cpre does not hold"
says "warehouse has no operation 'exti' (\`help\` shows all); did you mean exit?"
says "'stat' is no command, and no call (\`help\` shows what there is); did you mean state?"
says "there is no client 12, only 0 to 9"
says "client 1 waits in enter(n = 0, weight = 600)"
says "enter must not be called like that: its pre does not hold"
says "client 4 must not call exit now: its may does not hold"
says "  3 returns from enter(n = 0, weight = 200)"
says "client 2 cannot make two calls at once"
says "  taken back: 2: enter(n = 0, weight = 100) || 3: enter(n = 0, weight = 200)"
printf '%s\n' '0: enter(n = 0, weight = 600)' '1 enter 0 600' | cmp - "$scratch/calls" ||
    fail "other calls are saved"

# What was saved can be said again.
talk --spec examples/warehouse <"$scratch/calls"
says "  1 waits in enter(n = 0, weight = 600): its cpre does not hold"

# A policy has its say.
talk --spec examples/readers_writers <<END
0: before_read()
1: before_write()
2: before_read()
END
says "  1 waits in before_write(): its cpre does not hold"
says "  2 waits in before_read(): its cpre holds, but the policy does not let it go on"

# ---- An implementation ---------------------------------------------------------------------------

talk --spec examples/warehouse $of/if_instead_of_while.c <<END
0: enter(n = 0, weight = 1100)
1: enter(n = 0, weight = 100)
save $scratch/failed.c
who
1: enter(n = 0, weight = 200) || 2: enter(n = 0, weight = 300)
restart
calls
END
says "warehouse, the implementation;"
says "  a call has returned that the spec does not allow to"
says "but enter(n = 0, weight = 1100) has to wait: its cpre does not hold"
says "  so this is taken back: 1: enter(n = 0, weight = 100)"
[ "$(grep -c 'does not allow to' "$scratch/out")" = 2 ] || fail "it fails twice"

# The failing calls are a program, too.
${CC:-gcc} -g -O1 -I. -Iinclude -c -o "$scratch/failed.o" "$scratch/failed.c"
"$raddle" cc -w -g -O1 -Iexamples/warehouse -o "$scratch/failed" "$scratch/failed.o" \
    $of/if_instead_of_while.c
status=0
"$scratch/failed" >"$scratch/out" 2>&1 || status=$?
[ $status = 1 ] || fail "status $status:" "$(cat "$scratch/out")"
says "a call has returned that the spec does not allow to"

# One that crashes, and one that ends the program, are there again with the next line.
talk --spec examples/warehouse $of/falls_off_the_end.c <<END
0: enter(n = 3, weight = 100)
0: exit(n = 3, weight = 100)
calls
END
says "> calls"
talk --spec examples/warehouse $of/calls_exit.c <<END
0: enter(n = 0, weight = 1100)
0: enter(n = 0, weight = 100)
calls
END
says "> calls"

# One that does not come back is ended.
mkdir "$scratch/spins"
cat >"$scratch/spins/spec.c" <<'END'
#include <raddle.h>

void spin(int really);

struct rest {
    int really;
};
RDL_TYPES(top, struct rdl_nothing, void);
RDL_EXTERN_OP(top, turn, struct rest);
RDL_ARGS(top, turn, a->really = (int)rdl_int(t, 0, 1));
RDL_DO(top, turn, spin(a->really));
RDL_OP(top, turn, struct rest, .args = top_turn_args, .call = top_turn_call);

static void *create(struct rdl_case *t, const struct rdl_nothing *s)
{
    (void)s;
    return t;
}

RDL_SPEC(top, RDL_OPS(top, turn), .create = create);
RDL_TEST_RESOURCE(it_turns, top, .timeout_ms = 2000);
END
echo 'void spin(int really) { while (really) __asm__ volatile(""); }' >"$scratch/spin.c"
talk --spec "$scratch/spins" "$scratch/spin.c" <<END
0: turn(0)
1: turn(1)
calls
END
says "it has not come to an end after 2 s"
says "so this is taken back: 1: turn(1)"
says "> calls"

# The calls of a token, up to its last phase.
"$raddle" grade --spec examples/warehouse --seed 1 $of/if_instead_of_while.c \
    >"$scratch/grade" || true
token=$(grep -o 'rdl1\.[A-Za-z0-9_.-]*' "$scratch/grade" | head -1)
talk --spec examples/warehouse $of/if_instead_of_while.c <<END
replay $token
calls
replay ${token}x
who
END
says "  so this is taken back: 1: enter(n = 0, weight = 100)"
says "  0: enter(n = 0, weight = 1100)"
says "the token is damaged"
says "> who"

# ---- What cannot be ------------------------------------------------------------------------------

refused() {
    said=$1
    shift
    talk "$@" </dev/null
    [ $status = 2 ] || fail "$*: status $status"
    says "$said"
}
refused "which spec?  raddle shell --spec DIRECTORY"
refused "unknown option --sped" --sped x
refused "no test matches" --spec examples/warehouse --test nonsense
refused "An implementation is a .c, .so, .o or .a file" --spec examples/warehouse README.md
echo "calls by hand are made, judged, undone and kept"
