/* bound.c -- gates that stand in a file of gdb's breakpoints: which file, and placing them.
 *
 * A file is read once in a process; what is counted is counted anew in each case. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "control/gate/breakpoints.h"
#include "control/gate/gate.h"
#include "raddle/case.h"
#include "raddle/check.h"
#include "raddle/clock.h"

const char *rdl__gates_file;

/* ---- Coming there --------------------------------------------------------------------------- */

/* A breakpoint in a case. */
struct placed {
    const char *path;
    const struct rdl__breakpoint *breakpoint;
    struct rdl_gate **gates; /* of its commands; if there are none: one */
    uint64_t times;
};

_Noreturn static void give_up(const struct rdl_hit *hit, const struct placed *placed, int line,
                              const char *text, const struct rdl__error *error)
{
    rdl__misuse(hit->t, "%s:%d: '%s' in %s, thread %s: %s", placed->path, line, text,
                rdl_hit_function(hit), hit->thread, error->text);
}

static struct rdl__expression_scope scope_of(const struct rdl_hit *hit)
{
    return (struct rdl__expression_scope){
        .frame = hit->frame, .registers = hit->registers, .thread = hit->thread};
}

static bool is_meant(struct rdl_hit *hit, const struct placed *placed)
{
    const struct rdl__breakpoint *b = placed->breakpoint;
    struct rdl__expression_scope scope = scope_of(hit);
    struct rdl__value value;
    struct rdl__error error;

    if (b->thread && strcmp(b->thread, hit->thread) != 0)
        return false;
    if (!b->condition)
        return true;
    if (!rdl__expression_value(b->condition, &scope, &value, &error))
        give_up(hit, placed, b->line, b->condition_text, &error);
    return value.bits != 0;
}

static void do_command(struct rdl_hit *hit, const struct placed *placed,
                       const struct rdl__command *command, struct rdl_gate *gate)
{
    struct rdl__expression_scope scope = scope_of(hit);
    struct rdl__error error;

    switch (command->kind) {
    case RDL__COMMAND_WAIT:
        rdl__gate_pass(gate, hit->pc);
        break;
    case RDL__COMMAND_OPEN:
        rdl_gate_open(gate);
        break;
    case RDL__COMMAND_OPEN_FOR_ALL:
        rdl_gate_open_for_all(gate);
        break;
    case RDL__COMMAND_CLOSE:
        rdl_gate_close(gate);
        break;
    case RDL__COMMAND_AWAIT:
        rdl__await_time(hit->t, command->time, placed->path, command->line);
        break;
    case RDL__COMMAND_TICK:
        rdl_tick(hit->t);
        break;
    case RDL__COMMAND_SET:
        if (!rdl__expression_assign(command->variable, command->value, &scope, &error))
            give_up(hit, placed, command->line, command->text, &error);
        break;
    case RDL__COMMAND_FAIL:
        rdl__failed(placed->path, command->line, "fail", "%s", command->text);
    }
}

static void come(struct rdl_hit *hit, void *it)
{
    struct placed *placed = it;
    const struct rdl__breakpoint *b = placed->breakpoint;
    uint64_t time;

    if (!is_meant(hit, placed))
        return;
    time = __atomic_add_fetch(&placed->times, 1, __ATOMIC_SEQ_CST);
    if (time <= b->ignore || (b->is_temporary && time > b->ignore + 1))
        return;
    for (size_t i = 0; i < b->command_count; i++)
        do_command(hit, placed, &b->commands[i], placed->gates[i]);
    if (!b->has_commands)
        rdl__gate_pass(placed->gates[0], hit->pc);
}

/* ---- Placing -------------------------------------------------------------------------------- */

/* "/home/a/queue.c:88" -> "queue.c:88"; a text in it may have slashes of its own. */
static const char *short_name(const char *place)
{
    const char *text = strstr(place, ":/");

    for (const char *at = place; *at && (!text || at < text); at++)
        if (*at == '/')
            place = at + 1;
    return place;
}

static bool wants_variables(const struct rdl__breakpoint *b)
{
    bool wants = b->condition;

    for (size_t i = 0; i < b->command_count; i++)
        wants |= b->commands[i].kind == RDL__COMMAND_SET;
    return wants;
}

