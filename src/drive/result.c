/* result.c -- answers of earlier calls, for arguments of later ones. */
#include "case/case.h"
#include "raddle/spec.h"

const void *rdl__result(rdl_ref ref, size_t size, const char *file, int line)
{
    (void)size;
    rdl__misuse(rdl__current, "%s:%d: rdl_result: there is no call #%u", file, line, ref);
}
