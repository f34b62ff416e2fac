/* mock.h -- mocked functions; between the files of this folder. */
#ifndef RDL__MOCK_H
#define RDL__MOCK_H

#include <stdint.h>

#include "raddle/mock.h"

/* ---- What was declared: declared.c -------- */

/* NULL: nothing of that name. */
const struct rdl__declared *rdl__declared_as(const char *name);

/* The test is wrong, as this call shows; outside of a case, that is said, and the program ends. */
_Noreturn void rdl__mock_misuse(uintptr_t caller, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
