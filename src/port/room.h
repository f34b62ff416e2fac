/* room.h -- memory that fills up: what a process made for it finds, it puts there.
 *
 * The room is shared, and lies at the same address in both processes, so there may be
 * pointers in it. */
#ifndef RDL__ROOM_H
#define RDL__ROOM_H

#include <stdarg.h>
#include <stddef.h>

struct rdl__room {
    char *next, *end;
};

/* NULL: there is no more.  Zeroed, as the room was. */
void *rdl__room_get(struct rdl__room *room, size_t size);

/* A copy; "" if there is no more, or no text. */
const char *rdl__room_keep(struct rdl__room *room, const char *text);
const char *rdl__room_print(struct rdl__room *room, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
