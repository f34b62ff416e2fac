/* export.c -- a script as a C test of its own: a thread for each client, and a clock (see
 * raddle/clock.h) that says when each of them calls. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "drive/sequence.h"
#include "spec/values.h"

enum { COLUMNS = 80 }; /* after which a line is broken */

struct writer {
    struct rdl__text *out;
    const struct rdl__script *script;
    const struct rdl__sequence *sequence;
    const char *spec;
    uint32_t number; /* of the sequence */
    uint32_t count;  /* of its steps, with those that lead home */
};

/* ---- Can it be written? ---------------------------------------------------------------------- */

static const struct rdl__planned *step_at(const struct writer *e, uint32_t i)
{
    return &e->sequence->steps[i];
}

/* When is the call of this step continued, and by which step's call?  False: it is not. */
static bool find_continuation(const struct writer *e, uint32_t i, uint32_t *out_continued,
                              uint32_t *out_by)
{
    for (uint32_t k = i + 1; k < e->count; k++) {
        if (!step_at(e, k)->continued)
            *out_by = k;
        if (step_at(e, k)->client == step_at(e, i)->client) {
            *out_continued = k;
            return step_at(e, k)->continued;
        }
    }
    return false;
}

/* Is the call of this step left waiting in the end? */
static bool is_left(const struct writer *e, uint32_t i)
{
    uint32_t continued, by;

    return step_at(e, i)->expected == RDL__BLOCKS && !step_at(e, i)->let_on &&
           !find_continuation(e, i, &continued, &by);
}

static bool is_left_waiting(const struct writer *e, uint32_t client)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (step_at(e, i)->client == client && is_left(e, i))
            return true;
    return false;
}

static bool has_refs(const struct rdl__type *type)
{
    return type && rdl__type_has_refs(type);
}

