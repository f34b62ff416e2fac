cc -o test_queue examples/queue.c $(pkg-config --cflags --libs raddle)
cc -o test_tree examples/tree.c $(pkg-config --cflags --libs raddle)
mkdir -p build/tests
cat >slow.c <<'END'
#include <raddle.h>
RDL_PROPERTY(takes_long, .tags = "slow") { rdl_check_le(rdl_int(t, 0, 9), 9); }
RDL_MAIN
END
cc -o build/tests/slow slow.c $(pkg-config --cflags --libs raddle)
