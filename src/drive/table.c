/* table.c -- reading RDL_TEST_TABLE: rows become steps, and the spec fills in what they leave
 * out, as long as it is certain what happens: by itself, or by what the rows say of who goes on. */
#include <stdlib.h>
#include <string.h>

#include "drive/routes.h"

struct table {
    struct rdl_case *t;
    struct rdl__script *script;
    struct rdl__sequence *sequence;
    uint32_t open[RDL__CLIENTS_MAX]; /* calls that may wait, by client: 1 + which step; 0: none */
};

_Noreturn __attribute__((format(printf, 3, 4))) static void
refuse(const struct table *table, const struct rdl_row *row, const char *format, ...)
{
    const struct rdl_test *test = table->t->test;
    struct rdl__text why = {0};
    va_list args;

    va_start(args, format);
    rdl__text_addv(&why, format, args);
    va_end(args);
    rdl__misuse(table->t, "%s:%d: %s, t%d: %s", test->file, test->line, test->name, row->time,
                (const char *)rdl_copy(table->t, rdl__text_string(&why), why.count + 1));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint32_t client_named(struct table *table, const struct rdl_row *row)
{
    struct rdl__script *script = table->script;
    uint32_t i = 0;

    if (!row->thread || !*row->thread)
        refuse(table, row, "who calls? The name of the thread is missing");
    while (i < script->clients && strcmp(script->names[i], row->thread) != 0)
        i++;
    if (i < script->clients)
        return i;
    if (i == RDL__CLIENTS_MAX)
        refuse(table, row, "at most %d threads are possible", RDL__CLIENTS_MAX);
    script->names[script->clients++] = row->thread;
    return i;
}

static void expect_operation(const struct table *table, const struct rdl_row *row)
{
    const struct rdl_spec *spec = table->script->spec;

    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i) == row->operation)
            return;
    refuse(table, row,
           row->operation ? "this is no operation of spec %s"
                          : "no call: RDL_CALL(%s, ...) or RDL_CONTINUED is missing",
           spec->name);
}

/* A row that continues a call says of it that it has blocked. */
static void continue_call(struct table *table, const struct rdl_row *row, struct rdl__planned *step)
{
    uint32_t open = table->open[step->client];
    struct rdl__planned *call = open ? &table->sequence->steps[open - 1] : NULL;

    if (!call || call->op != step->op || call->expected == RDL__RETURNS)
        refuse(table, row, "%s has no call of %s that could be continued", row->thread,
               step->op->name);
    if (row->expects == RDL__ROW_SAYS_BLOCKS)
        refuse(table, row, "a call that is continued returns");
    call->expected = RDL__BLOCKS;
    step->args = rdl__keep(table->sequence->memory, call->args, step->op->args_size);
    step->expected = RDL__RETURNS;
    table->open[step->client] = 0;
}

static void read_row(struct table *table, const struct rdl_row *row, int time_before)
{
    struct rdl__planned *step = rdl__sequence_add(table->sequence);

    if (row->time <= time_before)
        refuse(table, row, "times must grow, but t%d comes before it", time_before);
    expect_operation(table, row);
    if (row->answer && row->answer_of != row->operation)
        refuse(table, row, "the answer is one of another operation");
    step->time = row->time;
    step->client = client_named(table, row);
    step->op = row->operation;
    step->continued = row->continued;
    step->expected = row->expects == RDL__ROW_SAYS_BLOCKS    ? RDL__BLOCKS
                     : row->expects == RDL__ROW_SAYS_RETURNS ? RDL__RETURNS
                                                             : RDL__WHATEVER;
    if (row->answer) {
        step->answer = rdl__keep(table->sequence->memory, row->answer, step->op->answer_size);
        step->op->clear_answer(step->answer);
    }
    if (row->continued) {
        continue_call(table, row, step);
        return;
    }
    step->args = rdl__keep(table->sequence->memory, row->args, step->op->args_size);
    if (step->op->args_size)
        step->op->clear_args(step->args);
    table->open[step->client] = table->sequence->count;
    table->script->calls++;
}

