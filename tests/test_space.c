/* test_space.c -- what is found in a spec is all there is, and the runs are the shortest:
 * random small specs, looked through once more by a program that knows nothing but the
 * rules, and does everything the slow way. */
#include "soundness.h"

#include <stdio.h>
#include <stdlib.h>

enum { STATES = 4, OPS = 3, CLIENTS_MAX = 3, NODES_MAX = 1000, STEPS_MAX = 8, FAR = 1 << 20 };

/* ---- A spec made of tables ---------------------------------------------------------- */

struct at {
    int is;
};

static struct {
    bool pre[OPS][STATES], cpre[OPS][STATES], invariant[STATES];
    int post[OPS][STATES];
    int policy;
    int clients;
} tables;

#define OPERATION(n)                                                                               \
    static bool pre_##n(const struct at *s, const struct rdl_nothing *a)                           \
    {                                                                                              \
        (void)a;                                                                                   \
        return tables.pre[n][s->is];                                                               \
    }                                                                                              \
    static bool cpre_##n(const struct at *s, const struct rdl_nothing *a)                          \
    {                                                                                              \
        (void)a;                                                                                   \
        return tables.cpre[n][s->is];                                                              \
    }                                                                                              \
    static void post_##n(struct at *s, const struct rdl_nothing *a)                                \
    {                                                                                              \
        (void)a;                                                                                   \
        s->is = tables.post[n][s->is];                                                             \
    }                                                                                              \
    RDL_OP(table, op##n, struct rdl_nothing, .pre = pre_##n, .cpre = cpre_##n, .post = post_##n)

static bool table_invariant(const struct at *s)
{
    return tables.invariant[s->is];
}

RDL_TYPES(table, struct at, void);
OPERATION(0);
OPERATION(1);
OPERATION(2);

#define TABLE_SPEC(name, policy_)                                                                  \
    typedef struct at rdl_state_##name;                                                            \
    typedef void rdl_object_##name;                                                                \
    typedef struct rdl_nothing rdl_client_##name;                                                  \
    RDL_SPEC(name, RDL_OPS(table, op0, op1, op2), .policy = policy_, .invariant = table_invariant)
TABLE_SPEC(always, RDL_ALWAYS);
TABLE_SPEC(fifo, RDL_FIFO);
TABLE_SPEC(fifo_per_op, RDL_FIFO_PER_OP);
TABLE_SPEC(over, rdl_over(table, op0, op1));

static void draw_tables(uint64_t seed)
{
    struct rdl__random random;
    uint64_t ease;

    rdl__random_seed(&random, seed);
    ease = 1 + 4 * rdl__random_upto(&random, 3);
    for (int op = 0; op < OPS; op++)
        for (int s = 0; s < STATES; s++) {
            tables.pre[op][s] = rdl__random_upto(&random, 9) > 0;
            tables.cpre[op][s] = rdl__random_upto(&random, ease) > 0;
            tables.post[op][s] = (int)rdl__random_upto(&random, STATES - 1);
        }
    for (int s = 0; s < STATES; s++)
        tables.invariant[s] = rdl__random_upto(&random, 15) > 0;
    tables.policy = (int)rdl__random_upto(&random, 3);
    tables.clients = rdl__random_upto(&random, 7) ? 2 : 3;
}

/* ---- The rules, the slow way -------------------------------------------------------- */

struct config {
    int state, count, client[CLIENTS_MAX], op[CLIENTS_MAX];
};

struct step {
    int to, client;
    bool executes;
};

static struct config configs[NODES_MAX];
static struct step steps[NODES_MAX][STEPS_MAX * CLIENTS_MAX];
static int step_counts[NODES_MAX], distance[NODES_MAX], config_count;
static bool ran[OPS];

static int number_of(struct config config)
{
    for (int i = config.count; i < CLIENTS_MAX; i++)
        config.client[i] = config.op[i] = 0;
    for (int i = 0; i < config_count; i++)
        if (memcmp(&configs[i], &config, sizeof config) == 0)
            return i;
    EXPECT(config_count < NODES_MAX);
    distance[config_count] = FAR;
    step_counts[config_count] = 0;
    configs[config_count] = config;
    return config_count++;
}

static int place_of(int i, int client)
{
    for (int k = 0; k < configs[i].count; k++)
        if (configs[i].client[k] == client)
            return k;
    return -1;
}

static bool policy_lets(const struct config *c, int k)
{
    for (int other = 0; other < c->count; other++) {
        if (tables.policy == 1 && other < k && tables.cpre[c->op[other]][c->state])
            return false;
        if (tables.policy == 2 && other < k && c->op[other] == c->op[k])
            return false;
        if (tables.policy == 3 && c->op[k] == 1 && c->op[other] == 0)
            return false;
    }
    return true;
}

static bool holds(int i, int client)
{
    int k = place_of(i, client);

    return k >= 0 && tables.cpre[configs[i].op[k]][configs[i].state];
}

static bool is_able(int i, int client)
{
    return holds(i, client) && policy_lets(&configs[i], place_of(i, client));
}

static void add_step(int i, struct config to, int client, bool executes)
{
    int number = number_of(to);

    steps[i][step_counts[i]++] = (struct step){number, client, executes};
    if (distance[i] + 1 < distance[number])
        distance[number] = distance[i] + 1;
}

static void add_steps(int i)
{
    for (int client = 0; client < tables.clients; client++) {
        struct config to = configs[i];
        int k = place_of(i, client);

        if (is_able(i, client)) {
            ran[to.op[k]] = true;
            to.state = tables.post[to.op[k]][to.state];
            for (to.count--; k < to.count; k++) {
                to.client[k] = to.client[k + 1];
                to.op[k] = to.op[k + 1];
            }
            add_step(i, to, client, true);
        }
        for (int op = 0; place_of(i, client) < 0 && op < OPS; op++)
            if (tables.pre[op][configs[i].state]) {
                to = configs[i];
                to.client[to.count] = client;
                to.op[to.count++] = op;
                add_step(i, to, client, false);
            }
    }
}

static bool is_sane(int i)
{
    return tables.invariant[configs[i].state];
}

/* Distances are those of the shortest runs since nodes are found breadth first; but that is
 * what is to be shown, so they are found anew until nothing changes. */
static void walk_everywhere(void)
{
    config_count = 0;
    memset(ran, 0, sizeof ran);
    distance[number_of((struct config){0})] = 0;
    for (int i = 0; i < config_count; i++)
        if (is_sane(i))
            add_steps(i);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < config_count; i++)
            for (int k = 0; k < step_counts[i]; k++)
                if (distance[i] + 1 < distance[steps[i][k].to]) {
                    distance[steps[i][k].to] = distance[i] + 1;
                    changed = true;
                }
    }
}

