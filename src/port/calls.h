/* calls.h -- code that makes system calls itself, without the C library.
 *
 * Some libraries have the instruction in their own code: libgomp, for one.  The kernel
 * can be told to hand such calls back to the process ("syscall user dispatch"), with the
 * exception of one stretch of code, for which there is the C library's. */
#ifndef RDL__CALLS_H
#define RDL__CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rdl__calls {
    uintptr_t libc_start, libc_size; /* the C library's code */
    const void *door;                /* code in it that makes a system call; with a maker */
    char maker[64];                  /* a module that makes system calls itself; "": none does */
    bool waits;                      /* it seems to wait for futexes */
};

/* If set: is this code ours?  In the midst of our instructions there are bytes that look like a
 * system call, more of them the farther away our variables are. */
extern bool (*rdl__calls_is_own)(uintptr_t pc);

/* Look at the modules that have been loaded since this was called last; all that is
 * known of all is in *calls. */
void rdl__calls_look(struct rdl__calls *calls);

bool rdl__is_in_valgrind(void);

/* Can the kernel tell who makes a call?  In valgrind, all calls are made by that. */
bool rdl__calls_can_be_told(void);

/* Is this code next to the C library, rather than the program's: the loader, the kernel's
 * own, a sanitizer? */
bool rdl__calls_is_system(uintptr_t pc);

#endif
