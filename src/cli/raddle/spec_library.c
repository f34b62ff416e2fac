/* spec_library.c -- specs that come in shared libraries.
 *
 * A spec registers itself when its library is loaded, and with us, even if the library
 * brings a libraddle.so along: the functions of the program that loads it come first. */
#include "cli/raddle/spec_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan.h"
#include "run/execute.h"

/* Without a slash, a library would be looked for where the system has its own. */
bool rdl__load_library(const char *library, struct rdl__error *error)
{
    struct rdl__text path = {0};
    void *handle;

    rdl__text_add(&path, "%s%s", strchr(library, '/') ? "" : "./", library);
    handle = dlopen(path.bytes, RTLD_NOW | RTLD_LOCAL);
    rdl__text_release(&path);
    return handle || rdl__fail(error, "cannot load %s, which must be a shared library: %s", library,
                               dlerror());
}

static void add_names(struct rdl__text *out, const struct rdl_spec *const *specs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rdl__text_add(out, "%s%s", i ? ", " : "", specs[i]->name);
}

static const struct rdl_spec *find_spec(const char *library, const char *name,
                                        struct rdl__error *error)
{
    size_t count;
    const struct rdl_spec *const *specs;
    struct rdl__text names = {0};

    if (!rdl__load_library(library, error))
        return NULL;
    specs = rdl__specs(&count);
    for (size_t i = 0; i < count; i++)
        if (name ? strcmp(specs[i]->name, name) == 0 : count == 1)
            return specs[i];
    add_names(&names, specs, count);
    if (count == 0)
        rdl__fail(error, "there is no spec in %s; RDL_SPEC makes one", library);
    else if (name)
        rdl__fail(error, "no spec in %s is called %s; there are: %s", library, name, names.bytes);
    else
        rdl__fail(error, "%s has several specs; choose with --spec-name: %s", library, names.bytes);
    rdl__text_release(&names);
    return NULL;
}

static void do_nothing(void *object, const void *args, void *answer)
{
    (void)object, (void)args, (void)answer;
}

static void *create_nothing(struct rdl_case *t, const void *s)
{
    (void)t, (void)s;
    return NULL;
}

/* Is it well declared?  Nothing is called here, so it need not say how. */
static bool check_spec(const struct rdl_spec *spec, struct rdl__error *error)
{
    struct rdl_operation *copies = rdl__allocate((spec->operation_count + 1) * sizeof *copies);
    const void **pointers = rdl__allocate((spec->operation_count + 1) * sizeof *pointers);
    struct rdl_spec whole = *spec;
    bool ok;

    for (size_t i = 0; i < spec->operation_count; i++) {
        copies[i] = *rdl__operation(spec, i);
        copies[i].call = do_nothing;
        pointers[i] = &copies[i];
    }
    whole.operations = pointers;
    whole.create = create_nothing;
    ok = rdl__spec_check(&whole, true, error);
    free(pointers);
    free(copies);
    return ok;
}

const struct rdl_spec *rdl__load_spec(const char *library, const char *name,
                                      struct rdl__error *error)
{
    const struct rdl_spec *spec = find_spec(library, name, error);

    return spec && check_spec(spec, error) ? spec : NULL;
}

/* ---- The state at the beginning -------- */

static const struct rdl_spec *drawn_spec;
static void *drawn_state;

static void draw_initial(struct rdl_case *t)
{
    drawn_spec->initial(t, drawn_state);
}

static void end_thread(void)
{
    pthread_exit(NULL);
}

/* `initial` may draw, and then gets the simplest there is: that of a case without bytes. */
static bool run_initial(const struct rdl_spec *spec, void *state, struct rdl__error *error)
{
    static const volatile int never;
    static struct rdl_case t;
    static struct rdl_test test = {.name = "initial", .body = draw_initial};
    struct rdl__settings settings = rdl__settings_of(&test);
    struct rdl__board *board = rdl__board_new(settings.choices_max, error);
    bool ok;

    if (!board)
        return false;
    drawn_spec = spec;
    drawn_state = state;
    rdl__case_init(&t, board, end_thread);
    board->task.kind = RDL__RUN_BYTES;
    board->task.test = &test;
    board->task.settings = settings;
    rdl__do_task(board, &t, &never);
    ok = board->outcome.verdict == RDL__PASSED ||
         rdl__fail(error, "initial of spec %s did not come to an end: %s", spec->name,
                   board->outcome.text);
    rdl__case_release(&t);
    rdl__board_free(board);
    return ok;
}

void *rdl__initial_state(const struct rdl_spec *spec, struct rdl__error *error)
{
    void *state = rdl__allocate(spec->state_size + 1);

    if (spec->initial && !run_initial(spec, state, error)) {
        free(state);
        return NULL;
    }
    spec->clear_state(state);
    return state;
}
