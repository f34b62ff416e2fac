/* prototype.c -- arguments and results of a function whose prototype is known. */
#include "port/prototype.h"

#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/error.h"
#include "port/helper.h"
#include "port/prototype_read.h"

enum { EIGHT = 8, ROOM = 64 << 20 }; /* none is used before it is needed */

/* ---- Asking for them ------------------------------------------------------------------------- */

static void refuse_unread(struct rdl__prototype_wanted *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!wanted[i].prototype.refusal)
            wanted[i].prototype = (struct rdl__prototype){
                .name = "",
                .returns_name = "",
                .refusal = "debugging information could not be read (is libdw installed?)"};
}

/* What was found lies in memory shared with the process that found it, at the same address, and is
 * kept for as long as this process lives. */
void rdl__prototypes_find(struct rdl__prototype_wanted *wanted, size_t count)
{
    size_t size = count * sizeof *wanted;
    char *shared = count && size < ROOM / 2 ? rdl__map(ROOM, MAP_SHARED) : NULL;
    struct rdl__prototype_errand errand = {.count = count};

    for (size_t i = 0; i < count; i++)
        wanted[i].prototype = (struct rdl__prototype){0};
    if (shared) {
        errand.room = (struct rdl__room){shared, shared + ROOM};
        errand.wanted = rdl__room_get(&errand.room, size);
        memcpy(errand.wanted, wanted, size);
        if (rdl__work_apart(rdl__prototypes_read, &errand))
            memcpy(wanted, errand.wanted, size);
    }
    refuse_unread(wanted, count);
}

/* ---- Reading and writing them ---------------------------------------------------------------- */

/* Where a thunk keeps 8 bytes of a value. */
static uint8_t *place_of(struct rdl__arguments *in, const struct rdl__passing *passing, int i,
                         bool is_result)
{
    uint8_t number = passing->number[i];
    size_t top = passing->how[i] == RDL__CARRIED_BY_VECTOR_TOP ? EIGHT : 0;

    if (passing->how[i] != RDL__CARRIED_BY_INTEGER)
        return (is_result ? in->returned[number] : in->vectors[number]) + top;
    return (uint8_t *)(!is_result ? &in->integers[number] : number ? &in->rdx : &in->rax);
}

/* Where all of it lies; NULL: in registers. */
static uint8_t *whole_of(struct rdl__arguments *in, const struct rdl__passing *passing)
{
    switch (passing->how[0]) {
    case RDL__CARRIED_BY_STACK:
        return (uint8_t *)in->stack + passing->at;
    case RDL__CARRIED_BY_ST0:
        return (uint8_t *)&in->st0;
    default:
        return NULL;
    }
}

static bool is_in_register(const struct rdl__passing *passing, int i)
{
    return passing->how[i] != RDL__CARRIED_BY_NOTHING;
}

static void read(const struct rdl__passing *passing, uint32_t size, struct rdl__arguments *in,
                 bool is_result, uint8_t *out)
{
    const uint8_t *whole = whole_of(in, passing);

    if (whole) {
        memcpy(out, whole, size);
        return;
    }
    for (uint32_t i = 0; i < 2 && i * EIGHT < size; i++) {
        uint32_t left = size - i * EIGHT;

        if (is_in_register(passing, (int)i))
            memcpy(out + (size_t)i * EIGHT, place_of(in, passing, (int)i, is_result),
                   left < EIGHT ? left : EIGHT);
        else
            memset(out + (size_t)i * EIGHT, 0, left < EIGHT ? left : EIGHT);
    }
}

/* The compiler may rely on small numbers being extended. */
static bool is_extended_by_sign(const struct rdl__type *type, uint32_t size, const uint8_t *value)
{
    bool is_signed =
        type && (type->kind == RDL__TYPE_SIGNED || type->kind == RDL__TYPE_CHAR || type->is_signed);

    return is_signed && size < EIGHT && value[size - 1] >> 7;
}

static void write(const struct rdl__passing *passing, const struct rdl__type *type, uint32_t size,
                  struct rdl__arguments *in, bool is_result, const uint8_t *value)
{
    uint8_t *whole = whole_of(in, passing);

    if (whole) {
        memcpy(whole, value, size);
        return;
    }
    for (uint32_t i = 0; i < 2 && i * EIGHT < size; i++) {
        uint32_t left = size - i * EIGHT;
        uint8_t *place = place_of(in, passing, (int)i, is_result);

        if (!is_in_register(passing, (int)i))
            continue;
        if (passing->how[i] == RDL__CARRIED_BY_INTEGER)
            memset(place, is_extended_by_sign(type, size, value) ? 0xff : 0, EIGHT);
        memcpy(place, value + (size_t)i * EIGHT, left < EIGHT ? left : EIGHT);
    }
}

void rdl__argument_read(const struct rdl__prototype *p, uint32_t i,
                        const struct rdl__arguments *from, void *out)
{
    rdl__bug_if(i >= p->count);
    read(&p->parameters[i].passing, p->parameters[i].size, (struct rdl__arguments *)from, false,
         out);
}

void rdl__argument_write(const struct rdl__prototype *p, uint32_t i, struct rdl__arguments *to,
                         const void *value)
{
    rdl__bug_if(i >= p->count);
    write(&p->parameters[i].passing, p->parameters[i].type, p->parameters[i].size, to, false,
          value);
}

void rdl__returned_read(const struct rdl__prototype *p, const struct rdl__arguments *from,
                        void *out)
{
    if (p->returning.how[0] == RDL__CARRIED_BY_POINTER)
        memcpy(out, (const void *)from->rax, p->returns_size);
    else
        read(&p->returning, p->returns_size, (struct rdl__arguments *)from, true, out);
}

void rdl__returned_write(const struct rdl__prototype *p, struct rdl__arguments *to,
                         const void *value)
{
    if (p->returning.how[0] == RDL__CARRIED_BY_POINTER) {
        memcpy((void *)to->integers[0], value, p->returns_size);
        to->rax = to->integers[0];
        return;
    }
    if (p->returning.how[0] == RDL__CARRIED_BY_ST0)
        to->st_count = 1;
    write(&p->returning, p->returns, p->returns_size, to, true, value);
}

void rdl__prototype_call(const struct rdl__prototype *p, uintptr_t function,
                         struct rdl__arguments *arguments)
{
    arguments->st_count = p->returning.how[0] == RDL__CARRIED_BY_ST0;
    rdl__thunk_call(function, arguments, p->stack_bytes);
}
