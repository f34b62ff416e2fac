/* store.h -- code whose functions are mocked: a store that writes blocks to a device. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device, which is missing from the link. */
int flash_write(int block, const char *data, size_t length, size_t *written);
int flash_erase(int block);
int flash_log(const char *format, ...);

/* Parts of it that are there. */
struct point {
    int x, y;
};
struct box {
    double width, height;
    long id;
};
struct ring {
    uint32_t item_size;
    void *items;
};
enum color { RED, GREEN, BLUE };
struct packet { /* with padding everywhere */
    char kind;
    struct point at[2];
    unsigned low : 3, high : 2;
    long double weight;
};

int device_status(unsigned char unit);
double device_scale(double value, float factor);
struct point device_move(struct point from, int by);
struct box device_box(struct box box, double by);
int ring_push(struct ring *ring, const void *item);
enum color device_color(enum color color, bool bright);
const char *device_name(int unit);
int device_send(struct packet packet, long double limit, struct packet *copy);
bool device_is_ready(int unit);
double _Complex device_turn(double _Complex value, float _Complex by);
__int128 device_total(__int128 a, unsigned __int128 b);
long device_sum(int a, int b, int c, int d, int e, int f, int g, long h);
_Noreturn void device_stop(int code);
void device_reset(void);

/* What calls them. */
int store_save(const char *text);
int store_save_twice(const char *text);
int store_poll(int unit);
int store_checked(int unit); /* by way of a static function of the same file */
int store_inlined(int unit); /* by way of one that is inlined */
char *store_copy(const char *text);

/* It is inlined into the other, and can be called from elsewhere. */
int store_half(int unit);
_Noreturn void store_stop(int code);
int store_other_half(int unit); /* the same */
int store_calls_half(int unit);

#endif
