/* where.c -- tells where things lie, in each execution: they lie at the same places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <raddle.h>

static FILE *out RDL_KEEP;
static int variable;

static void open_log(void)
{
    out = fopen("log", "a");
}

static const struct rdl_fixture fixture = {.setup_once = open_log};

static void tell(void *name)
{
    int local = 0;
    char *block = malloc(100), *larger = malloc(300000), *text = strdup(name), *printed = NULL;

    rdl_yield();
    if (asprintf(&printed, "%s", text) < 0)
        abort();
    fprintf(out, "%s: %p %p %p %p %p %p %p\n", (const char *)name, (void *)&variable,
            (void *)&local, (void *)block, (void *)larger, (void *)text, (void *)printed,
            (void *)stdout);
    fflush(out);
    free(text);
    free(larger);
}

RDL_EXPLORE(where, .fixture = &fixture)
{
    struct rdl_thread *one, *two;

    rdl_bool(t);
    one = rdl_spawn(t, "one", tell, (void *)"one");
    rdl_join(one);
    two = rdl_spawn(t, "two", tell, (void *)"two");
    rdl_join(two);
}

RDL_MAIN
