/* events_player.h -- what a driver does with a matcher, on streams that are written down.
 *
 *     EXPECT_STR(play(rdl_sequence(SENT(ping, 1), GOT(pong, 1)), "p1 O1"), "p1 O1 | complete");
 *
 * A stream is a text of words.  p1 is the ping 1 that comes out of the component, P1 one that
 * goes into it, p1' one on the port at the side; further letters are below.  A dot: nobody does
 * anything by himself; @50: it is 50 ms after the beginning; t:any_word is a frame.
 *
 * What play returns is what was done, and how it ended:
 *
 *     p1     forwarded            (p1)  held; forwarded or answered further on
 *     -p1    swallowed            !P1   triggered
 *     p1=A1  answered by A1       ...   what functions of the spec have told
 *
 * complete, incomplete (when the stream was over and nothing was left to do), refused, confused,
 * too many, late, endless, false (what rdl_inspect asked); wrong: the spec is, and why. */
#ifndef TESTS_EVENTS_PLAYER_H
#define TESTS_EVENTS_PLAYER_H

#include <ctype.h>
#include <stdlib.h>

#include "base/memory.h"
#include "events/events.h"
#include "events/match.h"
#include "harness.h"

struct number {
    int id;
};
struct letter {
    struct number number;
    int stamp; /* the same as the number */
};
RDL_EVENT(ping, struct number);                              /* p */
RDL_EVENT(pong, struct number);                              /* o */
RDL_EVENT(request, struct number);                           /* q */
RDL_EVENT(answer, struct number);                            /* a */
RDL_EVENT(message, struct number);                           /* m */
RDL_EVENT(letter, struct letter, .is_a = rdl_type(message)); /* l */
RDL_EVENT(express, struct letter, .is_a = rdl_type(letter)); /* x */

static struct rdl_port net = {.name = "net"}, side = {.name = "side"};

#define OUT(event, n)  rdl_out(&net, rdl_is(event, n))
#define IN(event, n)   rdl_in(&net, rdl_is(event, n))
#define OUT_ANY(event) rdl_out(&net, rdl_any(event))
#define IN_ANY(event)  rdl_in(&net, rdl_any(event))
#define SENT(event, n) rdl_expect(OUT(event, n))
#define GOT(event, n)  rdl_expect(IN(event, n))

#define UNUSED         __attribute__((unused))

/* ---- Events as words ------------------------------------------------------------------------ */

enum { HELD_MAX = 100, ACTS_MAX = 10000 };

union data {
    struct letter letter;
    struct rdl_frame frame;
    char room[100];
};

static struct rdl__text played;   /* the last play */
static struct rdl__text expected; /* at its end */
static struct rdl__text explained;

/* For functions of a spec. */
static void tell(const char *word)
{
    rdl__text_add(&played, "%s%s", played.count ? " " : "", word);
}

static const struct rdl_event_type *type_of(char letter)
{
    const struct rdl_event_type *all[] = {rdl_type(ping),    rdl_type(pong),    rdl_type(request),
                                          rdl_type(answer),  rdl_type(message), rdl_type(letter),
                                          rdl_type(express), rdl_type(frame)};
    const char *letters = "poqamlxt", *at = strchr(letters, tolower(letter));

    return all[at - letters];
}

static char letter_of(const struct rdl_event_type *type, enum rdl_direction direction)
{
    for (const char *letter = "poqamlxt"; *letter; letter++)
        if (type_of(*letter) == type)
            return (char)(direction == RDL_IN ? toupper(*letter) : *letter);
    return '?';
}

static struct rdl_event read_event(const char *word, union data *data)
{
    const struct rdl_event_type *type = type_of(word[0]);
    size_t size = strlen(word);

    memset(data, 0, sizeof *data);
    if (type == rdl_type(frame)) {
        data->frame.size = (uint32_t)size - 2;
        memcpy(data->frame.bytes, word + 2, size - 2);
    } else {
        data->letter.number.id = data->letter.stamp = atoi(word + 1);
    }
    return (struct rdl_event){.port = word[size - 1] == '\'' ? &side : &net,
                              .direction = isupper((unsigned char)word[0]) ? RDL_IN : RDL_OUT,
                              .type = type,
                              .data = data,
                              .size = type->size};
}

/* ---- What is done --------------------------------------------------------------------------- */

struct player {
    struct rdl__matcher *m;
    const char *verdict; /* NULL: it goes on */
    struct {
        char word[64];
    } held[HELD_MAX];
    int held_count, acts;
};

/* An event, and what it is answered by. */
static void write_effect(char out[64], const char *word, const struct rdl__effect *effect)
{
    bool replies = effect->kind == RDL__REPLY || effect->kind == RDL__HOLD_REPLY;

    snprintf(out, 64, "%s%.40s", effect->kind == RDL__SWALLOW ? "-" : "", word);
    if (replies)
        snprintf(out + strlen(out), 20, "=%c%d%s", letter_of(effect->step->type, RDL_IN),
                 ((const struct number *)effect->reply)->id,
                 effect->step->port == &side ? "'" : "");
}

static void carry_out(struct player *p, const char *word, const struct rdl__effect *effect)
{
    char text[64], held[64];

    write_effect(text, word, effect);
    if (effect->kind != RDL__HOLD && effect->kind != RDL__HOLD_REPLY) {
        tell(text);
        return;
    }
    if (p->held_count == HELD_MAX)
        test_fail(__FILE__, __LINE__, "more than %d events are held", HELD_MAX);
    memcpy(p->held[p->held_count++].word, text, sizeof text);
    snprintf(held, sizeof held, "(%.40s)", word);
    tell(held);
}