static bool check_step(const struct writer *e, uint32_t i, struct rdl__error *error)
{
    const struct rdl__planned *step = step_at(e, i);

    if (step->expected == RDL__WHATEVER)
        return rdl__fail(error, "%s cannot be exported, as it is not certain what comes of t%d",
                         e->script->test->name, step->time);
    if (step->op->args_size && has_refs(rdl__args_type(step->op)))
        return rdl__fail(error,
                         "%s cannot be exported, as calls of %s refer to answers of earlier ones",
                         e->script->test->name, step->op->name);
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* On as many lines as it takes, broken after commas that are not within quotes. */
static void add_wrapped(struct rdl__text *out, const char *text)
{
    size_t column = out->count;
    char quote = '\0';

    while (column > 0 && out->bytes[column - 1] != '\n')
        column--;
    for (column = out->count - column; *text; text++, column++) {
        if (quote && *text == '\\')
            rdl__text_add_bytes(out, text++, 1);
        else if (*text == '"' || *text == '\'')
            quote = !quote ? *text : quote == *text ? '\0' : quote;
        if (column < COLUMNS || quote || *text != ' ' || text[-1] != ',') {
            rdl__text_add_bytes(out, text, 1);
            continue;
        }
        rdl__text_add(out, "\n        ");
        column = 8;
    }
}

/* " = {...};" or, if it cannot be written like that, byte by byte. */
static void add_value(struct rdl__text *out, const char *name, const struct rdl__type *type,
                      const void *value, size_t size)
{
    struct rdl__text initialiser = {0};

    if (size == 0)
        rdl__text_add(out, " = {};\n");
    else if (type && rdl__value_add_c(&initialiser, type, value))
        rdl__text_add(out, " = "), add_wrapped(out, initialiser.bytes), rdl__text_add(out, ";\n");
    else {
        rdl__text_add(out, ";\n    static const unsigned char %s_bytes[] = {", name);
        for (size_t i = 0; i < size; i++)
            rdl__text_add(out, "%s%u", i ? ", " : "", ((const unsigned char *)value)[i]);
        rdl__text_add(out, "};\n\n    memcpy(&%s, %s_bytes, sizeof %s);\n", name, name, name);
    }
    rdl__text_release(&initialiser);
}

/* What the arguments of an operation, or its answer, are; in C. */
static void add_type(const struct writer *e, const struct rdl_operation *op, const char *what)
{
    rdl__text_add(e->out, "    __typeof__(*rdl_op_%s_%s.rdl__type_%s) ", op->of, op->name, what);
}

/* ---- A thread -------------------------------------------------------------------------------- */

/* The step at which the call of step i returns: its own or, if it blocks, that which continues
 * it; *out_by is the one whose call lets it. */
static const struct rdl__planned *end_of(const struct writer *e, uint32_t i, uint32_t *out_by)
{
    uint32_t continued = i;

    *out_by = i;
    if (step_at(e, i)->let_on)
        *out_by = step_at(e, i)->let_on - 1;
    else if (step_at(e, i)->expected == RDL__BLOCKS)
        find_continuation(e, i, &continued, out_by);
    return step_at(e, continued);
}

static const void *answer_of(const struct writer *e, uint32_t i)
{
    uint32_t by;

    return step_at(e, i)->let_on ? step_at(e, i)->late_answer : end_of(e, i, &by)->answer;
}

static void declare(const struct writer *e, uint32_t i)
{
    const struct rdl__planned *step = step_at(e, i);
    const struct rdl_operation *op = step->op;
    char name[40];

    add_type(e, op, "args");
    snprintf(name, sizeof name, "args_%d", step->time);
    rdl__text_add(e->out, "%s", name);
    add_value(e->out, name, op->args_size ? rdl__args_type(op) : NULL, step->args, op->args_size);
    if (!op->answer_size)
        return;
    add_type(e, op, "answer");
    if (is_left(e, i)) {
        rdl__text_add(e->out, "answer_%d = {0};\n", step->time);
        return;
    }
    snprintf(name, sizeof name, "expected_%d", step->time);
    rdl__text_add(e->out, "answer_%d = {0}, %s", step->time, name);
    add_value(e->out, name, rdl__answer_type(op), answer_of(e, i), op->answer_size);
}

static void add_check(const struct writer *e, const struct rdl__planned *step)
{
    const struct rdl__type *type = rdl__answer_type(step->op);
    const char *op = step->op->name;
    int time = step->time;

    if (step->op->same)
        rdl__text_add(e->out, "    rdl_check(rdl_op_%s_%s.same(&expected_%d, &answer_%d));\n",
                      step->op->of, op, time, time);
    else if (type && rdl__type_is_integer(type))
        rdl__text_add(e->out, "    rdl_check_eq(answer_%d, expected_%d);\n", time, time);
    else
        rdl__text_add(e->out,
                      "    rdl_op_%s_%s.clear_answer(&answer_%d);\n"
                      "    rdl_op_%s_%s.clear_answer(&expected_%d);\n"
                      "    rdl_check(memcmp(&answer_%d, &expected_%d, sizeof expected_%d) == 0);\n",
                      step->op->of, op, time, step->op->of, op, time, time, time, time);
}

static void add_comment(const struct writer *e, uint32_t i)
{
    struct rdl__text text = {0};

    rdl__add_assertion(&text, e->script, e->sequence, i);
    if (text.count && !strstr(text.bytes, "*/"))
        rdl__text_add(e->out, "    /* %s */\n", text.bytes);
    rdl__text_release(&text);
}

/* It was left waiting: that it has gone on is wrong. */
static void add_left(const struct writer *e, const struct rdl__planned *step)
{
    rdl__text_add(e->out, "); /* blocks, and is left so */\n");
    rdl__text_add(e->out, "    rdl_fail(\"%s of time %d was to block, but has returned\");\n",
                  step->op->name, step->time);
}

/* A call returns at its own time or, if it blocks, at the time of the call that lets it go on. */
static void add_call(const struct writer *e, uint32_t i)
{
    const struct rdl__planned *step = step_at(e, i), *end;
    uint32_t by;

    end = end_of(e, i, &by);
    rdl__text_add(e->out, "\n");
    add_comment(e, i);
    rdl__text_add(e->out, "    rdl_await(t, %d);\n", step->time);
    rdl__text_add(e->out, "    rdl_op_%s_%s.call(both->it, &args_%d", step->op->of, step->op->name,
                  step->time);
    if (step->op->answer_size)
        rdl__text_add(e->out, ", &answer_%d", step->time);
    if (is_left(e, i)) {
        add_left(e, step);
        return;
    }
    rdl__text_add(e->out, ");%s\n", by != i ? " /* blocks */" : "");
    rdl__text_add(e->out, "    rdl_check_eq(rdl_clock(t), %d);\n", step_at(e, by)->time);
    if (end != step)
        rdl__text_add(e->out, "    rdl_await(t, %d);\n", end->time);
    if (step->op->answer_size)
        add_check(e, step);
}

static bool is_call_of(const struct writer *e, uint32_t i, uint32_t client)
{
    return step_at(e, i)->client == client && !step_at(e, i)->continued;
}

static bool calls_anything(const struct writer *e, uint32_t client)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (is_call_of(e, i, client))
            return true;
    return false;
}

