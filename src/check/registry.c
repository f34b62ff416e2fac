/* registry.c -- the tests of this program, and which of them are meant. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan.h"
#include "port/addresses.h"
#include "port/heap.h"

static struct rdl_test *registered;

void rdl__set_free(struct rdl_test *test)
{
    test->options.free_threads = true;
    test->options.explore = false;
    if (test->options.scheduled && !test->options.cases)
        test->options.exhaustive = true;
}

void rdl_register(struct rdl_test *test)
{
    if (test->options.explore && !test->options.free_threads) {
        rdl__start_with_fixed_addresses(test);
        rdl__heap_begin();
    }
    if (test->options.scheduled && !test->options.strategy)
        test->options.strategy = "answers";
    if (test->options.free_threads)
        rdl__set_free(test);
    test->next = registered;
    registered = test;
}

/* Constructors run in an order that linkers decide; files and lines do not
 * change with the linker. */
static int compare_tests(const void *a, const void *b)
{
    const struct rdl_test *one = *(struct rdl_test *const *)a;
    const struct rdl_test *two = *(struct rdl_test *const *)b;
    int order = strcmp(one->file, two->file);

    if (order == 0)
        order = (one->line > two->line) - (one->line < two->line);
    return order ? order : strcmp(one->name, two->name);
}

struct rdl_test **rdl__tests(size_t *out_count)
{
    struct rdl_test **tests;
    size_t count = 0;

    for (struct rdl_test *test = registered; test; test = test->next)
        count++;
    tests = rdl__allocate((count + 1) * sizeof *tests);
    *out_count = count;
    for (struct rdl_test *test = registered; test; test = test->next)
        tests[--count] = test;
    qsort(tests, *out_count, sizeof *tests, compare_tests);
    return tests;
}

static bool has_tag(const char *tags, const char *tag)
{
    size_t length = strlen(tag);

    for (const char *at = tags; at && (at = strstr(at, tag)); at++)
        if ((at == tags || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return length > 0;
    return false;
}

bool rdl__filter_matches(const struct rdl_test *test, const char *filter)
{
    if (filter[0] == '-')
        return !rdl__filter_matches(test, filter + 1);
    if (filter[0] == '=')
        return strcmp(test->name, filter + 1) == 0;
    if (filter[0] == '#')
        return has_tag(test->options.tags, filter + 1);
    return strstr(test->name, filter) != NULL;
}
