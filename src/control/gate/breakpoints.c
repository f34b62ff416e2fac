/* breakpoints.c -- reading files of gdb's breakpoints: see breakpoints.h.
 *
 * What gdb would do there and we do not, other than to print something, is an error: a gate that
 * is silently missing would make a test of something else. */
#include "control/gate/breakpoints.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "choice/regress.h"

struct reader {
    struct rdl__breakpoints *out;
    int line;
    char *at;                         /* in the line */
    struct rdl__breakpoint *commands; /* whose commands these are; NULL: we are not in any */
    struct rdl__error *error;
};

static bool wrong(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool wrong(struct reader *r, const char *format, ...)
{
    struct rdl__text text = {0};
    va_list args;

    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    rdl__fail(r->error, "%s:%d: %s", r->out->path, r->line, rdl__text_string(&text));
    rdl__text_release(&text);
    return false;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* The next word, or what is between quotes; "" at the end.  The line is cut up for it. */
static char *read_word(struct reader *r)
{
    char *word, end = ' ';

    skip_blanks(r);
    if (*r->at == '"')
        end = *r->at++;
    word = r->at;
    while (*r->at && (end == '"' ? *r->at != '"' : !isspace((unsigned char)*r->at)))
        r->at++;
    if (*r->at)
        *r->at++ = '\0';
    skip_blanks(r);
    return word;
}

/* Is the rest of the line this word, and something behind it? */
static bool begins(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 && !isalnum((unsigned char)text[length]) &&
           text[length] != '_';
}

/* Of the words in the list, which are separated by blanks, is it one? */
static bool is_one_of(const char *word, const char *list)
{
    size_t length = strlen(word);

    for (const char *at = list; length && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static bool is_end(struct reader *r)
{
    return !*r->at || wrong(r, "there is '%s' behind what was understood", r->at);
}

static bool read_count(struct reader *r, const char *word, int *out)
{
    char *end;
    long count = strtol(word, &end, 10);

    if (!isdigit((unsigned char)*word) || *end || count > INT_MAX)
        return wrong(r, "'%s' is no number", word);
    *out = (int)count;
    return true;
}

/* ---- Which breakpoint ----------------------------------------------------------------------- */

/* By its number in gdb, if the file is the first that it reads; "" and $bpnum are the last. */
static struct rdl__breakpoint *find(struct reader *r, const char *word)
{
    int number = (int)r->out->count;

    if (strchr(word, '.') && (isdigit((unsigned char)*word) || *word == '$')) {
        wrong(r, "%s is one address of a breakpoint: it has all of them here, or none", word);
        return NULL;
    }
    if (*word && strcmp(word, "$bpnum") != 0 && !read_count(r, word, &number))
        return NULL;
    if (number < 1 || (size_t)number > r->out->count || r->out->items[number - 1].is_deleted) {
        wrong(r,
              r->out->count ? "there is no breakpoint %d"
                            : "there is no breakpoint yet: break comes first",
              number);
        return NULL;
    }
    return &r->out->items[number - 1];
}

static bool set_flag(struct reader *r, size_t flag, bool to)
{
    struct rdl__breakpoint *breakpoint;

    if (begins(r->at, "breakpoints"))
        read_word(r);
    for (size_t i = 0; i < r->out->count && !*r->at; i++)
        *(bool *)((char *)&r->out->items[i] + flag) = to;
    while (*r->at) {
        if (!(breakpoint = find(r, read_word(r))))
            return false;
        *(bool *)((char *)breakpoint + flag) = to;
    }
    return true;
}

static bool read_ignore(struct reader *r)
{
    struct rdl__breakpoint *breakpoint = find(r, read_word(r));
    int count;

    if (!breakpoint || !read_count(r, read_word(r), &count))
        return false;
    breakpoint->ignore = (uint64_t)count;
    return is_end(r);
}

/* ---- Conditions ----------------------------------------------------------------------------- */

static bool set_condition(struct reader *r, struct rdl__breakpoint *breakpoint)
{
    struct rdl__error why;
    struct rdl__expression *condition = NULL;

    skip_blanks(r);
    if (*r->at && !(condition = rdl__expression_read(r->at, &why)))
        return wrong(r, "%s", why.text);
    rdl__expression_free(breakpoint->condition);
    free(breakpoint->condition_text);
    breakpoint->condition = condition;
    breakpoint->condition_text = rdl__duplicate(r->at);
    return true;
}

static bool read_condition(struct reader *r)
{
    struct rdl__breakpoint *breakpoint;

    if (!*r->at)
        return wrong(r, "whose condition? Write: condition NUMBER CONDITION");
    breakpoint = find(r, read_word(r));
    return breakpoint && set_condition(r, breakpoint);
}

/* ---- Where ---------------------------------------------------------------------------------- */

/* A place ends where a thread or a condition is told; one that has a text in it does not end
 * within that. */
static char *end_of_place(char *at)
{
    char *text = strstr(at, ":/"), *blank = strpbrk(at, " \t");

    if (text && (!blank || text < blank))
        for (at = text + 2; *at && !(*at == '/' && (!at[1] || isspace((unsigned char)at[1])));)
            at++;
    for (; *at; at++)
        if (isspace((unsigned char)*at) && (begins(at + 1, "if") || begins(at + 1, "thread") ||
                                            begins(at + 1, "task") || at[1] == '\0'))
            break;
    return at;
}

/* -source FILE -line N, -function NAME: what front ends set. */
static bool read_explicit(struct reader *r, struct rdl__text *place)
{
    const char *source = NULL, *what = NULL;

    while (*r->at == '-') {
        const char *option = read_word(r);

        if (strcmp(option, "-qualified") == 0)
            continue;
        if (strcmp(option, "-source") == 0)
            source = read_word(r);
        else if (strcmp(option, "-line") == 0 || strcmp(option, "-function") == 0)
            what = read_word(r);
        else
            return wrong(r, "%s is not understood; there are -source, -line, -function, -qualified",
                         option);
    }
    if (*r->at && !begins(r->at, "if") && !begins(r->at, "thread") && !source && !what) {
        char *end = end_of_place(r->at), *last = end;

        while (isspace((unsigned char)last[-1]))
            last--;
        rdl__text_add_bytes(place, r->at, (size_t)(last - r->at));
        r->at = end;
    } else if (what) {
        rdl__text_add(place, "%s%s%s", source ? source : "", source ? ":" : "", what);
    }
    return true;
}

static bool check_place(struct reader *r, const char *place)
{
    if (!*place)
        return wrong(r, "a place is missing: FILE:LINE, FUNCTION, FILE:FUNCTION, FUNCTION:return, "
                        "FUNCTION:/TEXT/");
    if (*place == '*')
        return wrong(r, "addresses such as %s differ from run to run: give a line or a function",
                     place);
    if (isdigit((unsigned char)*place) || *place == '+')
        return wrong(r, "%s is a line of which file? Write FILE:%s", place, place);
    return true;
}

static bool read_thread(struct reader *r, struct rdl__breakpoint *breakpoint)
{
    const char *name;

    read_word(r);
    name = read_word(r);
    if (!*name || isdigit((unsigned char)*name))
        return wrong(r, "gdb's numbers of threads mean nothing to a test: name the thread as "
                        "rdl_spawn does, thread worker, or in a condition: $_streq($_thread_name, "
                        "\"worker\")");
    breakpoint->thread = rdl__duplicate(name);
    return true;
}

static struct rdl__breakpoint *add_breakpoint(struct reader *r)
{
    struct rdl__breakpoints *all = r->out;

    all->items = rdl__reallocate(all->items, (all->count + 1) * sizeof *all->items);
    all->items[all->count] = (struct rdl__breakpoint){.line = r->line};
    return &all->items[all->count++];
}

static bool read_break(struct reader *r, bool is_temporary)
{
    struct rdl__breakpoint *breakpoint = add_breakpoint(r);
    struct rdl__text place = {0};
    bool ok = read_explicit(r, &place);

    breakpoint->is_temporary = is_temporary;
    breakpoint->place = rdl__duplicate(rdl__text_string(&place));
    rdl__text_release(&place);
    skip_blanks(r);
    if (!ok || !check_place(r, breakpoint->place))
        return false;
    if (begins(r->at, "thread") && !read_thread(r, breakpoint))
        return false;
    if (!begins(r->at, "if"))
        return is_end(r);
    r->at += 2;
    skip_blanks(r);
    return *r->at ? set_condition(r, breakpoint)
                  : wrong(r, "the condition is missing after if: break PLACE if CONDITION");
}

/* ---- Commands ------------------------------------------------------------------------------- */

static struct rdl__command *add_command(struct reader *r, enum rdl__command_kind kind,
                                        const char *text)
{
    struct rdl__breakpoint *b = r->commands;

    b->commands = rdl__reallocate(b->commands, (b->command_count + 1) * sizeof *b->commands);
    b->commands[b->command_count] =
        (struct rdl__command){.kind = kind, .line = r->line, .text = rdl__duplicate(text)};
    return &b->commands[b->command_count++];
}

static bool read_gate(struct reader *r, enum rdl__command_kind kind)
{
    const char *name = read_word(r);

    if (!*name)
        return wrong(r, "the name of a gate is missing: open NAME, close NAME");
    if (kind == RDL__COMMAND_OPEN && begins(r->at, "for")) {
        read_word(r);
        if (strcmp(r->at, "all") != 0)
            return wrong(r, "a gate is opened for one thread, open %s, or by: open %s for all",
                         name, name);
        read_word(r);
        kind = RDL__COMMAND_OPEN_FOR_ALL;
    }
    add_command(r, kind, name);
    return is_end(r);
}

static bool read_await(struct reader *r)
{
    int time;

    if (!read_count(r, read_word(r), &time))
        return false;
    add_command(r, RDL__COMMAND_AWAIT, "")->time = time;
    return is_end(r);
}

/* The one = that is no part of another operator. */
static char *find_equals(char *text)
{
    for (char *at = text; (at = strchr(at, '=')); at++) {
        if (at[1] == '=')
            at++;
        else if (at > text && !strchr("=!<>+-*/%&|^", at[-1]))
            return at;
    }
    return NULL;
}

static bool read_set(struct reader *r)
{
    struct rdl__command *command;
    struct rdl__error why;
    char *equals;

    if (!is_one_of(read_word(r), "var variable"))
        return wrong(r, "of set there is: set var VARIABLE = VALUE");
    equals = find_equals(r->at);
    if (!equals)
        return wrong(r, "= is missing: set var VARIABLE = VALUE");
    command = add_command(r, RDL__COMMAND_SET, r->at);
    *equals = '\0';
    command->variable = rdl__expression_read(r->at, &why);
    if (command->variable && !rdl__expression_is_place(command->variable))
        return wrong(r, "%s cannot be set: it is no variable", r->at);
    if (!command->variable || !(command->value = rdl__expression_read(equals + 1, &why)))
        return wrong(r, "%s", why.text);
    return true;
}

/* To gdb, printing may be done to assign. */
static bool assigns(const char *expression)
{
    const char *sign = strchr(expression, '=');

    return sign && sign > expression && sign[1] != '=' && !strchr("=!<>", sign[-1]) &&
           !strchr(expression, '"');
}

static bool read_command(struct reader *r, const char *word)
{
    if (strcmp(word, "end") == 0) {
        r->commands = NULL;
        return is_end(r);
    }
    if (strcmp(word, "wait") == 0)
        return read_gate(r, RDL__COMMAND_WAIT);
    if (strcmp(word, "open") == 0)
        return read_gate(r, RDL__COMMAND_OPEN);
    if (strcmp(word, "close") == 0)
        return read_gate(r, RDL__COMMAND_CLOSE);
    if (strcmp(word, "await") == 0)
        return read_await(r);
    if (strcmp(word, "tick") == 0) {
        add_command(r, RDL__COMMAND_TICK, "");
        return is_end(r);
    }
    if (strcmp(word, "set") == 0)
        return read_set(r);
    if (strcmp(word, "fail") == 0) {
        add_command(r, RDL__COMMAND_FAIL, r->at);
        return true;
    }
    if (is_one_of(word, "print p output") && assigns(r->at))
        return wrong(r, "%s changes nothing here: set var %s", word, r->at);
    if (is_one_of(word, "silent continue cont c printf echo output print p x info backtrace bt "
                        "where"))
        return true;
    if (is_one_of(word, "if while"))
        return wrong(r, "there is no %s among commands: give the breakpoint a condition", word);
    return wrong(r,
                 "'%s' is no command of gates; there are wait, open, open ... for all, close, "
                 "await, tick, set var, fail; and silent, continue, printf, echo, print, info, "
                 "backtrace, which do nothing",
                 word);
}

static void forget_commands(struct rdl__breakpoint *breakpoint)
{
    for (size_t i = 0; i < breakpoint->command_count; i++) {
        free(breakpoint->commands[i].text);
        rdl__expression_free(breakpoint->commands[i].variable);
        rdl__expression_free(breakpoint->commands[i].value);
    }
    breakpoint->command_count = 0;
}

/* As in gdb, they take the place of earlier ones. */
static bool begin_commands(struct reader *r)
{
    struct rdl__breakpoint *breakpoint = find(r, read_word(r));

    if (!breakpoint || !is_end(r))
        return false;
    forget_commands(breakpoint);
    breakpoint->has_commands = true;
    r->commands = breakpoint;
    return true;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static bool read_line(struct reader *r, const char *word)
{
    if (is_one_of(word, "break brea bre br b hbreak hbr hb"))
        return read_break(r, false);
    if (is_one_of(word, "tbreak tbr tb thbreak thb"))
        return read_break(r, true);
    if (is_one_of(word, "commands command"))
        return begin_commands(r);
    if (is_one_of(word, "condition cond"))
        return read_condition(r);
    if (strcmp(word, "ignore") == 0)
        return read_ignore(r);
    if (is_one_of(word, "disable dis"))
        return set_flag(r, offsetof(struct rdl__breakpoint, is_disabled), true);
    if (is_one_of(word, "enable en"))
        return set_flag(r, offsetof(struct rdl__breakpoint, is_disabled), false);
    if (is_one_of(word, "delete del d"))
        return set_flag(r, offsetof(struct rdl__breakpoint, is_deleted), true);
    if (strcmp(word, "dprintf") == 0) {
        add_breakpoint(r); /* it has a number, and prints */
        return true;
    }
    return wrong(r,
                 "'%s' places no gate; there are break, tbreak, hbreak, commands, condition, "
                 "ignore, disable, enable, delete",
                 word);
}

bool rdl__breakpoints_parse(struct rdl__breakpoints *out, const char *path, const char *text,
                            struct rdl__error *error)
{
    char *copy = rdl__duplicate(text), *rest = copy, *line;
    struct reader r = {.out = out, .error = error};
    bool ok = true;

    *out = (struct rdl__breakpoints){.path = rdl__duplicate(path)};
    while (ok && (line = strsep(&rest, "\n"))) {
        size_t length = strlen(line);
        const char *word;

        while (length && isspace((unsigned char)line[length - 1]))
            line[--length] = '\0';
        r.line++;
        r.at = line;
        skip_blanks(&r);
        if (!*r.at || *r.at == '#')
            continue;
        word = read_word(&r);
        ok = r.commands ? read_command(&r, word) : read_line(&r, word);
    }
    if (ok && r.commands)
        ok = wrong(&r, "the commands of the breakpoint in line %d have no end", r.commands->line);
    free(copy);
    return ok;
}

bool rdl__breakpoints_load(struct rdl__breakpoints *out, const char *path, struct rdl__error *error)
{
    struct rdl__text text = {0};
    bool ok;

    *out = (struct rdl__breakpoints){0};
    ok = rdl__read_file(&text, path, error) &&
         (strlen(rdl__text_string(&text)) == text.count ||
          rdl__fail(error, "%s is no text file, as gdb's save breakpoints writes one", path)) &&
         rdl__breakpoints_parse(out, path, rdl__text_string(&text), error);
    rdl__text_release(&text);
    return ok;
}

void rdl__breakpoints_release(struct rdl__breakpoints *breakpoints)
{
    for (size_t i = 0; i < breakpoints->count; i++) {
        struct rdl__breakpoint *b = &breakpoints->items[i];

        forget_commands(b);
        rdl__expression_free(b->condition);
        free(b->condition_text);
        free(b->commands);
        free(b->place);
        free(b->thread);
    }
    free(breakpoints->items);
    free(breakpoints->path);
    *breakpoints = (struct rdl__breakpoints){0};
}
