#!/usr/bin/env bash
# run_completion.sh -- what bash and zsh complete is what raddle --help and the --help of each
# command and of test programs say that there is.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH=$BUILD/bin:$PATH
queue=$BUILD/examples/queue
mkdir "$scratch/folder"
touch "$scratch/folder/file.c"
cd "$scratch"
. "$SOURCE/completions/raddle.bash"

fail() {
    echo "run_completion.sh: $*" >&2
    exit 1
}

# What bash is told of "WORD... WORD", the last being the one at the cursor.
bash_completes() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    if [ "$1" = raddle ]; then _raddle; else _raddle_tests; fi
    printf '%s\n' "${COMPREPLY[@]}"
}

# The same for zsh, with functions of its own that print what they are given.
cat >stub.zsh <<'END'
_describe() { local -a it=(${(P)2}); print -l -- ${it%%:*} }
_files() { print -- files $* }
words=("$@") CURRENT=$#
. $SOURCE/completions/_raddle
END
zsh_completes() { zsh -f stub.zsh "$@"; }

# same WHAT SHELL-FUNCTION WANTED WORD...: these and no others.
same() {
    local shell=$1 wanted=$2
    shift 2
    [ "$("$shell" "$@" | sort)" = "$(sort <<<"$wanted")" ] ||
        fail "$shell of '$*': $("$shell" "$@" | tr '\n' ' ')"
}

commands=$(raddle --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(wc -l <<<"$commands")" -ge 11 ] || fail "raddle --help names few commands: $commands"
same bash_completes "$commands"$'\n--help\n--version' raddle ''
same bash_completes "$commands" raddle help ''
same zsh_completes "$commands" raddle ''
same zsh_completes "$commands" raddle help ''
same bash_completes explore raddle expl

for command in $commands; do
    options=$(raddle "$command" --help | grep -o '^  --[a-z-]*' | tr -d ' ' || true)
    [ "$command" != explore ] || [ "$(wc -l <<<"$options")" -gt 20 ] || fail "few: $options"
    same bash_completes "$options" raddle "$command" --
    same zsh_completes "$options" raddle "$command" --
done
options=$("$queue" --help | grep -o '^  --[a-z-]*' | tr -d ' ')
same bash_completes "$options" "$queue" --
same zsh_completes "$options" "$queue" --
same bash_completes --shard "$queue" --shar
same bash_completes "$options" raddle run "$queue" -- --

# What options take.
for shell in bash_completes zsh_completes; do
    same $shell $'auto\nalways\nnever' raddle explore --color ''
    same $shell "$("$queue" --list)" "$queue" --filter ''
    same $shell "$("$queue" --list)" raddle run "$queue" -- --filter ''
done
same bash_completes $'human\ntap\njunit\njson' "$queue" --format ''
same bash_completes $'human\njson' raddle grade --format ''
same bash_completes $'wakeups\ntimeouts\ntrylocks' raddle explore --faults ''
same bash_completes folder/file.c "$queue" --html folder/
same bash_completes folder raddle grade --spec ''
same bash_completes folder raddle grade --spec = fol
same bash_completes --verbose "$queue" --quiet --verb
same bash_completes folder/file.c raddle explore -- ls folder/
same zsh_completes 'files -/' raddle grade --spec ''
same zsh_completes files raddle grade ''
same zsh_completes files raddle explore -- ./prog --
