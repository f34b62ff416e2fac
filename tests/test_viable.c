/* test_viable.c -- the judge of histories agrees with one that knows nothing but the
 * semantics, on small histories of every kind. */
#include "harness.h"
#include "viable_histories.h"
#include "viable_specs.h"

enum { CASES_OF_EACH = 600, SPECS = 10, GIVEN_UP = 2 };

/* How eagerly layers are searched: not at all, as in earnest, or some way, so that the past
 * is forgotten now and then, or most of the time. */
static const uint32_t eager[] = {0, 3, 500};

static const struct rdl_spec *spec_number(int i)
{
    const struct rdl_spec *const all[SPECS] = {
        rdl_spec_counter, rdl_spec_queue, rdl_spec_cell,    rdl_spec_lock,   rdl_spec_rw,
        rdl_spec_meeting, rdl_spec_bag,   rdl_spec_tickets, rdl_spec_houses, rdl_spec_names};

    return all[i];
}

/* ---- Do they agree? ---------------------------------------------------------------------- */

struct trial {
    const struct rdl_spec *spec;
    unsigned flags;
    struct rdl__viable *v;         /* told so far */
    enum rdl__judgement judgement; /* the last one */
    bool given_up;                 /* all orders are too many */
};

static void tell(struct rdl__viable *v, const struct history *h, const struct event *e)
{
    const struct rdl_call *call = &h->calls[e->call];

    if (e->what == BEGIN)
        rdl__viable_begin(v, call);
    else if (e->what == RETURN)
        rdl__viable_return(v, call->number, call->operation->answer_size ? &e->answer : NULL);
}

static bool is_viable(const struct rdl_spec *spec, const struct configs *set, const void *state)
{
    for (int i = 0; i < set->count; i++)
        if (memcmp(set->all[i].state, state, spec->state_size) == 0)
            return true;
    return false;
}

/* Which of the rules is it that cannot be kept to, up to event `end`? */
static enum rdl__blame naive_blame(const struct trial *t, const struct history *h, int end)
{
    unsigned others = t->flags & ~(unsigned)(RDL__WITH_POLICY | RDL__WITH_LIVENESS);

    if (!naive_explains(t->spec, others, h, end))
        return RDL__BLAME_RETURNED;
    if ((t->flags & RDL__WITH_POLICY) &&
        !naive_explains(t->spec, others | RDL__WITH_POLICY, h, end))
        return RDL__BLAME_POLICY;
    return RDL__BLAME_WAITS;
}

/* What they do not agree about; NULL: nothing. */
static const char *difference(struct trial *t, const struct history *h, struct configs *set)
{
    struct naive n = {.spec = t->spec, .flags = t->flags, .history = h};
    int event = 0;

    while (event < h->count) {
        int end = walk_phase(&n, set, event);

        for (; event < end - 1; event++)
            tell(t->v, h, &h->events[event]);
        event = end;
        t->given_up = n.steps > STEPS_MAX;
        if (t->given_up)
            return NULL;
        t->judgement =
            h->events[end - 1].what == QUIET ? rdl__viable_quiet(t->v) : rdl__viable_end(t->v);
        if (t->judgement == RDL__UNDECIDED)
            return "it is undecided";
        if ((t->judgement == RDL__EXPLAINED) != (set->count > 0))
            return set->count ? "it can be explained, but is said not to be"
                              : "it cannot be explained, but is said to be";
        if (set->count == 0)
            return rdl__viable_blame(t->v) == naive_blame(t, h, end) ? NULL : "the blame";
        if (h->events[end - 1].what == QUIET && !is_viable(t->spec, set, rdl__viable_state(t->v)))
            return "the state is not viable";
    }
    return NULL;
}

static const char *compare(struct trial *t, const struct history *h)
{
    static const unsigned char initial[STATE_ROOM];
    struct config first = first_config(t->spec);
    struct configs set = {0};
    const char *what;

    if (t->v)
        rdl__viable_reset(t->v, initial, t->flags);
    else
        t->v = rdl__viable_new(t->spec, initial, t->flags);
    add_config(&set, &first);
    what = difference(t, h, &set);
    free(set.all);
    return what;
}

/* ---- When they do not --------------------------------------------------------------------- */

/* As compare, with a judge that has not seen anything before. */
static const char *compare_afresh(const struct trial *t, const struct history *h)
{
    struct trial fresh = {.spec = t->spec, .flags = t->flags};
    const char *what = compare(&fresh, h);

    rdl__viable_free(fresh.v);
    return what;
}

static void remove_call(struct history *h, int call)
{
    for (int i = h->count - 1; i >= 0; i--)
        if (h->events[i].what <= RETURN && h->events[i].call == call)
            remove_event(h, i);
}

/* A smaller history that they do not agree about either. */
static bool reduce(const struct trial *t, struct history *h)
{
    for (int i = 0; i < h->call_count + h->count - 1; i++) {
        struct history smaller = *h;

        if (i < h->call_count)
            remove_call(&smaller, i);
        else if (h->events[i - h->call_count].what != BEGIN)
            remove_event(&smaller, i - h->call_count);
        settle_history(&smaller);
        if (smaller.count < h->count && compare_afresh(t, &smaller)) {
            *h = smaller;
            settle_history(h);
            return true;
        }
    }
    return false;
}

