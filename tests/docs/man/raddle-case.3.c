#include <raddle.h>

struct store;
struct store *store_open(void);
void close_store(void *store);
void store_put(struct store *store, const char *key, const void *bytes, size_t n);
size_t store_size(struct store *store, const char *key);

/* 1 */
