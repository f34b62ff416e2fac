/* shell_calls.c -- calls that are written by hand, and what can be said of them. */
#include "cli/shell.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "drive/drive.h"
#include "port/likes.h"

enum { EXAMPLES = 3, DRAWS = 40 };

char *rdl__trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return text;
}

/* ---- A call --------------------------------------------------------------------------------- */

static const struct rdl_operation *find_operation(const struct rdl_spec *spec, const char *name,
                                                  struct rdl__error *error)
{
    struct rdl__likes likes = {.wanted = name};
    struct rdl__text meant = {0};

    for (size_t i = 0; i < spec->operation_count; i++) {
        if (strcmp(rdl__operation(spec, i)->name, name) == 0)
            return rdl__operation(spec, i);
        rdl__likes_consider(&likes, rdl__operation(spec, i)->name);
    }
    rdl__likes_say(&meant, &likes);
    rdl__fail(error, "%s has no operation '%s' (`help` shows all)%s", spec->name, name,
              rdl__text_string(&meant));
    rdl__text_release(&meant);
    return NULL;
}

/* "0: enter(n = 0, weight = 100)", "0 enter n = 0, weight = 100" or "0 enter 0 100" */
static bool read_call(struct rdl_case *t, const struct rdl__performer *by, char *text,
                      struct rdl__wanted *out, struct rdl__error *error)
{
    char *end, *name;
    size_t length;

    text = rdl__trim(text);
    out->client = (uint32_t)strtoul(text, &end, 10);
    if (end == text || !isdigit((unsigned char)*text))
        return rdl__fail(error,
                         "'%s' is no call: a call begins with the number of a client, as in "
                         "0: %s(...)",
                         text, rdl__operation(by->all->spec, 0)->name);
    if (out->client >= by->clients)
        return rdl__fail(error, "there is no client %u, only 0 to %u", out->client,
                         by->clients - 1);
    name = rdl__trim(end + (*end == ':'));
    length = strcspn(name, " (\t");
    end = name + length;
    text = rdl_copy(t, name, length + 1);
    text[length] = '\0';
    if (!(out->op = find_operation(by->all->spec, text, error)))
        return false;
    end = rdl__trim(end);
    length = strlen(end);
    if (*end == '(' && end[length - 1] == ')') {
        end[length - 1] = '\0';
        end = rdl__trim(end + 1);
    }
    out->args = rdl_alloc(t, out->op->args_size + 1);
    if (out->op->args_size == 0)
        return !*end || rdl__fail(error, "%s takes no arguments", out->op->name);
    if (!rdl__read_args(out->op, end, out->args, error))
        return false;
    out->op->clear_args(out->args);
    return true;
}

static const void *state_of(const struct rdl__performer *by)
{
    return rdl__viable_state(by->viable);
}

static bool can_call(const struct rdl__performer *by, const struct rdl__wanted *w,
                     struct rdl__error *error)
{
    const struct rdl__client *client = &by->all->clients[w->client];
    struct rdl__text call = {0};

    if (client->job) {
        rdl__show_call(&call, client->job->call.operation, client->job->args);
        rdl__fail(error, "client %u waits in %s", w->client, call.bytes);
        rdl__text_release(&call);
        return false;
    }
    if (w->op->may && !w->op->may(client->me))
        return rdl__fail(error, "client %u must not call %s now: its may does not hold", w->client,
                         w->op->name);
    return rdl__pre(w->op, state_of(by), w->args) ||
           rdl__fail(error, "%s must not be called like that: its pre does not hold", w->op->name);
}

/* The calls of a line, with || between them.  0: error says what is wrong. */
uint32_t rdl__shell_read_calls(struct rdl_case *t, const struct rdl__performer *by,
                               const char *line, struct rdl__wanted *out, struct rdl__error *error)
{
    char *rest = rdl_copy(t, line, strlen(line) + 1), *bar;
    uint32_t count = 0;

    for (char *part = rest; part; part = bar ? bar + 2 : NULL) {
        bar = strstr(part, "||");
        if (bar)
            *bar = '\0';
        if (count == by->clients)
            return rdl__fail(error, "there are more calls than clients");
        if (!read_call(t, by, part, &out[count], error))
            return 0;
        for (uint32_t i = 0; i < count; i++)
            if (out[i].client == out[count].client)
                return rdl__fail(error, "client %u cannot make two calls at once", out[i].client);
        if (!can_call(by, &out[count++], error))
            return 0;
    }
    return count;
}

/* ---- What has come of it -------------------------------------------------------------------- */

/* Why would it wait, in this state, with those that wait already?  NULL: it would not.  What a
 * policy knows of earlier calls is the judge's; asked here is a policy that begins. */
static const char *why_it_waits(const struct rdl__performer *by, const struct rdl_call *call)
{
    const struct rdl_spec *spec = by->all->spec;
    const struct rdl_policy *policy = rdl__policy_of(spec);
    const struct rdl_call *waiting[RDL__CLIENTS_MOST + 1];
    uint32_t count = rdl__clients_waiting(by->all, by->all->calls + 1, waiting), self = 0;

    if (!rdl__cpre(call->operation, state_of(by), call->args))
        return "its cpre does not hold";
    while (self < count && waiting[self]->number != call->number)
        self++;
    if (self == count)
        waiting[count++] = call;
    if (policy->state_size || policy->info_size)
        return self + 1 < count ? "the policy decides who goes on" : NULL;
    if (!rdl__enabled(spec, state_of(by), NULL, NULL,
                      &(struct rdl_queue){.calls = waiting, .count = count, .self = self}))
        return "its cpre holds, but the policy does not let it go on";
    return NULL;
}

