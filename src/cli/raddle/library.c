/* library.c -- where the shared library is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/raddle/commands.h"

/* Where the build put it, or where it was installed. */
bool rdl__find_library(struct rdl__text *out, struct rdl__error *error)
{
    static const char *const places[] = {
        "../lib/libraddle.so", "../lib/x86_64-linux-gnu/libraddle.so", "../lib64/libraddle.so"};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length < 0)
        return rdl__fail(error, "cannot find out where raddle is: %s", strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *whole;

        rdl__text_clear(out);
        rdl__text_add(out, "%s/%s", self, places[i]);
        whole = realpath(out->bytes, NULL);
        if (whole) {
            rdl__text_clear(out);
            rdl__text_add(out, "%s", whole);
            free(whole);
            return true;
        }
    }
    return rdl__fail(error, "there is no libraddle.so near %s", self);
}