/* ---- What is wrong ------------------------------------------------------------------ */

enum kind { BY_POLICY, BY_CHANCE, BY_STATE };

static bool is_member(enum kind kind, int client, int i)
{
    if (!is_sane(i) || place_of(i, client) < 0)
        return false;
    return kind == BY_POLICY ? !is_able(i, client) : kind == BY_STATE ? !holds(i, client) : true;
}

static bool is_anchor(enum kind kind, int client, int i)
{
    return is_member(kind, client, i) && (kind != BY_POLICY || holds(i, client)) &&
           (kind != BY_CHANCE || is_able(i, client));
}

static bool stays(enum kind kind, int client, const struct step *step)
{
    return !(step->executes && step->client == client) && is_member(kind, client, step->to);
}

/* Who is treated fairly by this step, all clients being bits. */
static int fair_to(int i, const struct step *step)
{
    int clients = (1 << tables.clients) - 1;

    for (int k = 0; k < step_counts[i]; k++)
        clients &= ~(1 << steps[i][k].client);
    return clients | 1 << step->client;
}

/* Can one get from here to the anchor in so many steps, being fair to all? */
static bool gets_back(enum kind kind, int client, int i, int anchor, int fair, int left)
{
    if (left == 0)
        return i == anchor && fair == (1 << tables.clients) - 1;
    for (int k = 0; k < step_counts[i]; k++)
        if (stays(kind, client, &steps[i][k]) &&
            gets_back(kind, client, steps[i][k].to, anchor, fair | fair_to(i, &steps[i][k]),
                      left - 1))
            return true;
    return false;
}

static bool reach[NODES_MAX][NODES_MAX];

static void find_reach(enum kind kind, int client)
{
    memset(reach, 0, sizeof reach);
    for (int i = 0; i < config_count; i++)
        for (int k = 0; is_member(kind, client, i) && k < step_counts[i]; k++)
            if (stays(kind, client, &steps[i][k]))
                reach[i][steps[i][k].to] = true;
    for (int via = 0; via < config_count; via++)
        for (int i = 0; i < config_count; i++)
            for (int k = 0; reach[i][via] && k < config_count; k++)
                reach[i][k] |= reach[via][k];
}

static bool can_be_gone_round_fairly(enum kind kind, int client, int anchor)
{
    int fair = 0;

    for (int i = 0; i < config_count; i++)
        for (int k = 0; reach[anchor][i] && reach[i][anchor] && k < step_counts[i]; k++)
            if (stays(kind, client, &steps[i][k]) && reach[steps[i][k].to][anchor])
                fair |= fair_to(i, &steps[i][k]);
    return fair == (1 << tables.clients) - 1;
}

