/* modules.h -- programs and libraries in memory.
 *
 * A process that runs cases may load libraries that the process which reports on them
 * never sees.  So it notes those that matter, in memory that both share. */
#ifndef RDL__MODULES_H
#define RDL__MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rdl__module {
    uintptr_t start, end;
    uintptr_t bias; /* to be added to addresses in the file */
    char path[256];
};

enum { RDL__MODULES_MAX = 16 };

struct rdl__modules {
    uint32_t count;
    struct rdl__module items[RDL__MODULES_MAX];
};

/* Note the module that this code lies in, if it is new and there is room.  May be
 * called in a signal handler. */
void rdl__modules_note(struct rdl__modules *modules, uintptr_t pc);

/* Where the module begins that this lies in, code or data: one of this process, or of
 * these; 0: none. */
uintptr_t rdl__module_start(const struct rdl__modules *modules, uintptr_t address);

/* Is this module in this process, at the same place? */
bool rdl__module_is_here(const struct rdl__module *module);

/* Is this the path of the library "libm.so", of whatever version?  libm.so.6 is, libm.sound.so is
 * not.  A name that does not end in ".so" is that of a family: "libnss_". */
bool rdl__module_is_named(const char *path, const char *name);
bool rdl__module_is_one_of(const char *path, const char *const *names, size_t count);

/* Is this the path of the C library, of a library that comes with a compiler, or of one that
 * Raddle itself loads?  Their state belongs to the process, not to the test.  (C++'s library
 * counts as the program's: most of its code works for the caller.) */
bool rdl__module_is_runtime(const char *path);

#endif
