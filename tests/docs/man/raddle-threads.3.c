#include <raddle.h>

static struct monitor {
    int readers;
} m;
void monitor_init(struct monitor *m);
void monitor_begin_read(struct monitor *m), monitor_end_read(struct monitor *m);
void write_once(void *unused), read_once(void *unused);

/* 1 */
