/* history.c -- reading a recorded history: one event a line, in the order of time.
 *
 *     CLIENT call OPERATION ARGUMENTS...
 *     CLIENT return ANSWER
 *     CLIENT fail                          it had no effect
 *     CLIENT unknown                       it may have had, or may still have, its effect
 *     quiet                                whoever has not returned waits
 *
 * docs/man/raddle-judge.1 is for those who write such files. */
#include "cli/raddle/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { NONE = UINT32_MAX };

struct client {
    const char *name; /* NULL: this place of the table is empty */
    uint32_t number;
    uint32_t call; /* that is in progress, or NONE */
};

struct reader {
    struct rdl__history *h;
    const struct rdl_spec *spec;
    struct rdl__error *error;
    uint32_t line;
    size_t call_room, event_room;
    struct client *clients; /* by the hash of their names */
    size_t client_count, client_room;
    uint32_t unknown_line; /* of the last call that is; 0: none yet */
};

__attribute__((format(printf, 2, 3))) static bool complain(struct reader *r, const char *format,
                                                           ...)
{
    struct rdl__text text = {0};
    va_list args;

    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    rdl__fail(r->error, "%s:%u: %s", r->h->file, r->line, text.bytes);
    rdl__text_release(&text);
    return false;
}

static void *keep(struct reader *r, const void *bytes, size_t size)
{
    void *copy = rdl__arena_alloc(&r->h->arena, size + !size);

    memcpy(copy, bytes, size);
    return copy;
}

/* ---- Clients -------- */

static struct client *place_of(const struct reader *r, const char *name)
{
    uint64_t at = rdl__mix(rdl__hash_text(name));

    while (r->clients[at % r->client_room].name &&
           strcmp(r->clients[at % r->client_room].name, name) != 0)
        at++;
    return &r->clients[at % r->client_room];
}

static void grow_clients(struct reader *r)
{
    struct client *old = r->clients;
    size_t old_room = r->client_room;

    r->client_room = old_room ? 2 * old_room : 64;
    r->clients = rdl__allocate(r->client_room * sizeof *r->clients);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].name)
            *place_of(r, old[i].name) = old[i];
    free(old);
}

static struct client *client_named(struct reader *r, const char *name)
{
    struct client *client;

    if (2 * (r->client_count + 1) > r->client_room)
        grow_clients(r);
    client = place_of(r, name);
    if (!client->name)
        *client = (struct client){.name = keep(r, name, strlen(name) + 1),
                                  .number = (uint32_t)r->client_count++,
                                  .call = NONE};
    return client;
}

/* ---- Events -------- */

static void add_event(struct reader *r, enum rdl__told_kind kind, uint32_t call)
{
    struct rdl__history *h = r->h;

    if (h->event_count == r->event_room) {
        r->event_room = r->event_room ? 2 * r->event_room : 1024;
        h->events = rdl__reallocate(h->events, r->event_room * sizeof *h->events);
    }
    h->events[h->event_count++] = (struct rdl__told){kind, call, r->line};
}

static struct rdl__recorded *add_call(struct reader *r)
{
    struct rdl__history *h = r->h;

    if (h->call_count == r->call_room) {
        r->call_room = r->call_room ? 2 * r->call_room : 512;
        h->calls = rdl__reallocate(h->calls, r->call_room * sizeof *h->calls);
    }
    return &h->calls[h->call_count++];
}

static bool complain_of_operation(struct reader *r, const char *name)
{
    struct rdl__text names = {0};

    for (size_t i = 0; i < r->spec->operation_count; i++)
        rdl__text_add(&names, "%s%s", i ? ", " : "", rdl__operation(r->spec, i)->name);
    complain(r, "spec %s has no operation '%s', but %s", r->spec->name, name,
             rdl__text_string(&names));
    rdl__text_release(&names);
    return false;
}

