/* plugin.c -- a library that the program loads while it runs. */
#include "names.h"

int is_same(const char *left, const char *right);
int is_same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}
