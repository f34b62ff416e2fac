/* memory.h -- the code that test_memory.c runs: blocks of the heap, used rightly and wrongly. */
#ifndef TESTS_INSTRUMENTED_MEMORY_H
#define TESTS_INSTRUMENTED_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* What a step of a program does with the block at `at`, or with the one at `other`. */
enum doing {
    ALLOCATE,
    ALLOCATE_ZEROED,
    ALLOCATE_ALIGNED,
    RESIZE,
    FREE,
    READ,
    WRITE,
    COPY,       /* from other, by memcpy */
    MOVE,       /* by memmove */
    SET,        /* by memset */
    COMPARE,    /* with other */
    COPY_TEXT,  /* from other, by strcpy */
    MEASURE,    /* by strlen */
    PRINT,      /* so many characters, and the end, by snprintf */
    RECEIVE,    /* by read, from a pipe that has so many bytes */
    READ_BLOCK, /* by fread */
    EXCHANGE,   /* atomically */
    DOINGS,
};

struct step {
    enum doing doing;
    char *at;
    const char *other;
    size_t size;
};

/* The stream that is read from, and the pipe. */
extern FILE *memory_stream;
extern int memory_pipe;

/* The block that was allocated, if any. */
char *memory_do(const struct step *step);

/* Two threads, one of which may use what the other has freed, though a lock orders them. */
void memory_ordered(void);

/* The same with nothing in between: it is a race, too. */
void memory_racing(void);

void memory_freed_by_both(void);
void memory_in_the_middle(void);
void memory_on_a_stack(void);
void memory_static(void);
void memory_resized(void);
void memory_of_calls(void); /* strdup, asprintf, getline, open_memstream: rightly */
void memory_of_strdup(void);
void memory_in_a_child(void);
void memory_bounds(void); /* functions that are told of more room than there is, and need less */
void memory_reused(void);
void memory_usable(void);

#endif