/* The first word of *rest, which moves on to the next; "" if there is none. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t"), *end = word + strcspn(word, " \t");

    *rest = end + strspn(end, " \t");
    *end = '\0';
    return word;
}

static bool read_call(struct reader *r, struct client *client, char *rest)
{
    const char *name = next_word(&rest);
    const struct rdl_operation *op = rdl__operation_named(r->spec, name);
    struct rdl__recorded *recorded;
    struct rdl__error why;
    void *args;

    if (client->call != NONE)
        return complain(r, "%s calls again, but its call of line %u has not returned", client->name,
                        r->h->calls[client->call].began);
    if (!*name)
        return complain(r, "'call' needs an operation: CLIENT call OPERATION ARGUMENTS");
    if (!op)
        return complain_of_operation(r, name);
    if (op->args_size == 0 && *rest)
        return complain(r, "%s takes no arguments, but there is '%s'", name, rest);
    args = rdl__arena_alloc(&r->h->arena, op->args_size + 1);
    memset(args, 0, op->args_size + 1);
    if (op->args_size > 0 && !rdl__read_args(op, rest, args, &why))
        return complain(r, "arguments of %s: %s", name, why.text);
    op->clear_args(args);
    client->call = (uint32_t)r->h->call_count;
    recorded = add_call(r);
    *recorded = (struct rdl__recorded){
        .call = {op, args, client->call + 1, client->number},
        .client = client->name,
        .began = r->line,
        .key = r->h->is_split ? op->key(args) : 0,
    };
    add_event(r, RDL__TOLD_CALL, client->call);
    return true;
}

static bool read_return(struct reader *r, struct rdl__recorded *recorded, const char *rest)
{
    const struct rdl_operation *op = recorded->call.operation;
    struct rdl__error why;

    if (op->answer_size == 0 && *rest)
        return complain(r, "%s returns nothing, but there is '%s'", op->name, rest);
    recorded->answer = rdl__arena_alloc(&r->h->arena, op->answer_size + 1);
    memset(recorded->answer, 0, op->answer_size + 1);
    if (op->answer_size > 0 && !rdl__read_answer(op, rest, recorded->answer, &why))
        return complain(r, "%s", why.text);
    recorded->fate = RDL__CALL_RETURNED;
    add_event(r, RDL__TOLD_RETURN, recorded->call.number - 1);
    return true;
}

static bool read_end(struct reader *r, struct client *client, const char *what, char *rest)
{
    struct rdl__recorded *recorded;

    if (client->call == NONE)
        return complain(r, "'%s' of %s, which has no call in progress", what, client->name);
    recorded = &r->h->calls[client->call];
    if (strcmp(what, "return") == 0) {
        if (!read_return(r, recorded, rest))
            return false;
    } else if (*rest) {
        return complain(r, "nothing may follow '%s', but there is '%s'", what, rest);
    } else if (strcmp(what, "fail") == 0) {
        recorded->fate = RDL__CALL_FAILED;
    } else {
        recorded->fate = RDL__CALL_UNKNOWN;
        r->unknown_line = r->line;
    }
    recorded->ended = r->line;
    client->call = NONE;
    return true;
}

static bool read_quiet(struct reader *r)
{
    if (r->unknown_line)
        return complain(r,
                        "'quiet' says who waits, but line %u has a call of which that is unknown",
                        r->unknown_line);
    r->h->quiet_count++;
    add_event(r, RDL__TOLD_QUIET, 0);
    return true;
}

static bool read_line(struct reader *r, char *line)
{
    char *rest = line, *name, *what;

    line[strcspn(line, "\r\n")] = '\0';
    for (size_t end = strlen(line); end > 0 && strchr(" \t", line[end - 1]);)
        line[--end] = '\0';
    name = next_word(&rest);
    if (!*name || *name == '#')
        return true;
    if (strcmp(name, "quiet") == 0 && !*rest)
        return read_quiet(r);
    what = next_word(&rest);
    if (strcmp(what, "call") == 0)
        return read_call(r, client_named(r, name), rest);
    if (strcmp(what, "return") == 0 || strcmp(what, "fail") == 0 || strcmp(what, "unknown") == 0)
        return read_end(r, client_named(r, name), what, rest);
    if (!*what)
        return complain(r, "what does '%s' do?  (call, return, fail or unknown)", name);
    return complain(r, "'%s' is none of call, return, fail and unknown", what);
}

/* ---- The whole of it -------- */

static bool all_have_keys(const struct rdl_spec *spec)
{
    for (size_t i = 0; i < spec->operation_count; i++)
        if (!rdl__operation(spec, i)->key)
            return false;
    return true;
}

static void leave_out_failed(struct rdl__history *h)
{
    size_t kept = 0;

    for (size_t i = 0; i < h->event_count; i++)
        if (h->events[i].kind == RDL__TOLD_QUIET ||
            h->calls[h->events[i].call].fate != RDL__CALL_FAILED)
            h->events[kept++] = h->events[i];
    h->event_count = kept;
}

static bool read_all(struct reader *r, FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool ok = true;

    while (ok && (length = getline(&line, &room, in)) >= 0) {
        r->line++;
        ok = strlen(line) == (size_t)length
                 ? read_line(r, line)
                 : complain(r, "there is a NUL in this line: a history is text");
    }
    if (ok && ferror(in))
        ok = rdl__fail(r->error, "cannot read %s: %s", r->h->file, strerror(errno));
    free(line);
    return ok;
}

bool rdl__history_read(struct rdl__history *h, const char *file, const struct rdl_spec *spec,
                       struct rdl__error *error)
{
    bool is_input = strcmp(file, "-") == 0, ok;
    FILE *in = is_input ? stdin : fopen(file, "re");
    struct reader r = {.h = h, .spec = spec, .error = error};

    *h = (struct rdl__history){.file = is_input ? "standard input" : file,
                               .is_split = all_have_keys(spec)};
    if (!in)
        return rdl__fail(error, "cannot open %s: %s", file, strerror(errno));
    ok = read_all(&r, in);
    if (!is_input)
        fclose(in);
    free(r.clients);
    leave_out_failed(h);
    return ok;
}

void rdl__history_release(struct rdl__history *h)
{
    free(h->calls);
    free(h->events);
    rdl__arena_release(&h->arena);
}
