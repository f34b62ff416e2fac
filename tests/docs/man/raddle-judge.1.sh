cat >queue_spec.c <<'END'
#include <raddle/spec.h>

struct cell { int value; };

RDL_TYPES(cell, struct cell, void);
RDL_EXTERN_OP(cell, write, struct cell);
RDL_POST(cell, write, *s = *a);
RDL_OP(cell, write, struct cell, .post = cell_write_post);
RDL_EXTERN_OP_RETURNS(cell, read, struct rdl_nothing, int);
RDL_POST_RETURNS(cell, read, *r = s->value);
RDL_OP_RETURNS(cell, read, struct rdl_nothing, int, .post = cell_read_post);
RDL_SPEC(cell, RDL_OPS(cell, write, read));
END
cc -shared -fPIC -o register.so queue_spec.c $(pkg-config --cflags raddle)
printf '%s\n' 'alice call write 1' 'bob call read' 'alice return' 'bob return 2' >history
printf '%s\n' '1 invoke write 3' '2 invoke read' '1 ok write 3' '2 ok read 3' '1 invoke read' \
    '1 fail read' '2 invoke write 4' '2 info write 4' >log
