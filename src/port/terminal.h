/* terminal.h -- a terminal as a screen and keys, by plain escape sequences.
 *
 * Between open and close keys come one by one, and what is drawn is on a screen of its own, so that
 * nothing of it is left.  A signal that would end us is told by rdl__terminal_key; it does so when
 * the terminal has been closed, and is as it was. */
#ifndef RDL__TERMINAL_H
#define RDL__TERMINAL_H

#include <stdbool.h>
#include <termios.h>

struct rdl__terminal {
    int in, out;
    struct termios before;
};

/* False: these are no terminal, or one that cannot do as much. */
bool rdl__terminal_open(struct rdl__terminal *out, int in_fd, int out_fd);
void rdl__terminal_close(struct rdl__terminal *terminal);

/* Rows and columns, at the moment. */
void rdl__terminal_size(const struct rdl__terminal *terminal, int *out_rows, int *out_columns);

/* Lines, as many as there are rows at most, take the place of what was there. */
void rdl__terminal_draw(const struct rdl__terminal *terminal, const char *lines);

enum {
    RDL__KEY_END = -1, /* there are no more, or a signal came that `stops` knows of */
    RDL__KEY_RESIZED = 256,
    RDL__KEY_LEFT,
    RDL__KEY_RIGHT,
    RDL__KEY_HOME,
    RDL__KEY_LAST,
    RDL__KEY_OTHER,
};

/* The next key: a byte, or one of these.  *stops is looked at whenever a signal has come. */
int rdl__terminal_key(const struct rdl__terminal *terminal, const volatile int *stops);

#endif
