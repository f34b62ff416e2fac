#!/usr/bin/env bash
# run_docs.sh -- what the documents say is so:
#   a block under a line `<!-- examples/queue.c -->` stands in that file, word for word;
#   `console` blocks, run from top to bottom in a folder of their document's own, with the
#   examples in it, what is in docs/NAME/ and in FOLDER of `<!-- files: FOLDER -->`, print what
#   is shown (times and luck may differ);
#   the commands of `sh` blocks, run there, succeed; or `<!-- run by: tests/run_X.sh -->` says
#   who else runs them (tests/docs/documents.py has the few that are not run);
#   in a document that has any, every block of C has a file;
#   links between documents, and to their sections, lead somewhere;
#   man pages have all their sections, cause no warnings, leave out no option and no name, and
#   make up none; their commands run, and what is shown of them is printed; their C compiles
#   (tests/docs/man has what it takes).
# With ACCEPT=1 the console blocks are rewritten to show what is printed now.  ONLY="docs/a.md"
# checks these documents only.
# ctest: long
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What a user has: a compiler, and a Raddle that pkg-config knows.
sanitize=${SANITIZE:+-fsanitize=address,undefined -fno-sanitize-recover=all}
mkdir -p "$scratch/bin"
cat >"$scratch/bin/cc" <<END
#!/bin/sh
exec ${CC:-gcc} -g -Wall -Wextra -Werror $sanitize "\$@"
END
chmod +x "$scratch/bin/cc"
export PKG_CONFIG_PATH=$BUILD/pkgconfig # the library just built
export PATH=$scratch/bin:$BUILD/bin:$PATH SCRATCH=$scratch
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done

export PYTHONDONTWRITEBYTECODE=1
if [ -n "${ONLY:-}" ]; then
    case $ONLY in
    *.md) python3 "$SOURCE/tests/docs/documents.py" ;;
    *) python3 "$SOURCE/tests/docs/pages.py" ;;
    esac
    exit
fi
status=0
python3 "$SOURCE/tests/docs/documents.py" || status=1
python3 "$SOURCE/tests/docs/pages.py" || status=1
exit $status
