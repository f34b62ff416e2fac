/* device.c -- functions of all kinds of types, to be mocked. */
#include "store.h"

#include <stdlib.h>

int device_status(unsigned char unit)
{
    return unit + 1;
}

double device_scale(double value, float factor)
{
    return value * (double)factor;
}

struct point device_move(struct point from, int by)
{
    return (struct point){from.x + by, from.y + by};
}

struct box device_box(struct box box, double by)
{
    return (struct box){box.width * by, box.height * by, box.id + 1};
}

int ring_push(struct ring *ring, const void *item)
{
    return ring->items && item ? (int)ring->item_size : -1;
}

enum color device_color(enum color color, bool bright)
{
    return bright ? BLUE : color;
}

const char *device_name(int unit)
{
    return unit ? "other" : "first";
}

int device_send(struct packet packet, long double limit, struct packet *copy)
{
    return packet.weight <= limit && copy ? packet.kind : -1;
}

double _Complex device_turn(double _Complex value, float _Complex by)
{
    return value * (double _Complex)by;
}

bool device_is_ready(int unit)
{
    return unit > 0;
}

__int128 device_total(__int128 a, unsigned __int128 b)
{
    return a + (__int128)b;
}

long device_sum(int a, int b, int c, int d, int e, int f, int g, long h)
{
    return a + b + c + d + e + f + g + h;
}

static int resets;

void device_reset(void)
{
    resets++;
}

void device_stop(int code)
{
    exit(code);
}
