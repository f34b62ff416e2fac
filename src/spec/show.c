/* show.c -- arguments, answers and states of a spec in words, and back.
 *
 * Functions of the spec go before debugging information.  Without either, values are
 * numbers if they have the size of one, and bytes otherwise. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "spec/spec.h"
#include "spec/values.h"

/* ---- Types ---------------------------------------------------------------------------------- */

/* What is known of the types of an operation, a spec or a policy. */
struct known {
    const void *variable;
    const struct rdl__type *first, *second; /* NULL: not known */
};

enum { RECENT = 64 };

static struct known *known;
static size_t known_count, known_room;
static struct known recent[RECENT]; /* found by their address, at once */

static struct known *find_known(const void *variable)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i].variable == variable)
            return &known[i];
    return NULL;
}

struct wish {
    struct rdl__type_wanted first, second; /* of the same variable; sizes are 0 if not wanted */
    size_t first_size, second_size;
};

struct wishes {
    struct wish *items;
    size_t count;
};

static void want(struct wishes *wishes, const void *variable, const char *first, size_t first_size,
                 const char *second, size_t second_size)
{
    if (find_known(variable))
        return;
    for (size_t i = 0; i < wishes->count; i++)
        if (wishes->items[i].first.variable == variable)
            return;
    wishes->items = rdl__reallocate(wishes->items, (wishes->count + 1) * sizeof *wishes->items);
    wishes->items[wishes->count++] = (struct wish){
        .first = {variable, first, NULL},
        .second = {variable, second, NULL},
        .first_size = first_size,
        .second_size = second_size,
    };
}

static void want_operation(struct wishes *wishes, const void *variable)
{
    const struct rdl_operation *op = variable;

    want(wishes, op, "rdl__type_args", op->args_size, "rdl__type_answer", op->answer_size);
}

static void want_policy(struct wishes *wishes, const void *variable)
{
    const struct rdl_policy *policy = variable;

    want(wishes, policy, "rdl__type_sched", policy->state_size, "", 0);
}

static void want_spec(struct wishes *wishes, const void *variable)
{
    const struct rdl_spec *spec = variable;

    want(wishes, spec, "rdl__type_state", spec->state_size, "rdl__type_client", spec->client_size);
    want_policy(wishes, rdl__policy_of(spec));
    for (size_t i = 0; i < spec->operation_count; i++)
        want_operation(wishes, rdl__operation(spec, i));
}

static void want_all(struct wishes *wishes)
{
    size_t count;
    const struct rdl_spec *const *specs = rdl__specs(&count);

    for (size_t i = 0; i < count; i++)
        want_spec(wishes, specs[i]);
}

static const struct rdl__type *of_size(const struct rdl__type *type, size_t size)
{
    return type && type->size == size ? type : NULL;
}

static void keep(const struct wish *wish, const struct rdl__type *first,
                 const struct rdl__type *second)
{
    if (known_count == known_room) {
        known_room = known_room ? 2 * known_room : 16;
        known = rdl__reallocate(known, known_room * sizeof *known);
    }
    known[known_count++] = (struct known){
        .variable = wish->first.variable,
        .first = of_size(first, wish->first_size),
        .second = of_size(second, wish->second_size),
    };
}

/* What is not found need not be looked for again. */
static void fulfil(struct wishes *wishes)
{
    struct rdl__type_wanted *wanted = rdl__allocate((2 * wishes->count + 1) * sizeof *wanted);
    size_t count = 0;

    for (size_t i = 0; i < wishes->count; i++) {
        if (wishes->items[i].first_size)
            wanted[count++] = wishes->items[i].first;
        if (wishes->items[i].second_size)
            wanted[count++] = wishes->items[i].second;
    }
    rdl__types_find(wanted, count);
    count = 0;
    for (size_t i = 0; i < wishes->count; i++) {
        const struct wish *wish = &wishes->items[i];
        const struct rdl__type *first = wish->first_size ? wanted[count++].type : NULL;
        const struct rdl__type *second = wish->second_size ? wanted[count++].type : NULL;

        keep(wish, first, second);
    }
    free(wanted);
    free(wishes->items);
}

