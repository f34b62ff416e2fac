/* written.c -- calls that are written in C, and calls that are written down as C. */
#include "drive/written.h"

#include <string.h>

#include "raddle/reproduce.h"
#include "spec/values.h"

enum { COLUMNS = 96 };

/* ---- Calls that are written ------------------------------------------------------------------ */

void (*rdl__written_calls)(struct rdl_case *t);

static const struct rdl__performer *performing;

const struct rdl__performer *rdl__performing(void)
{
    return performing;
}

void rdl__perform_written(struct rdl_case *t, const struct rdl__performer *performer)
{
    performing = performer;
    rdl__written_calls(t);
    performing = NULL;
}

void rdl__client_calls(struct rdl_case *t, unsigned client, const void *op, const void *args)
{
    const struct rdl_spec *spec = t->test->options.spec;
    size_t i = 0;

    if (!performing)
        rdl__misuse(t, "rdl_client_calls is for the function that rdl_reproduce is given");
    while (i < spec->operation_count && spec->operations[i] != op)
        i++;
    if (i == spec->operation_count)
        rdl__misuse(t, "%s is no operation of %s, which %s tests",
                    ((const struct rdl_operation *)op)->name, spec->name, t->test->name);
    if (client >= performing->clients)
        rdl__misuse(t, "there is no client %u: %s has %u, numbered from 0", client, t->test->name,
                    performing->clients);
    performing->call(performing->driver, client, op, args);
}

void rdl_clients_run(struct rdl_case *t)
{
    if (!performing)
        rdl__misuse(t, "rdl_clients_run is for the function that rdl_reproduce is given");
    if (performing->run)
        performing->run(performing->driver);
}

/* ---- Calls that are written down ------------------------------------------------------------- */

struct rdl__taken_down *rdl__taking_down;
void (*rdl__on_taken_call)(uint32_t client, const struct rdl_operation *op, const void *args);
void (*rdl__on_taken_run)(void);

static void take_down(const char *text)
{
    struct rdl__taken_down *to = rdl__taking_down;
    size_t length = strlen(text);

    if (length >= sizeof to->bytes - to->count) {
        to->is_short = true;
        return;
    }
    memcpy(to->bytes + to->count, text, length + 1);
    to->count += (uint32_t)length;
}

void rdl__take_down_draws(const struct rdl_case *t, uint32_t from)
{
    struct rdl__taken_down *to = rdl__taking_down;

    if (!to || t->tape->count == from)
        return;
    if (to->draw_count == RDL__TAKEN_DRAWS) {
        to->is_short = true;
        return;
    }
    to->draws[to->draw_count].from = from;
    to->draws[to->draw_count++].to = t->tape->count;
}

/* What C cannot write, such as a pointer, leaves the whole case to be decided by choices. */
static void add_args(struct rdl__text *out, const struct rdl_operation *op, const void *args)
{
    const struct rdl__type *type = rdl__args_type(op);

    if (!type || !rdl__value_add_c(out, type, args))
        rdl__taking_down->is_short = true;
}

/* Break a long line after a comma that is not within quotes. */
static void wrap(struct rdl__text *line)
{
    size_t column = 0, comma = 0;
    char quote = '\0';

    for (size_t i = 0; i < line->count; i++, column++) {
        char c = line->bytes[i];

        if (quote && c == '\\')
            i++, column++;
        else if (c == '"' || c == '\'')
            quote = !quote ? c : quote == c ? '\0' : quote;
        else if (!quote && c == ' ' && i > 0 && line->bytes[i - 1] == ',')
            comma = i;
        if (column >= COLUMNS && comma) {
            line->bytes[comma] = '\n';
            column = i - comma;
            comma = 0;
        }
    }
}

void rdl__take_down_call(uint32_t client, const struct rdl_operation *op, const void *args)
{
    struct rdl__text line = {0};

    if (rdl__on_taken_call)
        rdl__on_taken_call(client, op, args);
    if (!rdl__taking_down)
        return;
    rdl__text_add(&line, "    rdl_client_calls(t, %u, %s, %s", client, op->of, op->name);
    if (op->args_size) {
        rdl__text_add(&line, ", ");
        add_args(&line, op, args);
    }
    rdl__text_add(&line, ");\n");
    wrap(&line);
    take_down(line.bytes);
    rdl__text_release(&line);
}

void rdl__take_down_run(void)
{
    if (rdl__on_taken_run)
        rdl__on_taken_run();
    if (rdl__taking_down)
        take_down("    rdl_clients_run(t);\n");
}

void rdl__add_comment_text(struct rdl__text *out, const char *text)
{
    for (; *text; text++) {
        rdl__text_add_bytes(out, text, 1);
        if ((text[0] == '*' && text[1] == '/') || (text[0] == '/' && text[1] == '*'))
            rdl__text_add(out, " ");
    }
}

void rdl__take_down_remark(const char *text)
{
    struct rdl__text line = {0};

    if (!rdl__taking_down)
        return;
    rdl__text_add(&line, "    /* ");
    rdl__add_comment_text(&line, text);
    rdl__text_add(&line, " */\n\n");
    take_down(line.bytes);
    rdl__text_release(&line);
}
