/* generated.h -- what is known of a generated function, between its library and the driver. */
#ifndef TESTS_PROTOTYPES_GENERATED_H
#define TESTS_PROTOTYPES_GENERATED_H

#include <stddef.h>
#include <stdint.h>

struct generated_type {
    size_t size;
    void (*make)(void *out, uint64_t number);
    uint64_t (*fold)(const void *value);
};

struct generated {
    const char *name;
    void *function;
    void *pointer;                     /* a variable that points to it */
    uint64_t (*call)(uint64_t number); /* argument i is made of number + i; what it returns */
    unsigned count;
    struct generated_type parameters[12];
    struct generated_type result; /* size 0 without functions: none */
};

extern const struct generated generated[];
extern const unsigned generated_count;
extern uint64_t seen; /* what a function without a result made of its arguments last */

#endif
