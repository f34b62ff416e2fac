/* export.c -- a script as a stand-alone C test. */
#include "drive/sequence.h"

bool rdl__export_script(struct rdl__text *out, const struct rdl__script *script, const char *path,
                        struct rdl__error *error)
{
    (void)out, (void)script, (void)path;
    return rdl__fail(error, "not yet");
}
