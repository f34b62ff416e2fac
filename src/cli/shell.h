/* shell.h -- a conversation in which calls are made by hand.
 *
 * shell.c        lines, commands, and the processes that they are done in
 * shell_calls.c  calls: how they are read, and what can be said of them */
#ifndef RDL__SHELL_H
#define RDL__SHELL_H

#include "drive/clients.h"
#include "drive/written.h"

/* A call that is to be made. */
struct rdl__wanted {
    uint32_t client;
    const struct rdl_operation *op;
    void *args;
};

/* Without the white space around it, in place. */
char *rdl__trim(char *text);

/* The calls of a line, with || between them; all can be made.  0: error says what is wrong. */
uint32_t rdl__shell_read_calls(struct rdl_case *t, const struct rdl__performer *by,
                               const char *line, struct rdl__wanted *out, struct rdl__error *error);

/* Who has returned, since the log was as long as this; who waits, and why; what state it is in. */
void rdl__shell_returns(const struct rdl__performer *by, uint32_t from);
void rdl__shell_who(const struct rdl__performer *by, bool all);
void rdl__shell_state(const struct rdl__performer *by);

/* What could be called now, or would this call have to wait? */
bool rdl__shell_ask_allowed(struct rdl_case *t, const struct rdl__performer *by, char *rest,
                            struct rdl__error *error);

#endif
