/* room.c -- memory that fills up. */
#include "port/room.h"

#include <stdio.h>
#include <string.h>

void *rdl__room_get(struct rdl__room *room, size_t size)
{
    void *got = room->next;

    size = (size + 15) & ~(size_t)15;
    if ((size_t)(room->end - room->next) < size)
        return NULL;
    room->next += size;
    return got;
}

const char *rdl__room_keep(struct rdl__room *room, const char *text)
{
    char *kept = text && *text ? rdl__room_get(room, strlen(text) + 1) : NULL;

    return kept ? strcpy(kept, text) : "";
}

const char *rdl__room_print(struct rdl__room *room, const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rdl__room_keep(room, text);
}
