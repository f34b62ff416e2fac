/* case.c -- the case at hand: its memory, its end, its labels and spans. */
#include "case/case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port/clock.h"
#include "port/lines.h"

struct rdl_case *rdl__current;
bool rdl__worn_out;
void (*rdl__watch_activity)(const struct rdl__activity *activity);

void rdl__doing(struct rdl_case *t, const char *doing, const char *noun, uint64_t count)
{
    struct rdl__activity *activity = t->activity;

    if (doing && doing != activity->doing)
        activity->since_ns = rdl__now_ns();
    activity->noun = noun;
    activity->count = count;
    activity->doing = doing;
    if (rdl__watch_activity)
        rdl__watch_activity(activity);
}

void *rdl_alloc(struct rdl_case *t, size_t size)
{
    return memset(rdl__arena_alloc(&t->arena, size), 0, size);
}

/* Free threads may be here at the same time, for as long as it takes to move a pointer. */
void *rdl__keep_value(const void *bytes, size_t size)
{
    static char is_taken;
    void *kept;

    if (!rdl__current)
        return memcpy(rdl__allocate(size), bytes, size);
    while (__atomic_test_and_set(&is_taken, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
    kept = rdl__arena_alloc(&rdl__current->kept, size);
    __atomic_clear(&is_taken, __ATOMIC_RELEASE);
    return memcpy(kept, bytes, size);
}

void *rdl_alloc_array(struct rdl_case *t, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        rdl__misuse_by(RDL__CALLER,
                       "rdl_alloc_array: %zu elements of %zu bytes are more than there can be",
                       count, size);
    return rdl_alloc(t, bytes);
}

void *rdl_copy(struct rdl_case *t, const void *from, size_t size)
{
    void *to = rdl__arena_alloc(&t->arena, size);

    if (size)
        memcpy(to, from, size);
    return to;
}

char *rdl_format(struct rdl_case *t, const char *format, ...)
{
    va_list args, again;
    int length;
    char *text;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = rdl__arena_alloc(&t->arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

static void defer(struct rdl_case *t, void (*undo)(void *it), void *it, bool ours)
{
    struct rdl__deferred *deferred = rdl__arena_alloc(&t->arena, sizeof *deferred);

    *deferred = (struct rdl__deferred){undo, it, ours, t->deferred};
    t->deferred = deferred;
}

void rdl_defer(struct rdl_case *t, void (*undo)(void *it), void *it)
{
    defer(t, undo, it, false);
}

void rdl__defer(struct rdl_case *t, void (*undo)(void *it), void *it)
{
    defer(t, undo, it, true);
}

/* One may defer another. */
void rdl__undo_for_user(struct rdl_case *t)
{
    struct rdl__deferred **at = &t->deferred;

    while (*at) {
        struct rdl__deferred *deferred = *at;

        if (deferred->ours) {
            at = &deferred->next;
            continue;
        }
        *at = deferred->next;
        deferred->undo(deferred->it);
        at = &t->deferred;
    }
}

void *rdl_fixture(struct rdl_case *t)
{
    return t->fixture;
}

int rdl_size(struct rdl_case *t)
{
    return (int)t->settings.size;
}

void (*rdl__on_failure)(struct rdl_case *t);

_Noreturn void rdl__case_leave(struct rdl_case *t)
{
    if (t->leave)
        t->leave(t);
    if (__builtin_expect(rdl__on_failure != NULL, 0) && t->outcome->verdict == RDL__FAILED)
        rdl__on_failure(t);
    if (!pthread_equal(pthread_self(), t->thread))
        t->abandon();
    _longjmp(t->escape, 1);
}

_Noreturn void rdl_discard(struct rdl_case *t)
{
    t->outcome->verdict = RDL__DISCARDED;
    rdl__case_leave(t);
}

_Noreturn void rdl_skip(struct rdl_case *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(t->outcome->text, sizeof t->outcome->text, format, args);
    va_end(args);
    t->outcome->verdict = RDL__SKIPPED;
    rdl__case_leave(t);
}

_Noreturn void rdl__misuse(struct rdl_case *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(t->outcome->text, sizeof t->outcome->text, format, args);
    va_end(args);
    t->outcome->verdict = RDL__MISUSED;
    rdl__case_leave(t);
}

_Noreturn void rdl__misuse_at(const char *file, int line, const char *format, ...)
{
    char text[500];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (rdl__current)
        rdl__misuse(rdl__current, "%s:%d: %s", file, line, text);
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    abort();
}

_Noreturn void rdl__misuse_by(uintptr_t caller, const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!rdl__current) {
        fprintf(stderr, "%s\n", text);
        abort();
    }
    if (rdl__is_entry(caller))
        caller = (uintptr_t)rdl__current->test->body | RDL__TAIL_OF;
    rdl__misuse(rdl__current, RDL__AT "%016lx" RDL__AT_END ": %s", (unsigned long)caller, text);
}

void rdl__show(struct rdl_case *t, const char *file, int line, const char *what, uint32_t from,
               const struct rdl__text *value)
{
    rdl__trace_add(t->trace, &(struct rdl__event){
                                 .kind = RDL__EVENT_DRAW,
                                 .file = file,
                                 .line = line,
                                 .what = what,
                                 .text = rdl__text_string(value),
                                 .text_length = value->count,
                                 .from = from,
                                 .to = t->tape->count,
                             });
}

void rdl_label(struct rdl_case *t, const char *format, ...)
{
    char name[RDL__NAME_ROOM];
    va_list args;

    if (!t->counted)
        return;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    rdl__stats_label(t->stats, name, true, 0);
}

void rdl__classify(struct rdl_case *t, bool condition, const char *name)
{
    if (t->counted)
        rdl__stats_label(t->stats, name, condition, 0);
}

void rdl_cover(struct rdl_case *t, double percent, bool condition, const char *name)
{
    if (!(percent >= 0 && percent <= 100))
        rdl__misuse_by(RDL__CALLER, "rdl_cover(\"%s\"): %g is no percentage: it is from 0 to 100",
                       name, percent);
    if (t->counted)
        rdl__stats_label(t->stats, name, condition, percent);
}

void rdl_measure(struct rdl_case *t, double value, const char *name)
{
    if (t->counted)
        rdl__stats_measure(t->stats, name, value);
}

void rdl_maximise(struct rdl_case *t, double value, const char *name)
{
    uint32_t i = 0;

    if (value != value)
        return; /* NaN is no better than anything */
    while (i < t->score_count && strncmp(t->scores[i].name, name, RDL__NAME_ROOM - 1) != 0)
        i++;
    if (i == RDL__SCORES_MAX)
        rdl__misuse_by(
            RDL__CALLER,
            "rdl_maximise(\"%s\"): there are %d targets already, and no more are possible in a "
            "test",
            name, RDL__SCORES_MAX);
    if (i == t->score_count) {
        snprintf(t->scores[i].name, RDL__NAME_ROOM, "%s", name);
        t->scores[i].value = value;
        t->score_count++;
    } else if (value > t->scores[i].value) {
        t->scores[i].value = value;
    }
}

static void show_border(struct rdl_case *t, enum rdl__event_kind kind, const char *label)
{
    if (rdl__showing(t))
        rdl__trace_add(t->trace, &(struct rdl__event){
                                     .kind = kind,
                                     .file = "",
                                     .what = "",
                                     .text = label,
                                     .text_length = strlen(label),
                                     .from = t->tape->count,
                                     .to = t->tape->count,
                                 });
}

struct rdl_case *rdl_begin(struct rdl_case *t, const char *label)
{
    if (!label)
        rdl__misuse_by(RDL__CALLER, "rdl_begin: a span needs a label, and it is NULL");
    rdl__span_begin(t->tape, (uint32_t)rdl__hash_text(label));
    show_border(t, RDL__EVENT_BEGIN, label);
    return t;
}

/* A list that was left by break has not closed its own spans. */
static bool in_abandoned_list(const struct rdl__tape *tape)
{
    const struct rdl__span *open = tape->open == RDL__NONE ? NULL : &tape->spans[tape->open];

    return open && open->depth == tape->depth && tape->depth > 1 &&
           (open->label == RDL__LABEL_LIST || open->label == RDL__LABEL_ELEMENT);
}

void rdl_end(struct rdl_case *t)
{
    if (t->tape->depth == 0)
        rdl__misuse_by(RDL__CALLER,
                       "rdl_end without rdl_begin: each ends a span that one has begun");
    while (in_abandoned_list(t->tape))
        rdl__span_end(t->tape);
    show_border(t, RDL__EVENT_END, "");
    rdl__span_end(t->tape);
}
