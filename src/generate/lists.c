/* lists.c -- lists of anything, and arrays of ints and bytes.
 *
 * rdl_ints and rdl_bytes write the very same tape as a loop over rdl_more; they
 * are here for speed. */
#include "generate/lists.h"

#include <inttypes.h>
#include <limits.h>

#include "generate/numbers.h"

enum { LENGTH_DEFAULT = 32 };

struct rdl_length rdl__length_or_default(struct rdl_case *t, struct rdl_length length)
{
    if (length.min == 0 && length.max == 0)
        length.max = LENGTH_DEFAULT;
    if (length.min > length.max)
        rdl__misuse(t, "a list cannot have at least %zu and at most %zu elements", length.min,
                    length.max);
    return length;
}

size_t rdl__target_length(struct rdl_case *t, size_t min, size_t max)
{
    uint64_t spread = ((uint64_t)(max - min) * t->settings.size + 99) / 100;

    return min + (size_t)rdl__random_upto(&t->tape->random, spread);
}

struct rdl_list rdl__list(struct rdl_case *t, struct rdl_many form)
{
    struct rdl_length length = rdl__length_or_default(t, form.length);
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

int *rdl__ints(struct rdl_case *t, const char *file, int line, size_t *out_n, struct rdl_many form)
{
    bool all = form.range.min == 0 && form.range.max == 0;
    int64_t min = all ? INT_MIN : form.range.min, max = all ? INT_MAX : form.range.max;
    int64_t simplest = min > 0 ? min : max < 0 ? max : 0;
    struct rdl_length length = rdl__length_or_default(t, form.length);
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
    while (draw_more(tape, n, length.min, length.max, target)) {
        begin_element(tape);
        xs[n++] = (int)rdl__draw_integer(t, (uint64_t)simplest, (uint64_t)(max - min),
                                         (uint64_t)(simplest - min));
        rdl__span_end(tape);
    }
    rdl__span_end(tape);
    *out_n = n;
    if (rdl__showing(t))
        show_ints(t, file, line, from, xs, n);
    return xs;
}

static void show_bytes(struct rdl_case *t, const char *file, int line, uint32_t from,
                       const uint8_t *bytes, size_t n)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "%zu byte%s: ", n, n == 1 ? "" : "s");
    rdl__text_add_hex(&text, bytes, n);
    rdl__show(t, file, line, "rdl_bytes", from, &text);
    rdl__text_release(&text);
}

uint8_t *rdl__bytes(struct rdl_case *t, const char *file, int line, size_t *out_n,
                    struct rdl_many form)
{
    struct rdl_length length = rdl__length_or_default(t, form.length);
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
    *out_n = n;
    if (rdl__showing(t))
        show_bytes(t, file, line, from, bytes, n);
    return bytes;
}