static void place_one(struct rdl_case *t, const char *path, const struct rdl__breakpoint *b)
{
    struct placed *placed = rdl_alloc(t, sizeof *placed);

    *placed = (struct placed){.path = path, .breakpoint = b};
    placed->gates = rdl_alloc(t, (b->command_count + 1) * sizeof(struct rdl_gate *));
    for (size_t i = 0; i < b->command_count; i++)
        if (b->commands[i].kind <= RDL__COMMAND_CLOSE)
            placed->gates[i] = rdl_gate(t, b->commands[i].text);
    if (!b->has_commands)
        placed->gates[0] = rdl_gate(t, short_name(b->place));
    rdl__at_each_hit(t, b->place, come, placed, wants_variables(b), path, b->line);
}

static void place_all(struct rdl_case *t, const struct rdl__breakpoints *breakpoints)
{
    const char *slash = strrchr(breakpoints->path, '/');

    rdl_note("gates: %s", slash ? slash + 1 : breakpoints->path);
    for (size_t i = 0; i < breakpoints->count; i++) {
        const struct rdl__breakpoint *b = &breakpoints->items[i];

        if (b->place && !b->is_disabled && !b->is_deleted)
            place_one(t, breakpoints->path, b);
    }
}

/* ---- Which file ----------------------------------------------------------------------------- */

/* Those that were read. */
struct known {
    struct rdl__breakpoints breakpoints;
    char *path;
    struct known *next;
};
static struct known *known;

static const struct rdl__breakpoints *load(struct rdl_case *t, const char *path)
{
    struct rdl__error error;
    struct known *one;

    for (one = known; one; one = one->next)
        if (strcmp(one->path, path) == 0)
            return &one->breakpoints;
    one = rdl__allocate(sizeof *one);
    if (!rdl__breakpoints_load(&one->breakpoints, path, &error)) {
        rdl__breakpoints_release(&one->breakpoints);
        free(one);
        rdl__misuse(t, "%s", error.text);
    }
    one->path = rdl__duplicate(path);
    one->next = known;
    known = one;
    return &one->breakpoints;
}

/* Where the program is, or its folder, and so on up to the root; false: it was. */
static bool go_up(char *folder)
{
    char *slash = strrchr(folder, '/');

    if (slash)
        *slash = '\0';
    return slash;
}

/* A file beside a source file.  If the compiler was given a relative path to that, it begins where
 * the program is run or, if there is nothing, in one of the folders that the program is in. */
static bool find_beside(struct rdl__text *out, const char *source, const char *path)
{
    const char *slash = strrchr(source, '/');
    int length = path[0] != '/' && slash ? (int)(slash - source + 1) : 0;
    char folder[PATH_MAX] = "";
    bool is_found;

    rdl__text_clear(out);
    rdl__text_add(out, "%.*s%s", length, source, path);
    is_found = access(out->bytes, F_OK) == 0;
    if (is_found || path[0] == '/' || source[0] == '/' ||
        readlink("/proc/self/exe", folder, sizeof folder - 1) < 0)
        return is_found;
    while (!is_found && go_up(folder)) {
        rdl__text_clear(out);
        rdl__text_add(out, "%s/%.*s%s", folder, length, source, path);
        is_found = access(out->bytes, F_OK) == 0;
    }
    return is_found;
}

static bool is_folder(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

static bool find_file(struct rdl__text *out, const struct rdl_test *test)
{
    struct rdl__text name = {0};
    bool is_found;

    rdl__text_add(&name, "%s.gdb", test->name);
    if (!rdl__gates_file) {
        is_found = test->file && find_beside(out, test->file, name.bytes);
    } else {
        is_found = strcmp(rdl__gates_file, "none") != 0;
        rdl__text_add(out, "%s", rdl__gates_file);
        if (is_found && is_folder(rdl__gates_file)) {
            rdl__text_add(out, "/%s", name.bytes);
            is_found = access(out->bytes, F_OK) == 0;
        }
    }
    rdl__text_release(&name);
    return is_found;
}

void rdl__gates_begin(struct rdl_case *t)
{
    static const struct rdl_test *asked; /* once for all of its cases */
    static struct rdl__text path;
    static bool is_found;

    if (__builtin_expect(asked != t->test, 0)) {
        asked = t->test;
        rdl__text_clear(&path);
        is_found = find_file(&path, t->test);
    }
    if (__builtin_expect(is_found, 0))
        place_all(t, load(t, path.bytes));
}

void rdl__gates_from(struct rdl_case *t, const char *path, const char *file, int line)
{
    struct rdl__text found = {0};
    const char *kept;

    if (!find_beside(&found, file, path)) {
        rdl__text_release(&found);
        rdl__misuse(t, "%s:%d: there is no file %s beside %s to take gates from", file, line, path,
                    file);
    }
    kept = rdl_format(t, "%s", found.bytes);
    rdl__text_release(&found);
    place_all(t, load(t, kept));
}
