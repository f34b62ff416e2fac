/* driver.c -- detours to thunks on functions with random prototypes (generate.py).
 *
 * Of each: the thunk is told exactly what was passed, the caller gets exactly what it returns; when
 * it calls the function itself, all is as without it; and arguments can be changed on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated.h"
#include "port/detour.h"
#include "port/prototype.h"

enum { NUMBER = 1000, OTHER = 5000, RESULT = 9000, SIZE_MAX_OF_ANY = 4096 };

struct subject {
    const struct generated *it;
    const struct rdl__prototype *prototype;
    struct rdl__detour detour;
    enum { ANSWER, PASS, CHANGE } mode;
    unsigned calls, wrong;
};

static _Alignas(64) char value[SIZE_MAX_OF_ANY];

static void expect(struct subject *subject, int ok, const char *what, unsigned i)
{
    if (ok)
        return;
    if (subject->wrong++ == 0)
        printf("%s: %s %u is wrong\n", subject->it->name, what, i);
}

static uint64_t fold_of(const struct generated_type *type, uint64_t number)
{
    memset(value, 0, sizeof value);
    type->make(value, number);
    return type->fold(value);
}

static void check_arguments(struct subject *subject, const struct rdl__arguments *arguments)
{
    for (unsigned i = 0; i < subject->it->count; i++) {
        const struct generated_type *type = &subject->it->parameters[i];
        uint64_t wanted = fold_of(type, NUMBER + i);

        memset(value, 0xa5, sizeof value);
        rdl__argument_read(subject->prototype, i, arguments, value);
        expect(subject, type->fold(value) == wanted, "argument", i);
    }
}

static void called(struct rdl__arguments *arguments, void *it)
{
    struct subject *subject = it;
    const struct generated *function = subject->it;

    subject->calls++;
    check_arguments(subject, arguments);
    for (unsigned i = 0; subject->mode == CHANGE && i < function->count; i++) {
        function->parameters[i].make(value, OTHER + i);
        rdl__argument_write(subject->prototype, i, arguments, value);
    }
    if (subject->mode != ANSWER) {
        rdl__prototype_call(subject->prototype, rdl__detour_real(&subject->detour), arguments);
    } else if (function->result.make) {
        function->result.make(value, RESULT);
        rdl__returned_write(subject->prototype, arguments, value);
    }
    if (function->result.make && subject->mode != ANSWER) {
        memset(value, 0, sizeof value);
        rdl__returned_read(subject->prototype, arguments, value);
        rdl__returned_write(subject->prototype, arguments, value);
    }
}

static void try_function(struct subject *subject)
{
    const struct generated *it = subject->it;
    struct rdl__detour *detour = &subject->detour;
    uint64_t alone, seen_alone, other, seen_other, got;
    struct rdl__error error;

    seen = 0;
    alone = it->call(NUMBER), seen_alone = seen;
    other = it->call(OTHER), seen_other = seen;
    if (!rdl__detours_place(&detour, 1, &error)) {
        printf("%s: %s\n", it->name, error.text);
        subject->wrong++;
        return;
    }
    subject->mode = ANSWER;
    got = it->call(NUMBER);
    expect(subject, !it->result.make || got == fold_of(&it->result, RESULT), "result", 0);
    subject->mode = PASS;
    expect(subject, it->call(NUMBER) == alone && seen == seen_alone, "result of passing", 0);
    subject->mode = CHANGE;
    expect(subject, it->call(NUMBER) == other && seen == seen_other, "result of changing", 0);
    rdl__detours_remove(&detour, 1);
    expect(subject, it->call(NUMBER) == alone && seen == seen_alone, "result afterwards", 0);
    expect(subject, subject->calls == 3, "number of calls", subject->calls);
}

static int is_alike(const struct rdl__prototype *a, const struct rdl__prototype *b)
{
    int ok = a->count == b->count && a->stack_bytes == b->stack_bytes &&
             a->returns_size == b->returns_size && strcmp(a->returns_name, b->returns_name) == 0 &&
             memcmp(&a->returning, &b->returning, sizeof a->returning) == 0;

    for (unsigned i = 0; ok && i < a->count; i++) {
        const struct rdl__parameter *x = &a->parameters[i], *y = &b->parameters[i];

        ok = x->size == y->size && memcmp(&x->passing, &y->passing, sizeof x->passing) == 0 &&
             strcmp(x->name, y->name) == 0;
    }
    return ok;
}

static void check_prototype(struct subject *subject, const struct rdl__prototype *by_pointer)
{
    const struct rdl__prototype *p = subject->prototype;
    char name[8];

    expect(subject, strcmp(p->name, subject->it->name) == 0, "name", 0);
    expect(subject, p->count == subject->it->count, "number of parameters", p->count);
    expect(subject, is_alike(p, by_pointer), "prototype by a pointer", 0);
    for (unsigned i = 0; i < p->count && i < subject->it->count; i++) {
        snprintf(name, sizeof name, "a%u", i);
        expect(subject, strcmp(p->parameters[i].name, name) == 0, "name of parameter", i);
        expect(subject, p->parameters[i].size == subject->it->parameters[i].size, "size of", i);
    }
}

int main(void)
{
    struct rdl__prototype_wanted *wanted = calloc(2 * generated_count, sizeof *wanted);
    unsigned tried = 0, refused = 0, wrong = 0;

    for (unsigned i = 0; i < generated_count; i++) {
        wanted[2 * i].entry = (uintptr_t)generated[i].function;
        wanted[2 * i + 1].variable = generated[i].pointer;
    }
    rdl__prototypes_find(wanted, 2 * generated_count);
    for (unsigned i = 0; i < generated_count; i++) {
        struct subject subject = {.it = &generated[i], .prototype = &wanted[2 * i].prototype};

        if (*subject.prototype->refusal) {
            refused++;
            printf("refused: %s: %s\n", generated[i].name, subject.prototype->refusal);
            continue;
        }
        check_prototype(&subject, &wanted[2 * i + 1].prototype);
        subject.detour.address = (uintptr_t)generated[i].function;
        subject.detour.target = rdl__thunk_new(called, &subject);
        if (subject.wrong == 0)
            try_function(&subject);
        tried++;
        wrong += subject.wrong > 0;
    }
    printf("%u tried, %u refused, %u wrong\n", tried, refused, wrong);
    return wrong > 0;
}