void rdl__show_prepare(void)
{
    struct wishes wishes = {0};

    want_all(&wishes);
    fulfil(&wishes);
}

static const struct known *recall(const void *variable)
{
    struct known *slot = &recent[(uintptr_t)variable / 16 % RECENT];
    const struct known *found = slot;

    if (slot->variable != variable && (found = find_known(variable)))
        *slot = *found;
    return found;
}

/* All types of all specs are looked for at once. */
static const struct known *look_up(const void *variable,
                                   void (*want_it)(struct wishes *wishes, const void *variable))
{
    const struct known *found = recall(variable);
    struct wishes wishes = {0};

    if (found)
        return found;
    want_it(&wishes, variable);
    want_all(&wishes);
    fulfil(&wishes);
    return recall(variable);
}

void rdl__types_learn(const struct rdl__typed *items, size_t count)
{
    struct wishes wishes = {0};

    for (size_t i = 0; i < count; i++)
        want(&wishes, items[i].variable, items[i].member, items[i].size, "", 0);
    if (wishes.count > 0)
        fulfil(&wishes);
}

const struct rdl__type *rdl__type_of(const struct rdl__typed *item)
{
    const struct known *found = recall(item->variable);

    if (!found) {
        rdl__types_learn(item, 1);
        found = recall(item->variable);
    }
    return found->first;
}

const struct rdl__type *rdl__args_type(const struct rdl_operation *op)
{
    return look_up(op, want_operation)->first;
}

const struct rdl__type *rdl__answer_type(const struct rdl_operation *op)
{
    return look_up(op, want_operation)->second;
}

const struct rdl__type *rdl__state_type(const struct rdl_spec *spec)
{
    return look_up(spec, want_spec)->first;
}

/* ---- Showing -------------------------------------------------------------------------------- */

void rdl__show_printed(struct rdl__text *out, void (*show)(FILE *out, const void *value),
                       const void *value)
{
    char *printed = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&printed, &size);

    if (!file)
        return;
    show(file, value);
    fclose(file);
    while (size > 0 && printed[size - 1] == '\n')
        size--;
    rdl__text_add_bytes(out, printed, size);
    free(printed);
}

