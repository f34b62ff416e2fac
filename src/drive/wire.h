/* wire.h -- a port whose ends are descriptors: frames are read and posted, events written.
 *
 * The reader reads, the thread of the stream writes.  What both look at is the descriptors;
 * a proxy sets them when it accepts a client. */
#ifndef RDL__WIRE_H
#define RDL__WIRE_H

#include "drive/frames.h"
#include "drive/reader.h"

struct rdl__end {
    struct rdl__source source; /* first: its fd is what is read from, until that is over */
    struct rdl__wire *wire;
    enum rdl_direction direction; /* of what is read */
    int in, out;                  /* where to read and to write; -1: nowhere */
    bool is_socket, keeps_messages;
    bool is_over; /* there is nothing more to read, and that has been posted */
    struct rdl__frames frames;
};

struct rdl__wire {
    struct rdl__reader *reader;
    struct rdl__ports *ports;
    struct rdl_port *port;
    struct rdl__end component, peer;
    bool is_ours;       /* descriptors are closed at the end */
    bool is_controlled; /* in an RDL_EXPLORE: all threads are gone at the end */
};

/* Connect the port; `who` is the function that is to blame for what is wrong with the framing.
 * Its descriptors come next. */
struct rdl__wire *rdl__wire_new(struct rdl_case *t, struct rdl_port *port,
                                const struct rdl_framing *framing, bool is_ours, const char *who);

/* Read from here (-1: from nowhere) and write to there, from now on.  By the thread of the test
 * if the reader does not run, and else by the reader. */
void rdl__end_open(struct rdl__end *end, int in, int out);

/* Post that it has ended. */
void rdl__end_post(struct rdl__end *end, enum rdl_ending how, size_t bytes);

#endif