/* ---- What the spec says of it ---------------------------------------------------------------- */

static uint16_t number_of(const struct rdl_spec *spec, const struct rdl_operation *op)
{
    uint16_t i = 0;

    while (rdl__operation(spec, i) != op)
        i++;
    return i;
}

static struct rdl__planned *counterpart(const struct rdl__sequence *said,
                                        const struct rdl__planned *step, uint32_t from)
{
    for (uint32_t k = from; k < said->count; k++)
        if (said->steps[k].client == step->client)
            return &said->steps[k];
    return NULL;
}

/* A call goes on of which no row says so. */
static void note_let_on(struct rdl__sequence *sequence, uint32_t from,
                        const struct rdl__planned *its)
{
    uint32_t i = from;

    while (i > 0 && sequence->steps[i - 1].client != its->client)
        i--;
    if (i == 0 || sequence->steps[i - 1].expected == RDL__RETURNS)
        return;
    sequence->steps[i - 1].expected = RDL__BLOCKS;
    sequence->steps[i - 1].let_on = from + 1;
    sequence->steps[i - 1].late_answer = its->answer;
}

/* Fill in the steps from..until of the table by what the spec says. */
static void fill_in(struct rdl__sequence *sequence, uint32_t from, uint32_t until,
                    const struct rdl__sequence *said, uint32_t said_from)
{
    for (uint32_t k = said_from; k < said->count; k++)
        if (said->steps[k].continued &&
            !counterpart(&(struct rdl__sequence){.steps = sequence->steps, .count = until},
                         &said->steps[k], from))
            note_let_on(sequence, from, &said->steps[k]);
    for (uint32_t i = from; i < until; i++) {
        struct rdl__planned *step = &sequence->steps[i];
        const struct rdl__planned *its = counterpart(said, step, said_from);

        if (!its)
            continue;
        step->before = its->before;
        step->met = its->met;
        if (step->expected == RDL__WHATEVER)
            step->expected = its->expected;
        if (step->expected == RDL__RETURNS && !step->answer)
            step->answer = its->answer;
    }
}

static bool is_predicted(const struct rdl_spec *spec)
{
    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i)->judge)
            return false;
    return true;
}

/* ---- What the rows say of who goes on -------------------------------------------------------- */

/* The rows of a call, and the moves of the spec that are as these say. */
struct search {
    struct rdl__space *space;
    const struct rdl__planned *rows; /* the call, then those that are continued */
    uint32_t count;
    uint32_t moves[RDL__CLIENTS_MAX + 1], found[RDL__CLIENTS_MAX + 1];
    uint32_t ends; /* in how many ways, of which this is one: */
    uint32_t node;
    uint64_t answers;
};

static void note_end(struct search *s, uint32_t node, uint64_t answers)
{
    if (s->ends > 0 && s->node == node && s->answers == answers)
        return;
    s->ends++;
    s->node = node;
    s->answers = answers;
    memcpy(s->found, s->moves, sizeof s->found);
}

/* Has this row's call returned, and does it answer what the row says? */
static bool is_as_said(const struct search *s, const struct rdl__planned *row, uint32_t client)
{
    return row->client == client && row->expected != RDL__BLOCKS &&
           (!row->answer || rdl__same_answer(row->op, row->answer, s->space->answer));
}

/* From here on, in all ways: `next` is the first row that has not been continued. */
static void go_on(struct search *s, uint32_t node, uint32_t depth, uint32_t next, bool returned,
                  uint64_t answers)
{
    rdl__space_expand(s->space, node);
    if (!s->space->nodes[node].able) {
        if (next == s->count && (returned || s->rows[0].expected != RDL__RETURNS))
            note_end(s, node, answers);
        return;
    }
    for (uint32_t k = 0; k < s->space->nodes[node].count && s->ends < 2; k++) {
        struct rdl__move move = s->space->steps[s->space->nodes[node].first + k];
        uint64_t more = answers + rdl__routes_answer(s->space, node, &move);
        bool is_call = !returned && is_as_said(s, &s->rows[0], move.client);

        if (!is_call && !(next < s->count && is_as_said(s, &s->rows[next], move.client)))
            continue;
        s->moves[depth] = k;
        go_on(s, move.to, depth + 1, next + !is_call, returned || is_call, more);
    }
}

