/* interposed.c -- a program that controls threads gets all of our functions.
 *
 * From a static library a linker takes only what the program itself asks for.  But a
 * shared library that the program uses may call others, and would get those of the C
 * library.  So here they are all asked for; in assembly, as nothing but the names is
 * needed.  (For libraries to find them, the program has to export them: -rdynamic.) */
#include "control/sched/interposed.h"

#include "control/sched/inner.h"

#define ASK_FOR(name) ".quad " #name "\n"

__asm__(".pushsection .data.rel.ro.rdl__asked_for, \"aw\"\n" RDL__INTERPOSED(
    ASK_FOR) ".popsection\n");

const bool rdl__all_interposed = true;
