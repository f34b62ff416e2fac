/* hit.c -- a thread has come to a place: who it is, and the variables there. */
#include "control/gate/gate.h"
#include "port/frame.h"
#include "port/locate.h"

struct rdl_case *rdl_hit_case(const struct rdl_hit *hit)
{
    return hit->t;
}

const char *rdl_hit_thread(const struct rdl_hit *hit)
{
    return hit->thread;
}

const char *rdl_hit_function(const struct rdl_hit *hit)
{
    return hit->spot->function;
}

int rdl_hit_line(const struct rdl_hit *hit)
{
    return hit->spot->line;
}

static bool find_part(const struct rdl_hit *hit, const char *path, size_t size,
                      struct rdl__part *out, struct rdl__error *error)
{
    if (!hit->frame)
        return rdl__fail(error, "nothing is known of variables here: compile it with -g");
    if (!rdl__part_find(hit->frame, hit->registers, path, out, error))
        return false;
    if (out->type && out->type->size != size && out->bits == 0)
        return rdl__fail(error, "%s has %u bytes, not %zu", path, out->type->size, size);
    return true;
}

bool rdl_hit_read(struct rdl_hit *hit, const char *path, void *out, size_t size)
{
    struct rdl__error error;
    struct rdl__part part;

    return find_part(hit, path, size, &part, &error) &&
           rdl__part_read(&part, hit->registers, out, size, &error);
}

bool rdl_hit_write(struct rdl_hit *hit, const char *path, const void *value, size_t size)
{
    struct rdl__error error;
    struct rdl__part part;

    return find_part(hit, path, size, &part, &error) &&
           rdl__part_write(&part, hit->registers, value, size, &error);
}

/* The bits of a number of the other kind make no sense. */
static bool check_kind(const struct rdl__part *part, bool as_float, struct rdl__error *error)
{
    bool is_float = part->type && part->type->kind == RDL__TYPE_FLOAT;

    if (is_float == as_float)
        return true;
    return rdl__fail(error, is_float
                                ? "it is a floating-point number, and asked for as another type"
                                : "it is no floating-point number, and asked for as one");
}

void *rdl__hit_value(struct rdl_hit *hit, const char *path, void *out, size_t size, bool as_float,
                     const char *file, int line)
{
    struct rdl__error error;
    struct rdl__part part;

    if (!find_part(hit, path, size, &part, &error) || !check_kind(&part, as_float, &error) ||
        !rdl__part_read(&part, hit->registers, out, size, &error))
        rdl__misuse(hit->t, "%s:%d: cannot read %s in %s: %s", file, line, path,
                    hit->spot->function, error.text);
    return out;
}
