/* event_log.h -- reading recorded events: an object of JSON a line, one line at a time. */
#ifndef RDL__EVENT_LOG_H
#define RDL__EVENT_LOG_H

#include "events/events.h"

enum { RDL__LINE_MAX = 1 << 20 }; /* bytes */

struct rdl__event_log {
    const char *file;
    const struct rdl__recorded *known; /* the names of ports and types */
    uint64_t line;                     /* of the event */
    struct rdl_event event;            /* lent until the next */
    uint64_t now;                      /* nanoseconds; 0 where there are no times */
    bool has_times;

    /* For event_log.c: */
    int fd;
    char *buffer;
    size_t from, searched, to; /* in the buffer: the line, as far as it has been looked at */
    bool at_end, had_event;
    void *data;
};

/* "-" is standard input.  False: error says why not. */
bool rdl__event_log_open(struct rdl__event_log *log, const char *file,
                         const struct rdl__recorded *known, struct rdl__error *error);

enum rdl__log_next {
    RDL__LOG_EVENT,
    RDL__LOG_END,
    RDL__LOG_WRONG, /* error says what, and in which line */
};
enum rdl__log_next rdl__event_log_next(struct rdl__event_log *log, struct rdl__error *error);

/* Bytes: of the whole log, if it is a file, else 0; and how many of them are behind us. */
uint64_t rdl__event_log_size(const struct rdl__event_log *log);
uint64_t rdl__event_log_read(const struct rdl__event_log *log);

void rdl__event_log_close(struct rdl__event_log *log);

#endif