static void show_waiting(const struct rdl__performer *by, const struct rdl__given *given)
{
    const char *why = why_it_waits(by, &given->call);
    struct rdl__text text = {0};

    rdl__show_call(&text, given->call.operation, given->args);
    printf("  %u waits in %s%s%s\n", given->call.client, text.bytes, why ? ": " : "",
           why ? why : "");
    rdl__text_release(&text);
}

void rdl__shell_who(const struct rdl__performer *by, bool all)
{
    bool any = false;

    for (uint32_t i = 0; i < by->clients; i++)
        if (by->all->clients[i].job) {
            show_waiting(by, by->all->clients[i].job);
            any = true;
        }
    if (!any && all)
        printf("  nobody waits\n");
}

void rdl__shell_returns(const struct rdl__performer *by, uint32_t from)
{
    for (uint32_t i = from; i < by->all->log_count; i++) {
        const struct rdl__given *given = by->all->log[i].given;
        struct rdl__text text = {0};

        if (!by->all->log[i].returns)
            continue;
        rdl__show_call(&text, given->call.operation, given->args);
        if (given->call.operation->answer_size) {
            rdl__text_add(&text, " with ");
            rdl__show_answer(&text, given->call.operation, given->answer);
        }
        printf("  %u returns from %s\n", given->call.client, text.bytes);
        rdl__text_release(&text);
    }
}

/* ---- Questions ------------------------------------------------------------------------------ */

struct states {
    const struct rdl_spec *spec;
    struct rdl__text seen;
    uint32_t count;
};

static bool add_state(void *it, const void *state)
{
    struct states *states = it;
    struct rdl__text text = {0};

    rdl__text_add(&text, "  ");
    rdl__show_state(&text, states->spec, state);
    rdl__text_add(&text, "\n");
    if (!strstr(rdl__text_string(&states->seen), text.bytes)) {
        rdl__text_add(&states->seen, "%s", text.bytes);
        states->count++;
    }
    rdl__text_release(&text);
    return states->count < 20;
}

void rdl__shell_state(const struct rdl__performer *by)
{
    struct states states = {.spec = by->all->spec};

    rdl__viable_each(by->viable, add_state, &states);
    if (states.count > 1)
        printf("one of these:\n");
    fputs(rdl__text_string(&states.seen), stdout);
    rdl__text_release(&states.seen);
    for (uint32_t i = 0; i < by->clients && by->all->spec->client_size; i++) {
        struct rdl__text me = {0};

        if (!by->all->clients[i].started)
            continue;
        rdl__show_client(&me, by->all->spec, by->all->clients[i].me);
        printf("  client %u: %s\n", i, me.bytes);
        rdl__text_release(&me);
    }
}

static void show_allowed(const struct rdl__performer *by, const struct rdl__wanted *w)
{
    const struct rdl_call call = {w->op, w->args, by->all->calls + 1, w->client};
    const char *why = why_it_waits(by, &call);
    struct rdl__text text = {0};

    rdl__show_call(&text, w->op, w->args);
    printf("  %u: %s %s%s\n", w->client, text.bytes, why ? "would wait: " : "can go on",
           why ? why : "");
    rdl__text_release(&text);
}

/* Arguments as a test would draw them, a few of them. */
static void show_examples(struct rdl_case *t, const struct rdl__performer *by,
                          struct rdl__wanted *w)
{
    struct rdl__mark mark = rdl__mark(t->tape);
    const void *me = by->all->clients[w->client].me;
    struct rdl__text seen = {0}, text = {0};
    int shown = 0;

    t->tape->fresh = true;
    w->args = rdl_alloc(t, w->op->args_size + 1);
    for (int i = 0; i < DRAWS && shown < EXAMPLES; i++) {
        bool ok = rdl__draw_args(t, w->op, state_of(by), me, w->args);

        rdl__go_back(t->tape, &mark);
        rdl__text_clear(&text);
        rdl__show_call(&text, w->op, w->args);
        if (!ok || strstr(rdl__text_string(&seen), text.bytes))
            continue;
        rdl__text_add(&seen, "%s\n", text.bytes);
        show_allowed(by, w);
        shown++;
    }
    t->tape->fresh = false;
    rdl__text_release(&seen);
    rdl__text_release(&text);
}

/* What a test might call next: by the first client that can, with arguments it might draw. */
static void show_all_allowed(struct rdl_case *t, const struct rdl__performer *by)
{
    const struct rdl_spec *spec = by->all->spec;

    for (size_t i = 0; i < spec->operation_count; i++) {
        struct rdl__wanted w = {.op = rdl__operation(spec, i)};

        while (w.client < by->clients &&
               (by->all->clients[w.client].job ||
                rdl__weight(w.op, state_of(by), by->all->clients[w.client].me) == 0))
            w.client++;
        if (w.client == by->clients)
            printf("  %s: no client may call it now\n", w.op->name);
        else
            show_examples(t, by, &w);
    }
}

bool rdl__shell_ask_allowed(struct rdl_case *t, const struct rdl__performer *by, char *rest,
                            struct rdl__error *error)
{
    struct rdl__wanted w;

    if (!*rest) {
        show_all_allowed(t, by);
        return true;
    }
    if (!read_call(t, by, rest, &w, error) || !can_call(by, &w, error))
        return false;
    show_allowed(by, &w);
    return true;
}