/* The nearest cycle of a kind: how far; and a bit for each length it may have. */
static int nearest_cycle(enum kind kind, int *out_lengths)
{
    int nearest = FAR;

    *out_lengths = 0;
    for (int client = 0; client < tables.clients; client++) {
        find_reach(kind, client);
        for (int i = 0; i < config_count; i++) {
            int length = 1;

            if (distance[i] > nearest || !is_anchor(kind, client, i) ||
                !can_be_gone_round_fairly(kind, client, i))
                continue;
            if (distance[i] < nearest)
                *out_lengths = 0;
            nearest = distance[i];
            while (length < 9 && !gets_back(kind, client, i, i, 0, length))
                length++;
            *out_lengths |= 1 << length; /* 9: at least */
        }
    }
    return nearest;
}

/* ---- What was told ------------------------------------------------------------------ */

/* The number of the last step before this. */
static int last_step(const char *from, const char *end)
{
    int last = -1, number;

    for (const char *line = from; line < end; line += strcspn(line, "\n") + 1)
        if (line[0] == ' ' && sscanf(line, "%4d  ", &number) == 1)
            last = number;
    return last;
}

static void expect_run(const char *told, const char *headline, const char *end, int wanted)
{
    const char *at = strstr(told, headline);

    EXPECT_EQ(at != NULL, wanted < FAR);
    if (at)
        EXPECT_EQ(last_step(at + strcspn(at, "\n") + 1, strstr(at, end)), wanted);
}

static void expect_cycle(const char *told, enum kind kind, int wanted, int lengths)
{
    const char *reasons[] = {"holds again and again", "could go on again", "never holds"};
    const char *reason = strstr(told, reasons[kind]), *headline = told, *loop = NULL, *next;
    int stem, length;

    EXPECT_EQ(reason != NULL, wanted < FAR);
    if (!reason)
        return;
    while ((next = strstr(headline + 1, "a call of spec")) && next < reason)
        headline = next;
    loop = strstr(headline, "and from here on");
    EXPECT(loop && loop < reason);
    stem = last_step(headline + strcspn(headline, "\n") + 1, loop - 6);
    length = last_step(loop + strcspn(loop, "\n") + 1, reason) - stem;
    EXPECT_EQ(stem, wanted);
    EXPECT(lengths >> (length < 9 ? length : 9) & 1);
}

static int nearest_broken(void)
{
    int nearest = FAR;

    for (int i = 0; i < config_count; i++)
        if (!is_sane(i) && distance[i] < nearest)
            nearest = distance[i];
    return nearest;
}

static int nearest_stuck(void)
{
    int nearest = FAR;

    for (int i = 0; i < config_count; i++)
        if (is_sane(i) && step_counts[i] == 0 && configs[i].count && distance[i] < nearest)
            nearest = distance[i];
    return nearest;
}

static void expect_dead_operations(const char *told, bool claimed)
{
    for (int op = 0; op < OPS; op++) {
        char headline[40];

        snprintf(headline, sizeof headline, "operation op%d of spec", op);
        EXPECT_EQ(strstr(told, headline) != NULL, claimed && !ran[op]);
    }
}

static int found[6]; /* how often there was what */

static void compare(void)
{
    const struct rdl_spec *specs[] = {rdl_spec_always, rdl_spec_fifo, rdl_spec_fifo_per_op,
                                      rdl_spec_over};
    int lengths, broken, stuck, cycle;
    char told[5000];

    run_case(rdl__test_spec, (struct rdl_options){.spec = specs[tables.policy],
                                                  .clients = (unsigned)tables.clients});
    snprintf(told, sizeof told, "%s\n%s\n", board->outcome.check, board->outcome.text);
    EXPECT(strlen(board->outcome.text) < sizeof board->outcome.text - 1);
    walk_everywhere();
    broken = nearest_broken();
    stuck = nearest_stuck();
    expect_run(told, "the invariant of spec", "the invariant does not hold now", broken);
    expect_run(told, "can be blocked for ever", " waits in ", stuck);
    expect_dead_operations(told, broken == FAR);
    cycle = nearest_cycle(BY_POLICY, &lengths);
    found[0] += broken < FAR;
    found[1] += stuck < FAR;
    found[2] += cycle < FAR;
    expect_cycle(told, BY_POLICY, cycle, lengths);
    if (cycle == FAR) {
        cycle = nearest_cycle(BY_CHANCE, &lengths);
        expect_cycle(told, BY_CHANCE, cycle, lengths);
        found[3] += cycle < FAR;
    }
    cycle = nearest_cycle(BY_STATE, &lengths);
    expect_cycle(told, BY_STATE, cycle, lengths);
    found[4] += cycle < FAR;
    found[5] += board->outcome.verdict == RDL__PASSED;
}

TEST(what_is_found_is_all_there_is_and_as_near_as_can_be)
{
    for (uint64_t n = 0; n < (soak() ? 4000 : 400); n++) {
        draw_tables(test_seed() * 1000003 + n);
        compare();
    }
    for (int i = 0; i < 6; i++)
        EXPECT(found[i] > 3);
}
