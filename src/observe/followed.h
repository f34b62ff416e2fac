/* followed.h -- which process was explored, if it was not the one that the user named.
 *
 * `raddle explore -- timeout 5 ./bank` explores ./bank.  The report says so, and says which other
 * processes with threads were not explored; each of those is also a fact that limits a claim
 * (RDL__LIMIT_PROCESS). */
#ifndef RDL__FOLLOWED_H
#define RDL__FOLLOWED_H

#include <stdbool.h>
#include <stddef.h>

struct rdl__followed {
    const char *program;    /* that was explored, as it was called: "./bank" */
    const char *started_by; /* that executed it, or that it is a copy of: "timeout"; "": nobody */
    bool is_copy;           /* by fork, without exec */
    char **others;          /* programs that had threads as well, or could not be followed */
    size_t other_count;
    bool input_is_cut; /* its standard input did not come to an end */
};

#endif