static bool is_size_of_number(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static void add_bytes(struct rdl__text *out, const void *value, size_t size)
{
    unsigned unused = 64 - 8 * (unsigned)size;
    uint64_t number = 0;

    if (!is_size_of_number(size)) {
        rdl__text_add_hex(out, value, size);
        return;
    }
    memcpy(&number, value, size);
    rdl__text_add(out, "%" PRId64, (int64_t)(number << unused) >> unused);
}

static void add_value(struct rdl__text *out, const struct rdl__type *type, const void *value,
                      size_t size)
{
    if (size == 0)
        return;
    if (type)
        rdl__value_show(out, type, value);
    else
        add_bytes(out, value, size);
}

void rdl__show_value(struct rdl__text *out, const struct rdl__type *type, const void *value,
                     size_t size)
{
    if (type)
        rdl__value_show_bare(out, type, value);
    else
        add_bytes(out, value, size);
}

void rdl__show_call(struct rdl__text *out, const struct rdl_operation *op, const void *args)
{
    rdl__text_add(out, "%s(", op->name);
    if (op->show)
        rdl__show_printed(out, op->show, args);
    else if (op->args_size)
        rdl__show_value(out, look_up(op, want_operation)->first, args, op->args_size);
    rdl__text_add(out, ")");
}

void rdl__show_answer(struct rdl__text *out, const struct rdl_operation *op, const void *answer)
{
    if (op->show_answer)
        rdl__show_printed(out, op->show_answer, answer);
    else
        add_value(out, look_up(op, want_operation)->second, answer, op->answer_size);
}

/* Who sees a state as bytes is told what it takes to see its fields. */
void rdl__show_state(struct rdl__text *out, const struct rdl_spec *spec, const void *s)
{
    const struct rdl__type *type;

    if (spec->show) {
        rdl__show_printed(out, spec->show, s);
        return;
    }
    type = look_up(spec, want_spec)->first;
    add_value(out, type, s, spec->state_size);
    if (!type && spec->state_size && !is_size_of_number(spec->state_size))
        rdl__text_add(out, " (bytes: no -g, or no libdw1)");
}

void rdl__show_client(struct rdl__text *out, const struct rdl_spec *spec, const void *me)
{
    if (spec->show_client)
        rdl__show_printed(out, spec->show_client, me);
    else
        add_value(out, look_up(spec, want_spec)->second, me, spec->client_size);
}

void rdl__show_sched(struct rdl__text *out, const struct rdl_policy *policy, const void *p)
{
    if (policy->show)
        rdl__show_printed(out, policy->show, p);
    else
        add_value(out, look_up(policy, want_policy)->first, p, policy->state_size);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* What a value without a type looks like: add_bytes. */
static bool read_bytes(const char *text, void *out, size_t size, struct rdl__error *error)
{
    const struct rdl__type number = {.kind = RDL__TYPE_SIGNED, .size = (uint32_t)size};
    const struct rdl__type bytes = {.kind = RDL__TYPE_BYTES, .size = (uint32_t)size};
    struct rdl__text bracketed = {0};
    bool read;

    if (is_size_of_number(size))
        return rdl__value_read(&number, text, out, error);
    rdl__text_add(&bracketed, "<%s>", text);
    read = rdl__value_read(&bytes, rdl__text_string(&bracketed), out, error);
    rdl__text_release(&bracketed);
    return read;
}

static bool read_nothing(const char *text, struct rdl__error *error)
{
    return text[strspn(text, " \t")] == '\0' ||
           rdl__fail(error, "expected nothing, not \"%.40s\"", text);
}

static bool read_value(const struct rdl__type *type, const char *text, void *out, size_t size,
                       struct rdl__error *error)
{
    if (size == 0)
        return read_nothing(text, error);
    return type ? rdl__value_read(type, text, out, error) : read_bytes(text, out, size, error);
}

bool rdl__read_json(const struct rdl__type *type, struct rdl__json_scan *scan, void *out,
                    size_t size, struct rdl__error *error)
{
    const struct rdl__type guess = {.kind = size ? RDL__TYPE_SIGNED : RDL__TYPE_STRUCT,
                                    .size = (uint32_t)size};

    if (type || size == 0 || is_size_of_number(size))
        return rdl__value_read_json(type ? type : &guess, scan, out, error);
    return rdl__fail(error, "what it is made of is not known: was it compiled with -g?");
}

bool rdl__read_args(const struct rdl_operation *op, const char *text, void *out,
                    struct rdl__error *error)
{
    struct rdl__error why = {0};

    if (op->read && !op->read(text, out))
        return rdl__fail(error, "arguments of %s: \"%.200s\" is not understood", op->name, text);
    if (!op->read &&
        !read_value(look_up(op, want_operation)->first, text, out, op->args_size, &why))
        return rdl__fail(error, "arguments of %s: %s", op->name, why.text);
    return true;
}

bool rdl__read_answer(const struct rdl_operation *op, const char *text, void *out,
                      struct rdl__error *error)
{
    struct rdl__error why = {0};

    if (op->read_answer && !op->read_answer(text, out))
        return rdl__fail(error, "answer of %s: \"%.200s\" is not understood", op->name, text);
    if (!op->read_answer &&
        !read_value(look_up(op, want_operation)->second, text, out, op->answer_size, &why))
        return rdl__fail(error, "answer of %s: %s", op->name, why.text);
    return true;
}

/* ---- Comparing ------------------------------------------------------------------------------ */

bool rdl__answers_look_the_same(const struct rdl_operation *op, const void *a, const void *b)
{
    const struct rdl__type *type;

    if (op->answer_size <= 1) /* no padding */
        return memcmp(a, b, op->answer_size) == 0;
    type = look_up(op, want_operation)->second;
    return type && rdl__value_same(type, a, b);
}