/* Is there one way, and only one, to go on from this call as the rows say? */
static bool find_way(struct search *s, uint32_t called)
{
    go_on(s, called, 0, 1, false, 0);
    return s->ends == 1;
}

/* One call after the other, up to where neither spec nor table say for certain what comes next, or
 * a client would call that waits. */
static void ask_spec(struct table *table, struct rdl__space *space)
{
    struct rdl__sequence *sequence = table->sequence, said = {.memory = sequence->memory};
    struct rdl__routes routes = {.space = space};
    uint32_t node = 0, until;

    for (uint32_t i = 0; i < sequence->count && is_predicted(space->spec); i = until) {
        const struct rdl__planned *step = &sequence->steps[i];
        uint32_t called, before = said.count;
        struct search search;

        for (until = i + 1; until < sequence->count && sequence->steps[until].continued;)
            until++;
        if (space->nodes[node].pending >> step->client & 1)
            break;
        called = rdl__moves_call(space, node, step->client, number_of(space->spec, step->op),
                                 step->args);
        if (called == RDL__NONE)
            rdl__misuse(table->t, "%s:%d: %s, t%d: .pre of %s does not allow this call",
                        table->t->test->file, table->t->test->line, table->t->test->name,
                        step->time, step->op->name);
        rdl__routes_settle(&routes, called);
        search = (struct search){.space = space, .rows = step, .count = until - i};
        node = rdl__routes_follow(&routes, node, called,
                                  find_way(&search, called) ? search.found : NULL, &said);
        fill_in(sequence, i, node == RDL__NONE ? i + 1 : until, &said, before);
        table->script->met |= said.steps[before].met;
        if (node == RDL__NONE)
            break;
        if (until == sequence->count)
            sequence->after = said.after;
    }
    rdl__routes_release(&routes);
}

static void keep_beginning(struct rdl__script *script, struct rdl__space *space)
{
    size_t size = script->spec->client_size;
    struct rdl__sequence *sequence = &script->sequences[0];

    rdl__moves_load(space, 0);
    sequence->state =
        rdl__keep(script->memory, rdl__state_in(space, space->now), script->spec->state_size);
    sequence->clients = rdl__arena_alloc(script->memory, script->clients * size + 1);
    for (uint32_t i = 0; i < script->clients && size; i++)
        memcpy((char *)sequence->clients + i * size, rdl__client_in(space, space->now, i), size);
}

void rdl__read_table(struct rdl_case *t, struct rdl__script *out)
{
    const struct rdl_row *rows = t->test->options.table;
    struct table table = {.t = t, .script = out};
    struct rdl__space *space;
    int time = 0;

    if (t->test->options.table_count == 0)
        rdl__misuse(t, "%s:%d: %s: the table has no rows", t->test->file, t->test->line,
                    t->test->name);
    out->is_table = true;
    out->memory = rdl__allocate(sizeof *out->memory);
    out->names = rdl__arena_alloc(out->memory, RDL__CLIENTS_MAX * sizeof *out->names);
    table.sequence = rdl__script_add(out, NULL, NULL);
    for (size_t i = 0; i < t->test->options.table_count; i++) {
        read_row(&table, &rows[i], time);
        time = rows[i].time;
    }
    space = rdl__space_new(t, out->spec, out->clients);
    space->manner = RDL__WHEN_TOLD;
    rdl__space_begin(space);
    rdl__space_expand(space, 0);
    keep_beginning(out, space);
    ask_spec(&table, space);
    t->trace->on = space->traced;
}
