/* library.c -- where the shared library and the headers are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/raddle/commands.h"

/* The folder that this program is in. */
static bool find_self(char *out, size_t room, struct rdl__error *error)
{
    ssize_t length = readlink("/proc/self/exe", out, room - 1);

    if (length < 0)
        return rdl__fail(error, "cannot find out where raddle is: %s", strerror(errno));
    out[length] = '\0';
    *strrchr(out, '/') = '\0';
    return true;
}

/* A path from there, if it leads somewhere. */
static bool find_near(struct rdl__text *out, const char *self, const char *path)
{
    char *whole;

    rdl__text_clear(out);
    rdl__text_add(out, "%s/%s", self, path);
    whole = realpath(out->bytes, NULL);
    rdl__text_clear(out);
    if (!whole)
        return false;
    rdl__text_add(out, "%s", whole);
    free(whole);
    return true;
}

/* Where the build put it, or where it was installed. */
bool rdl__find_library(struct rdl__text *out, struct rdl__error *error)
{
    static const char *const places[] = {
        "../lib/libraddle.so", "../lib/x86_64-linux-gnu/libraddle.so", "../lib64/libraddle.so"};
    char self[4096];

    if (!find_self(self, sizeof self, error))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (find_near(out, self, places[i]))
            return true;
    return rdl__fail(
        error,
        "there is no libraddle.so in ../lib of %s, where raddle is: install both (make install)",
        self);
}

bool rdl__find_assembler(struct rdl__text *out, struct rdl__error *error)
{
    char self[4096];

    if (!find_self(self, sizeof self, error))
        return false;
    if (!find_near(out, self, "../libexec/raddle/as"))
        return rdl__fail(error,
                         "there is no program ../libexec/raddle/as beside %s, where raddle is: "
                         "install both (make install)",
                         self);
    out->count = (size_t)(strrchr(out->bytes, '/') + 1 - out->bytes);
    out->bytes[out->count] = '\0';
    return true;
}

bool rdl__find_script(struct rdl__text *out, const char *name)
{
    static const char *const places[] = {"../share/raddle", "../scripts"};
    struct rdl__error error;
    char self[4096];

    if (!find_self(self, sizeof self, &error))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[256];

        snprintf(path, sizeof path, "%s/%s", places[i], name);
        if (find_near(out, self, path))
            return true;
    }
    return false;
}

void rdl__find_headers(struct rdl__text *out)
{
    struct rdl__error error;
    char self[4096];

    if (find_self(self, sizeof self, &error) && find_near(out, self, "../include/raddle.h")) {
        out->count = (size_t)(strrchr(out->bytes, '/') - out->bytes);
        out->bytes[out->count] = '\0';
    }
}
