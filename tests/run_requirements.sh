#!/usr/bin/env bash
# Claim: requirements are known, reached or not, wherever a line speaks of them: in several
# files of a program, in its shared libraries, with what is not needed left out by the linker,
# compiled by gcc and by clang; those that find no room are told.
set -u
# A library without sanitizers would be loaded into a program with them.
[ -z "${SANITIZE:-}" ] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
complain() {
    echo "FAILED: $1"
    cat out
    failed=1
}

cat >library.c <<'END'
#include <raddle.h>
RDL_REQUIREMENT("LIB_TEXT", "Said in a library.");
void library_does(int n);
void library_does(int n)
{
    rdl_requirement("LIB_MET");
    if (n < 0)
        rdl_requirement("LIB_NEVER");
}
END
cat >other.c <<'END'
#include <raddle.h>
RDL_REQUIREMENT("OTHER_TEXT", "Said in another file.");
void other_does(int n);
void other_does(int n)
{
    if (n > 5)
        rdl_requirement("OTHER_MET");
    if (n > 500)
        rdl_requirement("OTHER_NEVER");
}
END
cat >program.c <<'END'
#include <raddle.h>
void library_does(int n);
void other_does(int n);
RDL_PROPERTY(all_of_them)
{
    int n = rdl_int(t, 0, 9);
    library_does(n);
    other_does(n);
}
RDL_MAIN
END
{
    echo '#include <raddle.h>'
    for i in $(seq 1 520); do echo "RDL_REQUIREMENT(\"R$i\", \"number $i\");"; done
    echo 'RDL_PROPERTY(none_of_them) { }'
    echo 'RDL_MAIN'
} >many.c

flags=(-g -O2 -Wall -Wextra -Werror -I"$SOURCE/include" -ffunction-sections -fdata-sections)
link=("-L$BUILD/lib" -lraddle "-Wl,-rpath,$BUILD/lib" -Wl,--gc-sections)
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" "${flags[@]}" -fPIC -shared -o library.so library.c "${link[@]}" &&
        "$compiler" "${flags[@]}" -o program program.c other.c ./library.so "${link[@]}" &&
        "$compiler" "${flags[@]}" -o many many.c "${link[@]}" || { failed=1; continue; }
    ./program --regressions none --seed 1 --requirements >out 2>&1 || complain "$compiler: status"
    never='LIB_NEVER, LIB_TEXT, OTHER_NEVER, OTHER_TEXT'
    grep -q "requirements: 2 of 6 exercised; never: $never" out ||
        complain "$compiler: not all are known"
    grep -A3 'OTHER_MET' out | grep -q 'n = 6$' ||
        complain "$compiler: the smallest case is another"
    ./many --regressions none --seed 1 >out 2>&1 || complain "$compiler: status of many"
    grep -q 'warning: 8 requirements found no room: at most 512 are counted' out ||
        complain "$compiler: the missing ones are not told"
done
[ "$failed" -eq 0 ]
