/* history.h -- recorded histories, for raddle judge: who called what, and when it returned.
 *
 * Memory: all of a history lives in its arena, but for its arrays. */
#ifndef RDL__HISTORY_H
#define RDL__HISTORY_H

#include "base/memory.h"
#include "spec/spec.h"

enum rdl__fate {
    RDL__CALL_PENDING, /* it had not returned when the history ended */
    RDL__CALL_RETURNED,
    RDL__CALL_FAILED,  /* it had no effect: its events are left out */
    RDL__CALL_UNKNOWN, /* it may have had its effect, or have it later */
};

struct rdl__recorded {
    struct rdl_call call; /* numbered from 1, in the order of the calls */
    const char *client;
    void *answer;
    enum rdl__fate fate;
    uint32_t began, ended; /* lines; ended 0: it did not */
    int64_t key;           /* 0 if histories of this spec are not split */
};

enum rdl__told_kind { RDL__TOLD_CALL, RDL__TOLD_RETURN, RDL__TOLD_QUIET };

struct rdl__told {
    enum rdl__told_kind kind;
    uint32_t call; /* which of the calls */
    uint32_t line;
};

struct rdl__history {
    const char *file;
    struct rdl__recorded *calls;
    struct rdl__told *events; /* in the order in which they happened */
    size_t call_count, event_count, quiet_count;
    bool is_split; /* by key */
    struct rdl__arena arena;
};

/* "-": standard input.  False: error says what is wrong, in which line. */
bool rdl__history_read(struct rdl__history *h, const char *file, const struct rdl_spec *spec,
                       struct rdl__error *error);
void rdl__history_release(struct rdl__history *h);

#endif
