/* lists.c -- lists of anything, and arrays of ints and bytes.
 *
 * rdl_ints and rdl_bytes write the very same tape as a loop over rdl_more; they
 * are here for speed. */
#include "generate/lists.h"

#include <inttypes.h>
#include <limits.h>

#include "generate/numbers.h"

enum { LENGTH_DEFAULT = 32 };

struct rdl_length rdl__length_or_default(struct rdl_case *t, const char *file, int line,
                                         struct rdl_length length)
{
    if (length.min == 0 && length.max == 0)
        length.max = LENGTH_DEFAULT;
    if (length.min > length.max)
        rdl__misuse(t,
                    "%s:%d: a list or string cannot have at least %zu and at most %zu elements: "
                    ".min is above .max",
                    file, line, length.min, length.max);
    return length;
}

size_t rdl__target_length(struct rdl_case *t, size_t min, size_t max)
{
    uint64_t spread = ((uint64_t)(max - min) * t->settings.size + 99) / 100;

    return min + (size_t)rdl__random_upto(&t->tape->random, spread);
}

struct rdl_list rdl__list(struct rdl_case *t, const char *file, int line, struct rdl_many form)
{
    struct rdl_length length = rdl__length_or_default(t, file, line, form.length);
    struct rdl__tape *tape = t->tape;
    size_t target = tape->fresh ? rdl__target_length(t, length.min, length.max) : SIZE_MAX;

    rdl__span_begin(tape, RDL__LABEL_LIST);
    return (struct rdl_list){
        .t = t,
        .min = length.min,
        .max = length.max,
        .target = target,
        .room = rdl__room_for(tape, target, length.max),
        .depth = tape->depth,
    };
}

/* Is there an element after `count` of them? */
static inline bool draw_more(struct rdl__tape *tape, size_t count, size_t min, size_t max,
                             size_t target)
{
    bool open = count >= min && count < max;
    uint64_t index =
        tape->fresh ? open && count < target : rdl__tape_given(tape, RDL__MORE, open, 0);

    rdl__record(tape, RDL__MORE, index, open, 0);
    return open ? index : count < min;
}

/* The span of an element begins with the question that was just answered. */
static inline void begin_element(struct rdl__tape *tape)
{
    rdl__span_begin(tape, RDL__LABEL_ELEMENT);
    if (tape->open != RDL__NONE)
        tape->spans[tape->open].start = tape->count - 1;
}

static void show_element(struct rdl_case *t, size_t number)
{
    struct rdl__text label = {0};

    rdl__text_add(&label, "#%zu", number);
    rdl__trace_add(t->trace, &(struct rdl__event){.kind = RDL__EVENT_BEGIN,
                                                  .file = "",
                                                  .what = "",
                                                  .text = label.bytes,
                                                  .text_length = label.count});
    rdl__text_release(&label);
}

static void show_end(struct rdl_case *t)
{
    static const struct rdl__event end = {
        .kind = RDL__EVENT_END, .file = "", .what = "", .text = ""};

    rdl__trace_add(t->trace, &end);
}

bool rdl_more(struct rdl_list *list)
{
    struct rdl_case *t = list->t;
    struct rdl__tape *tape = t->tape;

    if (list->ended)
        return false;
    while (tape->depth > list->depth) /* the element before, and lists left by break in it */
        rdl__span_end(tape);
    if (list->count > 0 && rdl__showing(t))
        show_end(t);
    if (tape->fresh && list->target == SIZE_MAX)
        list->target = rdl__target_length(t, list->count, list->max);
    if (!draw_more(tape, list->count, list->min, list->max, list->target)) {
        rdl__span_end(tape);
        list->ended = true;
        return false;
    }
    list->count++;
    begin_element(tape);
    if (rdl__showing(t))
        show_element(t, list->count);
    return true;
}

static void show_ints(struct rdl_case *t, const char *file, int line, uint32_t from, const int *xs,
                      size_t n)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "{");
    for (size_t i = 0; i < n; i++)
        rdl__text_add(&text, i ? ", %d" : "%d", xs[i]);
    rdl__text_add(&text, "}");
    rdl__show(t, file, line, "rdl_ints", from, &text);
    rdl__text_release(&text);
}

/* The integers of a list: any of them may be drawn. */
struct domain {
    uint64_t simplest, max, below;
};

/* n elements and the question after them, drawn by chance: what the loop in
 * rdl__ints would do, with everything that changes held in registers. */
