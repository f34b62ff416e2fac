#!/usr/bin/env bash
# run_graded.sh -- raddle grade says of each implementation in examples/ what the first line
# of that does: `broken: CLASS` fails, with that class; `correct` passes.
# How long a broken one is searched does not depend on the machine: cases are counted.
# ctest: long
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch NO_COLOR=1
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done
cd "$SOURCE"

# What is to come of them: file, verdict, class or null.
expected() {
    for file in "$@"; do
        sed -nE -e "1s|^/\* broken: ([a-z-]+):.*|$file fail \"\1\"|p" \
            -e "1s|^/\* correct: .*|$file pass null|p" "$file"
    done
}

# grade FILE...: what becomes of them, with $options, in graded.
grade() {
    # Some fail, so its status is 1.
    "$BUILD/bin/raddle" grade --format json --jobs 2 --seed 1 "${options[@]}" "$@" \
        >>"$scratch/graded" 2>"$scratch/said" || [ $? = 1 ] || {
        cat "$scratch/said" >&2
        exit 1
    }
}

# named WORD: the files of which the first line says so.
named() {
    sed -n "s/ $1 .*//p" "$scratch/expected"
}

rows=0
for spec in examples/*/implementations examples/autosar/*/implementations; do
    folder=${spec%/implementations} options=(--spec "$folder")
    [ "${folder#examples/autosar}" = "$folder" ] || options+=(-I examples/autosar/include)
    expected "$spec"/*.c >"$scratch/expected"
    [ "$(wc -l <"$scratch/expected")" = "$(ls "$spec"/*.c | wc -l)" ] || {
        echo "run_graded.sh: $spec: there is one that does not say what it is" >&2
        exit 1
    }
    : >"$scratch/graded"
    broken=$(named fail) correct=$(named pass)
    [ -z "$broken" ] || grade $broken
    options+=(--time 1)
    [ -z "$correct" ] || grade $correct
    sed -nE 's/^\{"file":"([^"]*)","verdict":"([a-z]*)","class":("[a-z-]+"|null),.*/\1 \2 \3/p' \
        "$scratch/graded" | LC_ALL=C sort >"$scratch/seen"
    diff <(LC_ALL=C sort "$scratch/expected") "$scratch/seen" >&2 || {
        echo "run_graded.sh: $spec: < is expected, > is seen" >&2
        exit 1
    }
    rows=$((rows + $(wc -l <"$scratch/seen")))
done
[ $rows -ge 80 ] || {
    echo "run_graded.sh: only $rows implementations were found" >&2
    exit 1
}
echo "$rows implementations are graded as they should be"
