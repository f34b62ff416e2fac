/* made_of.c -- a ledger whose operations are made of others, and that chooses numbers itself, for
 * test_components.  With $WRONG it forgets the second entry of a pair, or ends another transfer
 * than the one that it has begun; or the spec is wrong. */
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

struct amount {
    int cents;
};
struct pair {
    int first, second;
};
struct transfer {
    int id;
};

void bank_enter(int cents);
void bank_begin(int id);
void bank_end(int id);
RDL_STUB(bank_enter, cents);
RDL_STUB(bank_begin, id);
RDL_STUB(bank_end, id);

static bool is_wrong(const char *how)
{
    const char *wrong = getenv("WRONG");

    return wrong && strcmp(wrong, how) == 0;
}

struct ledger {
    int entries, next_id, open;
};

static void enter(struct ledger *ledger, int cents)
{
    bank_enter(cents);
    if (ledger->entries++ % 2 == 1)
        bank_enter(ledger->entries - 1);
}

static void enter_both(struct ledger *ledger, int first, int second)
{
    enter(ledger, first);
    if (!is_wrong("forgets"))
        enter(ledger, second);
}

static void begin(struct ledger *ledger)
{
    ledger->open = ledger->next_id += 7;
    bank_begin(ledger->open);
}

/* ---- The bank: all by names ------------------------------------------------------------------ */

RDL_TYPES(bank, struct rdl_nothing, struct rdl_nothing);
RDL_OP(bank, enter, struct amount, .mocks = "bank_enter");
RDL_OP(bank, begin, struct transfer, .mocks = "bank_begin");
RDL_OP(bank, end, struct transfer, .mocks = "bank_end");
RDL_SPEC(bank, RDL_OPS(bank, enter, begin, end));

/* ---- The ledger ------------------------------------------------------------------------------ */

struct books {
    int entries, open; /* the transfer, or 0 */
};

RDL_TYPES(ledger, struct books, struct ledger);
RDL_EXTERN_OP(ledger, enter, struct amount);
RDL_EXTERN_OP(ledger, enter_both, struct pair);
RDL_EXTERN_OP(ledger, begin, struct rdl_nothing);
RDL_EXTERN_OP(ledger, end, struct rdl_nothing);

/* Every other entry is told by its number, too. */
RDL_ARGS(ledger, enter, a->cents = (int)rdl_int(t, 1, 9));
RDL_PRE(ledger, enter, a->cents > 0);
RDL_POST(ledger, enter, s->entries++);
RDL_CALLOUTS(ledger, enter,
             s->entries % 2 == 0 ? rdl_call(bank, enter, a->cents)
                                 : rdl_sequence(rdl_call(bank, enter, a->cents),
                                                rdl_call(bank, enter, s->entries)));
RDL_DO(ledger, enter, enter(o, a->cents));

RDL_ARGS(ledger, enter_both, a->first = (int)rdl_int(t, 1, 9); a->second = (int)rdl_int(t, 1, 9));
RDL_POST(ledger, enter_both, s->entries += 2);
RDL_DO(ledger, enter_both, enter_both(o, a->first, a->second));

static void both_callouts(const struct books *s, const struct pair *a)
{
    struct amount first = {a->first};
    struct books later = *s;

    ledger_enter_post(&later, &first);
    rdl_callouts(
        rdl_sequence(rdl_calls_of(ledger, enter, s, a->first),
                     rdl_calls_of(ledger, enter, &later, getenv("AGAINST_PRE") ? 0 : a->second)));
}

/* Which number it chooses is its own affair. */
RDL_PRE(ledger, begin, s->open == 0);
RDL_CALLOUTS(ledger, begin, rdl_call_like(bank, begin, rdl_any(bank_begin)));
RDL_POST(ledger, begin, s->open = rdl_called_with(bank, begin)->id);
RDL_DO(ledger, begin, begin(o));

RDL_PRE(ledger, end, s->open != 0);
static struct rdl_port elsewhere = {.name = "elsewhere"};
RDL_CALLOUTS(ledger, end,
             is_wrong("releases")     ? rdl_releases(bank, end)
             : is_wrong("is no call") ? rdl_expect(rdl_out(&elsewhere, rdl_any(fault)))
                                      : rdl_call(bank, end, s->open));
RDL_POST(ledger, end, s->open = 0);
RDL_DO(ledger, end, bank_end(is_wrong("ends another") ? 1 : o->open));

static struct ledger *create(struct rdl_case *t, const struct books *s)
{
    (void)s;
    return rdl_new(t, struct ledger);
}

RDL_OP(ledger, enter, struct amount, .args = ledger_enter_args, .pre = ledger_enter_pre,
       .post = ledger_enter_post, .callouts = ledger_enter_callouts, .call = ledger_enter_call);
RDL_OP(ledger, enter_both, struct pair, .args = ledger_enter_both_args,
       .post = ledger_enter_both_post, .callouts = both_callouts, .call = ledger_enter_both_call);
RDL_OP(ledger, begin, struct rdl_nothing, .pre = ledger_begin_pre, .post = ledger_begin_post,
       .callouts = ledger_begin_callouts, .asks_answers = true, .call = ledger_begin_call);
RDL_OP(ledger, end, struct rdl_nothing, .pre = ledger_end_pre, .post = ledger_end_post,
       .callouts = ledger_end_callouts, .call = ledger_end_call);
RDL_SPEC(ledger, RDL_OPS(ledger, enter, enter_both, begin, end), .create = create);

RDL_TEST_MODEL(a_ledger, ledger);

RDL_CLUSTER(both, RDL_SPECS(ledger, bank));
RDL_TEST_CLUSTER(only_specs, both);

RDL_MAIN
