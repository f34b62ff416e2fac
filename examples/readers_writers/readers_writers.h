/* examples/readers_writers/readers_writers.h — kept exactly so */
typedef struct rw rw;
rw *rw_create(void);
void rw_before_read(rw *r);
void rw_after_read(rw *r);
void rw_before_write(rw *r);
void rw_after_write(rw *r);
void rw_destroy(rw *r);
