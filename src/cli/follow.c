/* follow.c -- the environment of programs that are followed. */
#include "cli/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define PUT_ASIDE "RADDLE_WAS_"

/* What programs are given so that they can be explored, see set_environment of
 * cli/raddle/explore.c. */
static const struct {
    const char *name, *value;
    char separator; /* before the program's own value; 0: that does not count */
} variables[] = {
    {"LD_PRELOAD", NULL, ':'},
    {"LD_BIND_NOW", "1", 0},
    {"ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", ':'},
    {"UBSAN_OPTIONS", "halt_on_error=1", ':'},
    {"GOMP_SPINCOUNT", "0", 0},
};

enum { VARIABLES = sizeof variables / sizeof *variables };

bool rdl__following_read(struct rdl__following *out, const char *variable)
{
    return sscanf(variable, "%d,%d,%d,%d,%d,%d,%d,%511s", &out->raddle, &out->itinerary, &out->news,
                  &out->go, &out->output, &out->complaints, &out->process, out->lineage) == 8;
}

static bool is_called(const char *entry, const char *name, size_t length)
{
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static const char *value_in(char *const *environment, const char *name)
{
    size_t length = strlen(name);

    for (; environment && *environment; environment++)
        if (is_called(*environment, name, length))
            return *environment + length + 1;
    return NULL;
}

static bool is_ours(const char *entry)
{
    for (int i = 0; i < VARIABLES; i++)
        if (is_called(entry, variables[i].name, strlen(variables[i].name)))
            return true;
    return strncmp(entry, PUT_ASIDE, strlen(PUT_ASIDE)) == 0 ||
           is_called(entry, RDL__FOLLOW_VARIABLE, strlen(RDL__FOLLOW_VARIABLE));
}

/* Entries with a zero byte after each. */
static void add_entry(struct rdl__text *out, size_t *count, const char *name, const char *first,
                      const char *between, const char *second)
{
    rdl__text_add(out, "%s=%s%s%s", name, first, between, second);
    rdl__text_add_bytes(out, "", 1);
    ++*count;
}

static void add_variable(struct rdl__text *out, size_t *count, int which, const char *library,
                         const char *own)
{
    const char separator[] = {variables[which].separator, '\0'};
    const char *value = variables[which].value ? variables[which].value : library;
    bool joined = own && *own && separator[0];
    struct rdl__text aside = {0};

    add_entry(out, count, variables[which].name, value, joined ? separator : "", joined ? own : "");
    if (!own)
        return;
    rdl__text_add(&aside, "%s%s", PUT_ASIDE, variables[which].name);
    add_entry(out, count, aside.bytes, own, "", "");
    rdl__text_release(&aside);
}

static void add_following(struct rdl__text *out, size_t *count, const struct rdl__following *f)
{
    char value[RDL__LINEAGE_ROOM + 128];

    snprintf(value, sizeof value, "%d,%d,%d,%d,%d,%d,%d,%s", f->raddle, f->itinerary, f->news,
             f->go, f->output, f->complaints, f->process, f->lineage);
    add_entry(out, count, RDL__FOLLOW_VARIABLE, value, "", "");
}

/* One block: the pointers, then what they point to. */
static char **as_block(const struct rdl__text *entries, size_t count)
{
    size_t table = (count + 1) * sizeof(char *);
    char **block = rdl__allocate(table + entries->count);
    char *next = (char *)block + table;

    memcpy(next, entries->bytes, entries->count);
    for (size_t i = 0; i < count; i++) {
        block[i] = next;
        next += strlen(next) + 1;
    }
    return block;
}

char **rdl__following_environment(const struct rdl__following *following, const char *library,
                                  char *const *environment)
{
    struct rdl__text entries = {0};
    size_t count = 0;
    char **block;

    for (char *const *entry = environment; entry && *entry; entry++)
        if (!is_ours(*entry)) {
            rdl__text_add_bytes(&entries, *entry, strlen(*entry) + 1);
            count++;
        }
    for (int i = 0; i < VARIABLES; i++)
        add_variable(&entries, &count, i, library, value_in(environment, variables[i].name));
    add_following(&entries, &count, following);
    block = as_block(&entries, count);
    rdl__text_release(&entries);
    return block;
}

void rdl__following_put_back(void)
{
    char name[64];

    for (int i = 0; i < VARIABLES; i++) {
        const char *own;

        snprintf(name, sizeof name, "%s%s", PUT_ASIDE, variables[i].name);
        own = getenv(name);
        if (own)
            setenv(variables[i].name, own, 1);
        else
            unsetenv(variables[i].name);
        unsetenv(name);
    }
    unsetenv(RDL__FOLLOW_VARIABLE);
}