static void send(const struct rdl_step *step)
{
    union data data = {0};
    char text[40];

    if (step->make)
        step->make(&data);
    else
        memcpy(&data, step->value, step->type->size);
    snprintf(text, sizeof text, "!%c%d%s", letter_of(step->type, RDL_IN), data.letter.number.id,
             step->port == &side ? "'" : "");
    tell(text);
}

static void act(struct player *p, const struct rdl_step *step)
{
    rdl__matcher_look(p->m, rdl__matcher_actor(p->m));
    if (step->kind == RDL__STEP_TRIGGER)
        send(step);
    else if (step->kind == RDL__STEP_DO)
        step->act();
    else if (step->kind == RDL__STEP_INSPECT && !step->holds(step->object))
        p->verdict = "false";
    for (int i = 0; i < p->held_count && !(step->kind >= RDL__STEP_TRIGGER); i++)
        tell(p->held[i].word);
    if (step->kind < RDL__STEP_TRIGGER)
        p->held_count = 0;
    rdl__matcher_look(NULL, NULL);
    rdl__matcher_acted(p->m);
    if (++p->acts == ACTS_MAX)
        p->verdict = "endless";
}

/* All that can be done by now; one of it may be because nobody else does anything. */
static bool act_all(struct player *p, enum rdl__when when)
{
    const struct rdl_step *step;
    bool acted = false;

    while (!p->verdict && (step = rdl__matcher_act(p->m, when)) != NULL) {
        act(p, step);
        acted = true;
        when = RDL__ALL_AGREE;
    }
    return acted;
}

static void offer_event(struct player *p, const char *word)
{
    union data data;
    struct rdl_event event = read_event(word, &data);
    struct rdl__effect effect;

    act_all(p, RDL__ALL_AGREE);
    while (!p->verdict) {
        switch (rdl__matcher_event(p->m, &event, &effect)) {
        case RDL__TAKEN:
            carry_out(p, word, &effect);
            return;
        case RDL__ACT_FIRST:
            if (!act_all(p, RDL__IS_NEEDED))
                p->verdict = "refused";
            break;
        case RDL__REFUSED:
            p->verdict = "refused";
            break;
        case RDL__CONFUSED:
            p->verdict = "confused";
            break;
        case RDL__TOO_MANY:
            p->verdict = "too many";
            break;
        }
    }
}

/* ---- Streams -------------------------------------------------------------------------------- */

static void play_word(struct player *p, const char *word)
{
    if (word[0] == '.')
        act_all(p, RDL__IS_QUIET);
    else if (word[0] != '@')
        offer_event(p, word);
    else if (!rdl__matcher_time(p->m, (uint64_t)(atof(word + 1) * 1e6)))
        p->verdict = "late";
}

static void play_words(struct player *p, const char *stream)
{
    char *words = strdup(stream), *rest = words, *word;

    act_all(p, RDL__ALL_AGREE);
    while (!p->verdict && (word = strsep(&rest, " ")) != NULL)
        if (word[0])
            play_word(p, word);
    while (!p->verdict && act_all(p, RDL__IS_QUIET))
        continue;
    free(words);
}

static const char *play_program(const struct rdl__program *program, const char *stream)
{
    struct player p = {.m = rdl__matcher_new(program, 0, 0)};

    rdl__text_clear(&played);
    rdl__text_clear(&expected);
    rdl__text_clear(&explained);
    play_words(&p, stream);
    if (!p.verdict)
        p.verdict = rdl__matcher_is_complete(p.m) ? "complete" : "incomplete";
    rdl__text_add(&played, "%s| %s", played.count ? " " : "", p.verdict);
    rdl__matcher_expected(p.m, &expected);
    rdl__matcher_explain(p.m, &explained);
    rdl__matcher_free(p.m);
    return rdl__text_string(&played);
}

UNUSED static const char *play(const struct rdl_step *spec, const char *stream)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(spec, &error);

    if (!program) {
        rdl__text_clear(&played);
        rdl__text_add(&played, "wrong: %s", error.text);
        return rdl__text_string(&played);
    }
    play_program(program, stream);
    rdl__program_free(program);
    return rdl__text_string(&played);
}

/* ---- For streams that are long -------------------------------------------------------------- */

static struct rdl__arena texts;

__attribute__((format(printf, 1, 2))) UNUSED static const char *words(const char *format, ...)
{
    struct rdl__text text = {0};
    char *copy;
    va_list args;

    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    copy = rdl__arena_alloc(&texts, text.count + 1);
    memcpy(copy, rdl__text_string(&text), text.count + 1);
    rdl__text_release(&text);
    return copy;
}

/* The same words again and again, with a blank after each time. */
UNUSED static const char *times(int n, const char *stream)
{
    const char *all = "";

    while (n-- > 0)
        all = words("%s%s ", all, stream);
    return all;
}

/* ---- Less than all of it -------------------------------------------------------------------- */

/* How it ends, whatever was done before. */
UNUSED static const char *verdict(const struct rdl_step *spec, const char *stream)
{
    const char *text = play(spec, stream), *bar = strrchr(text, '|');

    return bar ? bar + 2 : text;
}

/* What is wrong with a spec; "" if nothing. */
UNUSED static const char *error_of(const struct rdl_step *spec)
{
    static struct rdl__error error;
    struct rdl__program *program = rdl__program_new(spec, &error);

    if (!program)
        return error.text;
    rdl__program_free(program);
    return "";
}

#endif