static void draw_ints(struct rdl_case *t, int *xs, size_t n, struct rdl_length length,
                      const struct domain *domain)
{
    struct rdl__tape *tape = t->tape;
    struct rdl__random random = tape->random;
    struct rdl__choice *choice = tape->choices + tape->count;
    struct rdl__span *span = tape->spans + tape->span_count;
    uint16_t depth = tape->depth, low = tape->low;

    for (size_t i = 0; i <= n; i++) {
        bool open = i >= length.min && i < length.max;
        uint32_t at = (uint32_t)(choice - tape->choices);
        uint64_t index;
        struct rdl__offset offset;

        *choice++ = (struct rdl__choice){.index = open && i < n,
                                         .max = open,
                                         .depth = depth,
                                         .low = i ? depth : low,
                                         .kind = RDL__MORE};
        if (i == n)
            break;
        index = rdl__biased_index(&random, domain->max, domain->below, t->settings.size);
        offset = rdl__offset_of(index, domain->max, domain->below);
        *choice++ = (struct rdl__choice){.index = index,
                                         .max = domain->max,
                                         .below = domain->below,
                                         .depth = (uint16_t)(depth + 1),
                                         .low = depth,
                                         .kind = RDL__INTEGER};
        *span++ = (struct rdl__span){.start = at,
                                     .end = at + 2,
                                     .label = RDL__LABEL_ELEMENT,
                                     .parent = tape->open,
                                     .depth = (uint16_t)(depth + 1)};
        xs[i] = (int)(domain->simplest + (offset.negative ? -offset.distance : offset.distance));
    }
    tape->count = (uint32_t)(choice - tape->choices);
    tape->span_count = (uint32_t)(span - tape->spans);
    tape->random = random;
    tape->low = depth;
}

static bool has_room_for(const struct rdl__tape *tape, size_t n)
{
    return tape->limit - tape->count > 2 * n && tape->span_limit - tape->span_count >= n;
}

int *rdl__ints(struct rdl_case *t, const char *file, int line, size_t *out_n, struct rdl_many form)
{
    bool all = form.range.min == 0 && form.range.max == 0;
    int64_t min = all ? INT_MIN : form.range.min, max = all ? INT_MAX : form.range.max;
    int64_t simplest = min > 0 ? min : max < 0 ? max : 0;
    struct domain domain = {(uint64_t)simplest, (uint64_t)(max - min), (uint64_t)(simplest - min)};
    struct rdl_length length = rdl__length_or_default(t, file, line, form.length);
    struct rdl__tape *tape = t->tape;
    uint32_t from = tape->count;
    size_t target = SIZE_MAX, n = 0, room;
    int *xs;

    if (min > max || min < INT_MIN || max > INT_MAX)
        rdl__misuse(t, "%s:%d: rdl_ints: no range of ints: %" PRId64 " to %" PRId64, file, line,
                    min, max);
    rdl__span_begin(tape, RDL__LABEL_LIST);
    if (tape->fresh)
        target = rdl__target_length(t, length.min, length.max);
    room = rdl__room_for(tape, target, length.max);
    xs = rdl__arena_alloc(&t->arena, room * sizeof *xs);
    if (tape->fresh && has_room_for(tape, target)) {
        n = target;
        draw_ints(t, xs, n, length, &domain);
    } else {
        while (draw_more(tape, n, length.min, length.max, target)) {
            begin_element(tape);
            xs[n++] = (int)rdl__draw_integer(t, domain.simplest, domain.max, domain.below);
            rdl__span_end(tape);
        }
    }
    rdl__span_end(tape);
    rdl__arena_trim(&t->arena, xs, room * sizeof *xs, n * sizeof *xs);
    *out_n = n;
    if (rdl__showing(t))
        show_ints(t, file, line, from, xs, n);
    return xs;
}

static void show_bytes(struct rdl_case *t, const char *file, int line, uint32_t from,
                       const uint8_t *bytes, size_t n)
{
    struct rdl__text text = {0};

    rdl__text_add_many(&text, n, "byte");
    rdl__text_add(&text, n ? ": " : "");
    rdl__text_add_hex(&text, bytes, n);
    rdl__show(t, file, line, "rdl_bytes", from, &text);
    rdl__text_release(&text);
}

uint8_t *rdl__bytes(struct rdl_case *t, const char *file, int line, size_t *out_n,
                    struct rdl_many form)
{
    struct rdl_length length = rdl__length_or_default(t, file, line, form.length);
    struct rdl__tape *tape = t->tape;
    uint32_t from = tape->count;
    size_t target = SIZE_MAX, n = 0, room;
    uint8_t *bytes;

    rdl__span_begin(tape, RDL__LABEL_LIST);
    if (tape->fresh)
        target = rdl__target_length(t, length.min, length.max);
    room = rdl__room_for(tape, target, length.max);
    bytes = rdl__arena_alloc(&t->arena, room);
    while (draw_more(tape, n, length.min, length.max, target)) {
        begin_element(tape);
        bytes[n++] = (uint8_t)rdl__draw_integer(t, 0, UINT8_MAX, 0);
        rdl__span_end(tape);
    }
    rdl__span_end(tape);
    rdl__arena_trim(&t->arena, bytes, room, n);
    *out_n = n;
    if (rdl__showing(t))
        show_bytes(t, file, line, from, bytes, n);
    return bytes;
}
