/* follow.h -- processes on the way to the one that is controlled.
 *
 * A program may start the program that is to be explored.  Until that one takes over
 * (cli/program/follow.h), the processes on the way run free; they are followed by these
 * functions, which are called where a process creates threads, copies itself or executes
 * another program. */
#ifndef RDL__FOLLOW_H
#define RDL__FOLLOW_H

#include <stdbool.h>

/* The program that a process is about to execute, as execveat names it. */
struct rdl__execution_of {
    int folder;
    const char *file;     /* "": what `folder` is open on */
    bool is_searched_for; /* along PATH, if it has no slash */
    bool in_new_process;
};

struct rdl__follower {
    /* The process is about to create a thread. */
    void (*creates)(void);

    /* It is about to be copied; and this is the copy.  The latter may return as the first thread
     * of an execution, again and again. */
    void (*forks)(void);
    void (*is_copy)(void);

    /* It is about to execute a program: the environment that the program gets, to be freed with
     * one free(). */
    char **(*executes)(const struct rdl__execution_of *what, char *const *environment);
    void (*fails)(void); /* it could not be executed */
};

/* NULL: this process is not followed. */
extern const struct rdl__follower *rdl__follower;

static inline void rdl__follow_thread(void)
{
    if (__builtin_expect(rdl__follower != NULL, 0))
        rdl__follower->creates();
}

/* exec.c: execve or execveat, by number. */
long rdl__execute_by_number(long number, const long *arguments);

#endif
