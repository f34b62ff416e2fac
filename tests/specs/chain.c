/* chain.c -- a meter, a panel that reads it, and a journal that the panel writes to: three
 * components in a row, with specs that disagree in some way, and faults.  tests/test_chain.c says
 * what is to come of each test. */
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 6 };

/* ---- The code ------------------------------------------------------------------------------- */

int meter_start(void);
int meter_read(int *value);
void meter_stop(void);
void meter_tick(int value);
void panel_alarm(int value);
int journal_write(char kind, long number);

static struct {
    int value, lines;
} real;

/* Compilers are not to know what functions return, as they would not in other files. */
static int some(int status)
{
    __asm__ volatile("" : "+r"(status));
    return status;
}

__attribute__((noinline)) int meter_start(void)
{
    real.value = 0;
    return some(0);
}

__attribute__((noinline)) int meter_read(int *value)
{
    *value = getenv("BUGS") ? real.value + 1 : real.value;
    return some(0);
}

__attribute__((noinline)) void meter_stop(void)
{
    real.value = 0;
}

__attribute__((noinline)) int journal_write(char kind, long number)
{
    __asm__ volatile("" : : "r"(kind), "r"(number)); /* or nobody would pass them */
    if (real.lines == (getenv("BUGS") ? LINES - 1 : LINES))
        return some(-1);
    real.lines++;
    return some(0);
}

__attribute__((noinline)) void panel_alarm(int value)
{
    journal_write('!', value);
}

__attribute__((noinline)) void meter_tick(int value)
{
    real.value = value;
    if (value >= 90)
        panel_alarm(value);
}

/* -1: the meter cannot be read. */
static int panel_show(int *shown)
{
    return meter_read(shown) == 0 ? 0 : -1;
}

static void panel_off(void)
{
    meter_stop();
    journal_write('0', 0);
}

/* ---- What they are to each other ------------------------------------------------------------ */

struct reading {
    int status, value;
};

struct value {
    int value;
};

/* With bytes between its fields that belong to none. */
struct line {
    char kind;
    long number;
};

RDL_EXTERN_OP_RETURNS(meter, start, struct rdl_nothing, int);
RDL_EXTERN_OP_RETURNS(meter, read, struct rdl_nothing, struct reading);
RDL_EXTERN_OP(meter, stop, struct rdl_nothing);
RDL_EXTERN_OP(meter, tick, struct value);
RDL_EXTERN_OP_RETURNS(panel, on, struct rdl_nothing, int);
RDL_EXTERN_OP_RETURNS(panel, show, struct rdl_nothing, struct reading);
RDL_EXTERN_OP(panel, off, struct rdl_nothing);
RDL_EXTERN_OP(panel, alarm, struct value);
RDL_EXTERN_OP_RETURNS(journal, write, struct line, int);

static void *create(struct rdl_case *t)
{
    memset(&real, 0, sizeof real);
    return t;
}

/* ---- The meter ------------------------------------------------------------------------------ */

struct meter {
    bool runs;
    int value;
};

RDL_TYPES(meter, struct meter, void);
RDL_PRE(meter, start, !s->runs);
RDL_POST_RETURNS(meter, start, *s = (struct meter){true, 0}; *r = 0);
RDL_DO_RETURNS(meter, start, *r = meter_start());
RDL_PRE(meter, read, s->runs);
RDL_POST_RETURNS(meter, read, r->value = s->value);
RDL_DO_RETURNS(meter, read, r->status = meter_read(&r->value));
RDL_PRE(meter, stop, s->runs);
RDL_POST(meter, stop, s->runs = false);
RDL_DO(meter, stop, meter_stop());
RDL_ARGS(meter, tick, a->value = rdl_int(t, 0, 99));
RDL_PRE(meter, tick, s->runs);
RDL_CALLOUTS(meter, tick, a->value >= 90 ? rdl_call(panel, alarm, a->value) : rdl_no_calls);
RDL_POST(meter, tick, s->value = a->value);
RDL_DO(meter, tick, meter_tick(a->value));

static void *create_meter(struct rdl_case *t, const struct meter *s)
{
    (void)s;
    return create(t);
}

static bool is_high(const struct meter *s)
{
    return s->runs && s->value >= 50;
}

static bool is_beyond(const struct meter *s)
{
    return s->value > 99;
}

RDL_OP_RETURNS(meter, start, struct rdl_nothing, int, .mocks = "meter_start", .callers = "panel",
               .pre = meter_start_pre, .post = meter_start_post, .call = meter_start_call);
RDL_OP_RETURNS(meter, read, struct rdl_nothing, struct reading, .mocks = "meter_read",
               .callers = "panel", .pre = meter_read_pre, .post = meter_read_post,
               .call = meter_read_call);
RDL_OP(meter, stop, struct rdl_nothing, .mocks = "meter_stop", .callers = "panel",
       .pre = meter_stop_pre, .post = meter_stop_post, .call = meter_stop_call);
RDL_OP(meter, tick, struct value, .callers = "test", .args = meter_tick_args, .pre = meter_tick_pre,
       .callouts = meter_tick_callouts, .post = meter_tick_post, .call = meter_tick_call);
RDL_SPEC(meter, RDL_OPS(meter, start, read, stop, tick), .create = create_meter,
         .interesting = {{"high", is_high}, {"beyond", is_beyond}});

/* ---- The panel ------------------------------------------------------------------------------ */

struct panel {
    bool is_on;
};

