#!/usr/bin/env bash
# run_mutate.sh -- mutation testing: which mutants a file has, and that tests kill some of them.
set -eu
cd "$SOURCE"
command -v python3 >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/sample.c" <<'END'
#include <assert.h>
enum { SIZE = 4 };
static int all = 5;
/* not here: 1 < 2 */
static int count(const int *xs, int n)
{
    static int calls = 0;
    int found = 0;

    assert(n >= 0);
    for (int i = 0; i < n; i++)
        if (xs[i] > 3 && !hidden(i))
            found++;
    note("a < b", found);
    return found;
}
END
cat >"$folder/wanted" <<'END'
8 int found = 1;
11 for (int i = 1; i < n; i++)
11 for (int i = 0; i <= n; i++)
11 for (int i = 0; i >= n; i++)
12 if (!(xs[i] > 3 && !hidden(i)))
12 if (xs[i] >= 3 && !hidden(i))
12 if (xs[i] <= 3 && !hidden(i))
12 if (xs[i] > 4 && !hidden(i))
12 if (xs[i] > 3 || !hidden(i))
12 if (xs[i] > 3 )
12 if (xs[i] > 3 && hidden(i))
13 ;
13 found--;
14 ;
END
python3 -B - "$folder/sample.c" >"$folder/found" <<'END'
import sys
sys.path.insert(0, "tests")
from mutants.changes import mutants
for mutant in mutants(sys.argv[1]):
    print(mutant.line, mutant.after)
END
diff "$folder/wanted" "$folder/found"

# Most mutants of a small file are killed.
status=0
python3 tests/mutate.py --folder src/shrink/tree.c --count 3 --seed 4 --jobs 1 "$BUILD" \
    >"$folder/first" || status=$?
[ "$status" -le 1 ]
grep -q 'killed  survived  equivalent' "$folder/first"
[ "$(grep -c 'src/shrink/tree.c:.* test_' "$folder/first")" -ge 2 ]
echo "mutants are what they should be, and tests kill them"
