/* tls.h -- thread-local variables as a new thread would find them. */
#ifndef RDL__TLS_H
#define RDL__TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The thread-local variables of one module, in one thread. */
struct rdl__tls_block {
    void *at;
    const void *image; /* what they begin with; zeroes come after it */
    size_t image_size, size;
};

enum { RDL__TLS_BLOCKS_MAX = 64 };

struct rdl__tls {
    struct rdl__tls_block blocks[RDL__TLS_BLOCKS_MAX];
    int count;
    bool incomplete; /* some module's are not there yet: they come when first used */
    bool sanitizers_too;
    unsigned generation; /* rdl__tls_generation when this was found */
};

/* Goes up when a module may have been loaded or unloaded. */
extern unsigned rdl__tls_generation;

/* Of the thread that calls: give its variables the values they began with.  The
 * C library's own stay; so do those of sanitizers, unless these are told of each thread
 * that is made to begin here. */
void rdl__tls_reset(struct rdl__tls *tls, bool sanitizers_too);

#endif
