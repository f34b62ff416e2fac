/* string_buffer.c -- a string that is made shorter while it is appended to another.
 *
 * Each string has a lock, and each function takes it.  But append asks another string for its
 * length, then for so many characters; in between, that string is anybody's.  The time between is
 * so short that loops and loads hardly ever hit it.
 *
 * After figures 7 to 9 of "Interleaving", where it is Java's StringBuffer. */
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ------------------------------------------------------------------- */

struct string {
    pthread_mutex_t lock;
    char *bytes;
    size_t length, room;
};

static void reserve(struct string *string, size_t room)
{
    if (room <= string->room)
        return;
    string->bytes = realloc(string->bytes, room);
    string->room = room;
    if (!string->bytes)
        abort();
}

static void begin_string(struct string *string, const char *text)
{
    *string = (struct string){.lock = PTHREAD_MUTEX_INITIALIZER, .length = strlen(text)};
    reserve(string, string->length + 1);
    memcpy(string->bytes, text, string->length);
}

static void end_string(struct string *string)
{
    free(string->bytes);
}

static size_t length_of(struct string *string)
{
    size_t length;

    pthread_mutex_lock(&string->lock);
    length = string->length;
    pthread_mutex_unlock(&string->lock);
    return length;
}

/* The first characters; false: there are not so many. */
static bool get_characters(struct string *string, char *out, size_t count)
{
    bool enough;

    pthread_mutex_lock(&string->lock);
    enough = count <= string->length;
    if (enough)
        memcpy(out, string->bytes, count);
    pthread_mutex_unlock(&string->lock);
    return enough;
}

static void shorten(struct string *string, size_t length)
{
    pthread_mutex_lock(&string->lock);
    if (length < string->length)
        string->length = length;
    pthread_mutex_unlock(&string->lock);
}

static bool append_broken(struct string *to, struct string *from)
{
    size_t count = length_of(from);
    bool enough;

    pthread_mutex_lock(&to->lock);
    reserve(to, to->length + count);
    enough = get_characters(from, to->bytes + to->length, count);
    if (enough)
        to->length += count;
    pthread_mutex_unlock(&to->lock);
    return enough;
}

static bool append(struct string *to, struct string *from)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    reserve(to, to->length + from->length);
    memcpy(to->bytes + to->length, from->bytes, from->length);
    to->length += from->length;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
    return true;
}

/* ---- Shortened meanwhile ------------------------------------------------------------------- */

struct strings {
    struct string to, from;
    bool (*append)(struct string *to, struct string *from);
    bool appended;
};

static void append_one(void *it)
{
    struct strings *s = it;

    s->appended = s->append(&s->to, &s->from);
}

static void shorten_one(void *it)
{
    struct strings *s = it;

    shorten(&s->from, 3);
}

static struct strings *begin_strings(struct rdl_case *t, bool broken)
{
    struct strings *s = rdl_alloc(t, sizeof *s);

    s->append = broken ? append_broken : append;
    begin_string(&s->to, "original data, ");
    begin_string(&s->from, "appended data");
    return s;
}

static void end_strings(struct strings *s)
{
    bool all = s->to.length == strlen("original data, appended data");
    bool some = s->to.length == strlen("original data, app");
    bool appended = s->appended;

    end_string(&s->to);
    end_string(&s->from);
    rdl_check(appended);
    rdl_check(all || some);
}

/* Append is held when it knows the length, until the other has shortened the string, or waits for
 * its lock. */
static void hold_append(struct rdl_case *t, bool broken)
{
    struct strings *s = begin_strings(t, broken);
    struct rdl_gate *gate = rdl_gate_at(t, broken ? "append_broken:/reserve/" : "append:/reserve/");
    struct rdl_thread *appender = rdl_spawn(t, "appender", append_one, s), *shortener;

    rdl_gate_reached(gate);
    shortener = rdl_spawn(t, "shortener", shorten_one, s);
    rdl_until_quiet(t);
    rdl_gate_open(gate);
    rdl_join(appender);
    rdl_join(shortener);
    end_strings(s);
}

RDL_SCHEDULE(append_is_held)
{
    hold_append(t, false);
}

RDL_SCHEDULE(append_is_held_free, .free_threads = true)
{
    hold_append(t, false);
}

RDL_SCHEDULE(broken_append_is_held, .expect_failure = PLANTED)
{
    hold_append(t, true);
}

RDL_SCHEDULE(broken_append_is_held_free, .free_threads = true, .expect_failure = PLANTED)
{
    hold_append(t, true);
}

/* ---- The same in words --------------------------------------------------------------------- */

static void shorten_between(struct rdl_case *t, const char *order, bool broken)
{
    struct strings *s = begin_strings(t, broken);
    struct rdl_thread *appender, *shortener;

    rdl_order(t, order);
    appender = rdl_spawn(t, "appender", append_one, s);
    shortener = rdl_spawn(t, "shortener", shorten_one, s);
    rdl_join(appender);
    rdl_join(shortener);
    end_strings(s);
}

#define IN_BETWEEN                                                                                 \
    "appender:append_broken:/reserve/ -> shortener:shorten,"                                       \
    "[shortener ended] -> appender:append_broken:/get_characters/"

RDL_SCHEDULE(broken_shortened_between, .expect_failure = PLANTED)
{
    shorten_between(t, IN_BETWEEN, true);
}

RDL_SCHEDULE(broken_shortened_between_free, .free_threads = true, .expect_failure = PLANTED)
{
    shorten_between(t, IN_BETWEEN, true);
}

/* ---- An order that cannot be --------------------------------------------------------------- */

/* Nobody can shorten a string that append holds: Raddle says who waits for whom. */
#define WHILE_LOCKED                                                                               \
    "appender:append:/reserve/ -> shortener:shorten,"                                              \
    "[shortener ended] -> appender:append:/memcpy/"

RDL_SCHEDULE(impossible_shortened_between, .expect_failure = PLANTED)
{
    shorten_between(t, WHILE_LOCKED, false);
}

RDL_SCHEDULE(impossible_shortened_between_free, .free_threads = true, .expect_failure = PLANTED)
{
    shorten_between(t, WHILE_LOCKED, false);
}

RDL_MAIN