static void add_name(const struct writer *e, const char *end)
{
    rdl__text_add(e->out, "%s%s", e->script->test->name, end);
    if (e->number > 0)
        rdl__text_add(e->out, "_%u", e->number + 1);
}

static char as_identifier(char c)
{
    return isascii(c) && isalnum((unsigned char)c) ? c : '_';
}

/* Would the functions of both be called the same? */
static bool are_namesakes(const char *a, const char *b)
{
    while (*a && as_identifier(*a) == as_identifier(*b))
        a++, b++;
    return !*a && !*b;
}

static void add_client_name(const struct writer *e, uint32_t client)
{
    const char *name = e->script->names[client];
    unsigned namesakes = 0;

    for (uint32_t i = 0; i < client; i++)
        namesakes += are_namesakes(e->script->names[i], name);
    rdl__text_add(e->out, isdigit((unsigned char)*name) ? "client_" : "");
    for (; *name; name++)
        rdl__text_add(e->out, "%c", as_identifier(*name));
    if (namesakes)
        rdl__text_add(e->out, "_%u", namesakes + 1);
    rdl__text_add(e->out, "_of_");
    add_name(e, "");
}

static void add_client(const struct writer *e, uint32_t client)
{
    rdl__text_add(e->out, "static void ");
    add_client_name(e, client);
    rdl__text_add(e->out,
                  "(void *argument)\n{\n    const struct %s_and_case *both = argument;\n"
                  "    struct rdl_case *t = both->t;\n",
                  e->script->test->name);
    for (uint32_t i = 0; i < e->count; i++)
        if (is_call_of(e, i, client))
            declare(e, i);
    for (uint32_t i = 0; i < e->count; i++)
        if (is_call_of(e, i, client))
            add_call(e, i);
    rdl__text_add(e->out, "}\n\n");
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Who is left waiting does so when all others have ended. */
static bool leave_threads(const struct writer *e)
{
    uint32_t number = 0, left = 0;

    for (uint32_t i = 0; i < e->script->clients; i++)
        left += is_left_waiting(e, i);
    if (left == 0)
        return false;
    rdl__text_add(e->out, "    rdl_await(t, %d);\n", step_at(e, e->count - 1)->time + 1);
    for (uint32_t i = 0; i < e->script->clients; i++) {
        if (!calls_anything(e, i))
            continue;
        rdl__text_add(e->out, "    rdl_%s(threads[%u]);\n",
                      is_left_waiting(e, i) ? "leave" : "join", number++);
    }
    return true;
}

/* Do all come to their end? */
static bool add_threads(const struct writer *e)
{
    uint32_t count = 0;

    rdl__text_add(e->out, "    struct rdl_thread *threads[] = {\n");
    for (uint32_t i = 0; i < e->script->clients; i++) {
        if (!calls_anything(e, i))
            continue;
        rdl__text_add(e->out, "        rdl_spawn(t, ");
        rdl__add_json_string(e->out, e->script->names[i]); /* C reads it as well */
        rdl__text_add(e->out, ", ");
        add_client_name(e, i);
        rdl__text_add(e->out, ", &both),\n");
        count++;
    }
    rdl__text_add(e->out, "    };\n\n");
    if (leave_threads(e))
        return false;
    rdl__text_add(e->out, "    for (int i = 0; i < %u; i++)\n", count);
    rdl__text_add(e->out, "        rdl_join(threads[i]);\n");
    return true;
}

static void add_test(const struct writer *e)
{
    rdl__text_add(e->out, "RDL_SCHEDULE(");
    add_name(e, "_exported");
    rdl__text_add(e->out, ")\n{\n    rdl_state_%s state", e->spec);
    add_value(e->out, "state", rdl__state_type(e->script->spec), e->sequence->state,
              e->script->spec->state_size);
    rdl__text_add(e->out, "    struct %s_and_case both = {t, rdl_spec_of_%s.create(t, &state)};\n",
                  e->script->test->name, e->spec);
    if (add_threads(e) && e->script->spec->destroy)
        rdl__text_add(e->out, "    rdl_spec_of_%s.destroy(both.it);\n", e->spec);
    rdl__text_add(e->out, "}\n\n");
}

static bool add_sequence(struct writer *e, struct rdl__error *error)
{
    e->count = e->sequence->count + e->sequence->homeward;
    for (uint32_t i = e->count; i > 0; i--)
        if (!check_step(e, i - 1, error))
            return false;
    for (uint32_t i = 0; i < e->script->clients; i++)
        if (calls_anything(e, i))
            add_client(e, i);
    add_test(e);
    return true;
}

/* The file of the spec has tests of its own, and a main, which are of no interest here. */
static void add_head(const struct writer *e, const char *path)
{
    const char *slash = strrchr(path, '/');

    rdl__text_add(e->out,
                  "/* %s -- the calls of %s, at the times of a clock.\n *\n"
                  " * Before each call stands what holds then.  Written by --export. */\n",
                  slash ? slash + 1 : path, e->script->test->name);
    rdl__text_add(e->out, "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include <stdlib.h>\n"
                          "#include <string.h>\n\n#include <raddle.h>\n\n"
                          "#undef RDL_MAIN\n#define RDL_MAIN\n");
    rdl__text_add(e->out, "#include \"%s\"\n\n", e->script->spec->file);
    rdl__text_add(e->out,
                  "struct %s_and_case {\n    struct rdl_case *t;\n    rdl_object_%s *it;\n};\n\n",
                  e->script->test->name, e->spec);
}

static void add_main(struct writer *e)
{
    rdl__text_add(e->out, "int main(int argc, char **argv)\n{\n    setenv(\"RADDLE_FILTER\", \"");
    for (e->number = 0; e->number < e->script->count; e->number++) {
        rdl__text_add(e->out, e->number ? ",=" : "=");
        add_name(e, "_exported");
    }
    rdl__text_add(e->out, "\", 0);\n    return rdl_main(argc, argv);\n}\n");
}

bool rdl__export_script(struct rdl__text *out, const struct rdl__script *script, const char *path,
                        struct rdl__error *error)
{
    struct writer e = {.out = out, .script = script, .spec = script->spec->name};

    add_head(&e, path);
    for (; e.number < script->count; e.number++) {
        e.sequence = &script->sequences[e.number];
        if (!add_sequence(&e, error))
            return false;
    }
    add_main(&e);
    return true;
}
