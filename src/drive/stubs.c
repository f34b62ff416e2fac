/* stubs.c -- to be replaced. */
#include <stdlib.h>

#include "spec/spec.h"
struct rdl_resource *rdl_resource_new(const struct rdl_spec *spec, const void *initial) { (void)spec,(void)initial; abort(); }
bool rdl_resource_call(struct rdl_resource *r, const char *operation, const void *args, void *out_answer) { (void)r,(void)operation,(void)args,(void)out_answer; abort(); }
void rdl_resource_free(struct rdl_resource *r) { (void)r; }
void rdl__test_linear(struct rdl_case *t) { (void)t; abort(); }
void rdl__test_spec(struct rdl_case *t) { (void)t; abort(); }
void rdl__test_model(struct rdl_case *t) { (void)t; abort(); }