static void complain(const struct trial *t, struct history *h, const char *what)
{
    if (compare_afresh(t, h))
        while (reduce(t, h))
            what = compare_afresh(t, h);
    else
        printf("  only after other histories:\n");
    what = compare_afresh(t, h) ? compare_afresh(t, h) : what;
    printf("  spec %s, policy %s, eager %u,%s%s%s: %s\n", t->spec->name,
           rdl__policy_of(t->spec)->name, rdl__viable_eager,
           t->flags & RDL__WITH_POLICY ? " with policy" : "",
           t->flags & RDL__WITH_LIVENESS ? " with liveness" : "",
           t->flags & RDL__PENDING_FREE ? " pending free" : "", what);
    show_history(h);
}

/* ---- Many of them --------------------------------------------------------------------------- */

static unsigned draw_flags(struct rdl__random *random)
{
    int percent = upto(random, 99);

    if (percent < 50)
        return RDL__WITH_POLICY | RDL__WITH_LIVENESS;
    if (percent < 65)
        return RDL__WITH_POLICY;
    if (percent < 75)
        return RDL__WITH_LIVENESS;
    if (percent < 80)
        return 0;
    return RDL__PENDING_FREE | (percent < 90 ? 0 : RDL__WITH_POLICY);
}

/* Large phases are rare, since all orders are many. */
static struct making draw_making(const struct trial *t, struct rdl__random *random)
{
    int permille = upto(random, 999);
    struct making m = {.spec = t->spec, .flags = t->flags, .concurrent = 3};

    if (upto(random, 3) == 0)
        m.flags &= upto(random, 1) ? ~(unsigned)RDL__WITH_POLICY : ~(unsigned)RDL__WITH_LIVENESS;
    m.spoilt = upto(random, 9) < 4 ? 0 : 1 + upto(random, 2);
    if (t->flags & RDL__PENDING_FREE) {
        m.calls = t->flags & RDL__WITH_POLICY ? 4 : 6;
        return m;
    }
    m.phases = 1 + upto(random, 2);
    m.calls = permille < 3 ? 5 : permille < 60 ? 4 : permille < 600 ? 3 : 2;
    m.concurrent = m.calls + 2;
    return m;
}

static int try_spec(const struct rdl_spec *spec, uint64_t seed, int counts[3])
{
    struct trial t = {.spec = spec};
    int differences = 0, cases = soak() ? 20 * CASES_OF_EACH : CASES_OF_EACH;

    for (int i = 0; i < cases && differences == 0; i++) {
        struct rdl__random random;
        struct making making;
        struct history h;
        const char *what;

        rdl__random_seed(&random, rdl__combine(seed, (uint64_t)i));
        t.flags = draw_flags(&random);
        making = draw_making(&t, &random);
        make_history(&h, &making, &random);
        what = compare(&t, &h);
        if (!what && i % 8 == 0)
            what = compare_afresh(&t, &h);
        if (what) {
            complain(&t, &h, what);
            differences++;
        }
        counts[t.given_up ? GIVEN_UP : t.judgement == RDL__EXPLAINED]++;
    }
    rdl__viable_free(t.v);
    return differences;
}

/* The same with each of the specs, in the order of spec_number. */
static void try_policy(const struct rdl_policy *policy, uint64_t seed)
{
    int counts[3] = {0}, differences = 0, all;

    for (int i = 0; i < SPECS; i++) {
        struct rdl_spec spec = *spec_number(i);

        spec.policy = policy ? policy : &over_of[i];
        for (uint64_t k = 0; k < sizeof eager / sizeof *eager; k++) {
            rdl__viable_eager = eager[k];
            differences +=
                try_spec(&spec, rdl__combine(test_seed() + seed, (uint64_t)i + k * SPECS), counts);
        }
    }
    EXPECT_EQ(differences, 0);
    all = counts[0] + counts[1];
    printf("  %d histories, %d%% explained\n", all, counts[1] * 100 / all);
    EXPECT(counts[GIVEN_UP] * 100 < all);
    EXPECT(counts[0] * 5 >= all);
    EXPECT(counts[1] * 5 >= all);
}

TEST(it_agrees_about_calls_in_any_order)
{
    try_policy(RDL_ALWAYS, 1);
}

TEST(it_agrees_about_first_come_first_served)
{
    try_policy(RDL_FIFO, 2);
}

TEST(it_agrees_about_first_of_its_kind)
{
    try_policy(RDL_FIFO_PER_OP, 3);
}

TEST(it_agrees_about_priorities)
{
    try_policy(RDL_PRIORITY, 4);
}

TEST(it_agrees_about_one_operation_over_another)
{
    try_policy(NULL, 5);
}

TEST(it_agrees_about_a_policy_where_calls_help_others)
{
    try_policy(&pairs_policy, 6);
}

TEST(it_agrees_about_last_come_first_served)
{
    try_policy(&stack_policy, 7);
}

TEST(it_agrees_about_taking_turns)
{
    try_policy(&turns_policy, 8);
}

TEST(it_agrees_about_a_policy_that_goes_by_the_crowd)
{
    try_policy(&crowd_policy, 9);
}
