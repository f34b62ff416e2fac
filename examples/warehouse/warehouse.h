/* examples/warehouse/warehouse.h — kept exactly so */
typedef struct warehouse warehouse;
warehouse *warehouse_create(int warehouses, int max_weight);
void warehouse_enter(warehouse *w, int n, int weight);
void warehouse_exit(warehouse *w, int n, int weight);
void warehouse_destroy(warehouse *w);
