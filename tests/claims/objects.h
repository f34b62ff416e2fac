/* objects.h -- operations on objects of C++'s library, which random programs share. */
#ifdef __cplusplus
extern "C" {
#endif

void cxx_text_add(int n);
int cxx_text_size(void);
int cxx_text_at(int i);
void cxx_text_set(int n);
void cxx_text_push(int n);
void cxx_text_copy(int n);
int cxx_text_find(int n);
void cxx_list_add(int n);
int cxx_list_sum(void);
void cxx_list_drop(void);
void cxx_map_set(int key, int n);
int cxx_map_get(int key);
void cxx_map_drop(int key);
int cxx_map_sum(void);
void cxx_hash_set(int key, int n);
int cxx_hash_get(int key);
void cxx_vector_add(int n);
int cxx_vector_sum(void);
void cxx_locked_add(int n);
void cxx_await(int n);
void cxx_tell(int n);
int cxx_threads(int n);
int cxx_thrown(int n);
void cxx_shared(int n);
void cxx_print(int n);

#ifdef __cplusplus
}
#endif