RDL_TYPES(panel, struct panel, void);
RDL_PRE(panel, on, !s->is_on);
RDL_CALLOUTS(panel, on, rdl_call_returns(meter, start, 0));
RDL_POST_RETURNS(panel, on, s->is_on = true; *r = 0);
RDL_DO_RETURNS(panel, on, *r = meter_start());
RDL_PRE(panel, show, s->is_on);
RDL_CALLOUTS(panel, show, rdl_call(meter, read));

/* What it shows is what it was answered; of faults it tells. */
static void show_post(struct panel *s, const struct rdl_nothing *a, struct reading *r)
{
    const struct reading *answer = rdl_answered(meter, read);

    (void)s, (void)a;
    if (answer && answer->status != 0)
        r->status = -1;
    else if (answer)
        r->value = answer->value;
}

RDL_DO_RETURNS(panel, show, int shown = 0; r->status = panel_show(&shown);
               r->value = r->status == 0 ? shown : 0);
RDL_PRE(panel, off, s->is_on);
RDL_CALLOUTS(panel, off, rdl_sequence(rdl_call(meter, stop), rdl_call(journal, write, '0', 0)));
RDL_POST(panel, off, s->is_on = false);
RDL_DO(panel, off, panel_off());
RDL_ARGS(panel, alarm, a->value = rdl_int(t, 90, 99));
RDL_CALLOUTS(panel, alarm, rdl_call(journal, write, '!', a->value));
RDL_DO(panel, alarm, panel_alarm(a->value));

static void *create_panel(struct rdl_case *t, const struct panel *s)
{
    (void)s;
    if (getenv("FAULTS"))
        rdl_inject(t, meter_read, rdl_returns(-1));
    return create(t);
}

RDL_OP_RETURNS(panel, on, struct rdl_nothing, int, .callers = "test", .pre = panel_on_pre,
               .callouts = panel_on_callouts, .post = panel_on_post, .call = panel_on_call);
RDL_OP_RETURNS(panel, show, struct rdl_nothing, struct reading, .callers = "test",
               .asks_answers = true, .pre = panel_show_pre, .callouts = panel_show_callouts,
               .post = show_post, .call = panel_show_call);
RDL_OP(panel, off, struct rdl_nothing, .callers = "test", .pre = panel_off_pre,
       .callouts = panel_off_callouts, .post = panel_off_post, .call = panel_off_call);
RDL_OP(panel, alarm, struct value, .mocks = "panel_alarm", .callers = "meter",
       .args = panel_alarm_args, .callouts = panel_alarm_callouts, .call = panel_alarm_call);
RDL_SPEC(panel, RDL_OPS(panel, on, show, off, alarm), .create = create_panel);

/* ---- The journal ---------------------------------------------------------------------------- */

struct journal {
    int lines;
};

RDL_TYPES(journal, struct journal, void);
RDL_ARGS(journal, write, a->kind = '0'; a->number = rdl_int(t, 0, 9));
RDL_PRE(journal, write, !getenv("STRICT") || s->lines < LINES);
RDL_POST_RETURNS(journal, write, if (s->lines < LINES) s->lines++; else *r = -1);
RDL_DO_RETURNS(journal, write, *r = journal_write(a->kind, a->number));

/* All bytes of the arguments are set before the fields are, and padding is left like that. */
static int write_mock(char kind, long number)
{
    struct line a;

    memset(&a, kind, sizeof a);
    a.kind = kind;
    a.number = number;
    return rdl_mocked_returns(journal, write, &a, rdl_real(journal_write)(kind, number));
}

static void *create_journal(struct rdl_case *t, const struct journal *s)
{
    (void)s;
    return create(t);
}

RDL_OP_RETURNS(journal, write, struct line, int, RDL_MOCKS(journal_write, write_mock),
               .callers = "panel", .args = journal_write_args, .pre = journal_write_pre,
               .post = journal_write_post, .call = journal_write_call);
RDL_SPEC(journal, RDL_OPS(journal, write), .create = create_journal);

/* ---- Tests ---------------------------------------------------------------------------------- */

RDL_TEST_MODEL(a_panel_alone, panel, .mocked = RDL_SPECS(meter, journal));
RDL_TEST_MODEL(a_panel_whose_meter_plays, panel, .stand_ins = RDL_SPECS(meter),
               .mocked = RDL_SPECS(meter, journal));

RDL_CLUSTER(chain, RDL_SPECS(panel, meter, journal));
RDL_TEST_CLUSTER(the_specs_agree, chain);
RDL_TEST_CLUSTER(the_panel_is_real, chain, .real = "panel");
RDL_TEST_CLUSTER(all_are_real, chain, .real = "all");

RDL_CLUSTER(without_a_meter, RDL_SPECS(panel, journal));
RDL_TEST_CLUSTER(a_meter_that_nobody_sees, without_a_meter, .real = "all");
RDL_TEST_CLUSTER(a_meter_that_is_mocked, without_a_meter, .real = "all",
                 .mocked = RDL_SPECS(meter));

struct amount {
    int amount;
};

RDL_TYPES(misnamed, struct meter, void);
RDL_OP(misnamed, tick, struct amount, .mocks = "meter_tick");
RDL_SPEC(misnamed, RDL_OPS(misnamed, tick));
RDL_TEST_MODEL(a_field_that_is_no_parameter, panel, .mocked = RDL_SPECS(misnamed));

RDL_MAIN
