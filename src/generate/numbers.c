/* numbers.c -- integers and booleans.
 *
 * Chance prefers what breaks programs: the ends of a range, powers of two and
 * their neighbours, numbers near the simplest.  Half of the draws from a large
 * range are even over all of it. */
#include "generate/numbers.h"

#include <inttypes.h>

#include "raddle/generate.h"

static uint64_t clamp(uint64_t x, uint64_t max)
{
    return x < max ? x : max;
}

uint64_t rdl__edge_index(struct rdl__random *random, uint64_t max, uint64_t below)
{
    uint64_t word = rdl__random_next(random);
    bool negative = below > 0 && (word & 8);
    uint64_t reach = rdl__reach(negative, max, below);
    int bit = (int)((word >> 4 & 63) * (unsigned)rdl__bit_length(reach)) / 64;
    uint64_t distance;

    switch (word & 7) {
    case 0:
    case 1:
        distance = reach;
        break;
    case 2:
        distance = reach - (reach > 0);
        break;
    case 3:
        distance = 0;
        break;
    case 4:
        distance = clamp(1, reach);
        break;
    default:
        distance = clamp((UINT64_C(1) << bit) + (word >> 10 & 1) - (word >> 11 & 1), reach);
        break;
    }
    return rdl__index_of((struct rdl__offset){distance, negative && distance}, max, below);
}

/* Show an integer drawn since `from`; bits < 0 for signed ones. */
static void show(struct rdl_case *t, const char *file, int line, const char *what, uint32_t from,
                 uint64_t value, bool is_signed)
{
    struct rdl__text text = {0};

    if (is_signed)
        rdl__text_add(&text, "%" PRId64, (int64_t)value);
    else
        rdl__text_add(&text, "%" PRIu64, value);
    rdl__show(t, file, line, what, from, &text);
    rdl__text_release(&text);
}

static uint64_t draw_signed(struct rdl_case *t, const char *file, int line, const char *what,
                            int64_t simplest, int64_t min, int64_t max)
{
    uint64_t value = rdl__draw_integer(t, (uint64_t)simplest, (uint64_t)max - (uint64_t)min,
                                       (uint64_t)simplest - (uint64_t)min);

    if (rdl__showing(t))
        show(t, file, line, what, t->tape->count - 1, value, true);
    return value;
}

static uint64_t draw_unsigned(struct rdl_case *t, const char *file, int line, const char *what,
                              uint64_t min, uint64_t max)
{
    uint64_t value = rdl__draw_integer(t, min, max - min, 0);

    if (rdl__showing(t))
        show(t, file, line, what, t->tape->count - 1, value, false);
    return value;
}

int64_t rdl__int(struct rdl_case *t, const char *file, int line, int64_t min, int64_t max)
{
    if (min > max)
        rdl__misuse(t, "%s:%d: rdl_int: no number lies between %" PRId64 " and %" PRId64, file,
                    line, min, max);
    return (int64_t)draw_signed(t, file, line, "rdl_int",
                                min > 0   ? min
                                : max < 0 ? max
                                          : 0,
                                min, max);
}

uint64_t rdl__uint(struct rdl_case *t, const char *file, int line, uint64_t min, uint64_t max)
{
    if (min > max)
        rdl__misuse(t, "%s:%d: rdl_uint: no number lies between %" PRIu64 " and %" PRIu64, file,
                    line, min, max);
    return draw_unsigned(t, file, line, "rdl_uint", min, max);
}

int64_t rdl__int_near(struct rdl_case *t, const char *file, int line, int64_t simplest, int64_t min,
                      int64_t max)
{
    if (min > max || simplest < min || simplest > max)
        rdl__misuse(
            t, "%s:%d: rdl_int_near: %" PRId64 " does not lie between %" PRId64 " and %" PRId64,
            file, line, simplest, min, max);
    return (int64_t)draw_signed(t, file, line, "rdl_int_near", simplest, min, max);
}

uint64_t rdl__width(struct rdl_case *t, const char *file, int line, const char *what, int bits)
{
    if (bits > 0)
        return draw_unsigned(t, file, line, what, 0, UINT64_MAX >> (64 - bits));
    return draw_signed(t, file, line, what, 0, INT64_MIN >> (64 + bits), INT64_MAX >> (64 + bits));
}

bool rdl__chance(struct rdl_case *t, const char *file, int line, const char *what,
                 double probability)
{
    bool value;

    if (!(probability >= 0 && probability <= 1))
        rdl__misuse(t, "%s:%d: %s: %g is no probability: it is from 0 to 1", file, line, what,
                    probability);
    /* What cannot or must happen is still a choice, so that tapes stay aligned
     * when a probability depends on what was drawn before. */
    if (probability == 1) {
        rdl__choose(t->tape, RDL__BOOLEAN, 0);
        value = true;
    } else {
        value = rdl__draw_boolean(t, probability, probability > 0);
    }
    if (rdl__showing(t)) {
        struct rdl__text text = {0};

        rdl__text_add(&text, value ? "true" : "false");
        rdl__show(t, file, line, what, t->tape->count - 1, &text);
        rdl__text_release(&text);
    }
    return value;
}
