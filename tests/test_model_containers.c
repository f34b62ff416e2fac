/* test_model_containers.c -- containers of models do what their naive counterparts do. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "case/case.h"
#include "harness.h"
#include "raddle/model.h"

enum { CAPACITY = 6, STEPS = 400, ROUNDS = 200 };

struct point {
    char x; /* padding follows */
    int y;
};

static struct rdl__random chance;

static int upto(int max)
{
    return (int)rdl__random_upto(&chance, (uint64_t)max);
}

/* A point whose padding holds whatever was there. */
static struct point some_point(int number)
{
    struct point point;

    memset(&point, upto(255), sizeof point);
    point.x = (char)(number % 2);
    point.y = number / 2 - 2;
    return point;
}

/* ---- The naive counterpart: numbers in an array, as they came ---------------------------- */

struct naive {
    int count, items[CAPACITY];
};

static int find(const struct naive *naive, int number)
{
    for (int i = 0; i < naive->count; i++)
        if (naive->items[i] == number)
            return i;
    return -1;
}

static int remove_at(struct naive *naive, int index)
{
    int number = naive->items[index];

    for (int i = index; i + 1 < naive->count; i++)
        naive->items[i] = naive->items[i + 1];
    naive->count--;
    return number;
}

static void insert_at(struct naive *naive, int index, int number)
{
    for (int i = naive->count++; i > index; i--)
        naive->items[i] = naive->items[i - 1];
    naive->items[index] = number;
}

static void sort(struct naive *naive)
{
    for (int i = 1; i < naive->count; i++)
        for (int k = i; k > 0 && naive->items[k - 1] > naive->items[k]; k--) {
            int number = naive->items[k];

            naive->items[k] = naive->items[k - 1];
            naive->items[k - 1] = number;
        }
}

/* ---- In the order in which they were put --------------------------------------------------- */

typedef rdl_vec(int, CAPACITY) vector;

/* Bytes and all: what is not used is zero. */
static void expect_same_vector(const vector *v, const struct naive *naive)
{
    vector wanted = {.count = (uint32_t)naive->count};

    memcpy(wanted.items, naive->items, sizeof(int) * (size_t)naive->count);
    EXPECT(memcmp(v, &wanted, sizeof wanted) == 0);
}

static void change_vector(vector *v, struct naive *naive)
{
    int i = upto(naive->count), number = upto(9) - 5;

    switch (upto(5)) {
    case 0:
        if (rdl_is_full(v))
            break;
        rdl_vec_push(v, number);
        insert_at(naive, naive->count, number);
        break;
    case 1:
        if (rdl_is_full(v))
            break;
        rdl_vec_insert(v, i, number);
        insert_at(naive, i, number);
        break;
    case 2:
        if (!rdl_is_empty(v))
            EXPECT_EQ(rdl_vec_pop(v), remove_at(naive, naive->count - 1));
        break;
    case 3:
        if (i < naive->count)
            EXPECT_EQ(rdl_vec_remove(v, i), remove_at(naive, i));
        break;
    case 4:
        if (i < naive->count)
            naive->items[i] = rdl_vec_at(v, i) = number;
        break;
    }
    if (upto(50) == 0) {
        rdl_clear(v);
        naive->count = 0;
    }
}

TEST(a_vector_holds_what_was_put_where)
{
    rdl__random_seed(&chance, test_seed());
    for (int round = 0; round < ROUNDS; round++) {
        vector v = {0};
        struct naive naive = {0};

        for (int step = 0; step < STEPS; step++) {
            change_vector(&v, &naive);
            expect_same_vector(&v, &naive);
        }
    }
}

TEST(a_queue_gives_what_came_first)
{
    struct {
        rdl_fifo(int, CAPACITY) ints;
        rdl_fifo(struct point, CAPACITY) points;
    } state, wanted;

    rdl__random_seed(&chance, test_seed());
    for (int round = 0; round < ROUNDS; round++) {
        struct naive naive = {0};

        memset(&state, 0, sizeof state);
        for (int step = 0; step < STEPS; step++) {
            if (upto(1) && !rdl_is_full(&state.ints)) {
                int number = upto(99);

                insert_at(&naive, naive.count, number);
                rdl_fifo_put(&state.ints, number);
                rdl_fifo_put(&state.points, some_point(number));
            } else if (naive.count) {
                EXPECT_EQ(rdl_fifo_peek(&state.ints), naive.items[0]);
                EXPECT_EQ(rdl_fifo_peek(&state.points).y, naive.items[0] / 2 - 2);
                EXPECT_EQ(rdl_fifo_get(&state.points).x, naive.items[0] % 2);
                EXPECT_EQ(rdl_fifo_get(&state.ints), remove_at(&naive, 0));
            }
            memset(&wanted, 0, sizeof wanted);
            wanted.ints.count = wanted.points.count = (uint32_t)naive.count;
            for (int i = 0; i < naive.count; i++) {
                wanted.ints.items[i] = naive.items[i];
                wanted.points.items[i].x = (char)(naive.items[i] % 2);
                wanted.points.items[i].y = naive.items[i] / 2 - 2;
            }
            EXPECT(memcmp(&state.ints, &wanted.ints, sizeof state.ints) == 0);
#if __has_builtin(__builtin_clear_padding)
            EXPECT(memcmp(&state.points, &wanted.points, sizeof state.points) == 0);
#endif
        }
    }
}

/* ---- Sorted --------------------------------------------------------------------------------- */

/* A set of numbers of any type, whose least is LEAST. */
#define SET_IS_SORTED(claim, Type, LEAST)                                                          \
    TEST(claim)                                                                                    \
    {                                                                                              \
        rdl__random_seed(&chance, test_seed());                                                    \
        for (int round = 0; round < ROUNDS; round++) {                                             \
            rdl_set(Type, CAPACITY) set = {0};                                                     \
            struct naive naive = {0};                                                              \
                                                                                                   \
            for (int step = 0; step < STEPS; step++) {                                             \
                int number = upto(9) + (LEAST), at = find(&naive, number);                         \
                                                                                                   \
                EXPECT_EQ(rdl_set_has(&set, (Type)number), at >= 0);                               \
                if (upto(1)) {                                                                     \
                    EXPECT_EQ(rdl_set_remove(&set, (Type)number), at >= 0);                        \
                    if (at >= 0)                                                                   \
                        remove_at(&naive, at);                                                     \
                } else if (at >= 0 || !rdl_is_full(&set)) {                                        \
                    EXPECT_EQ(rdl_set_add(&set, (Type)number), at < 0);                            \
                    if (at < 0)                                                                    \
                        insert_at(&naive, naive.count, number);                                    \
                }                                                                                  \
                sort(&naive);                                                                      \
                EXPECT_EQ(set.count, naive.count);                                                 \
                for (int i = 0; i < CAPACITY; i++)                                                 \
                    EXPECT(set.items[i] == (i < naive.count ? (Type)naive.items[i] : 0));          \
            }                                                                                      \
        }                                                                                          \
    }

SET_IS_SORTED(a_set_of_ints_is_sorted, int, -5)
SET_IS_SORTED(a_set_of_bytes_is_sorted, uint8_t, 250 - 5)
SET_IS_SORTED(a_set_of_signed_bytes_is_sorted, int8_t, -5)
SET_IS_SORTED(a_set_of_shorts_is_sorted, short, -300)
SET_IS_SORTED(a_set_of_long_numbers_is_sorted, long long, -5)
SET_IS_SORTED(a_set_of_unsigned_numbers_is_sorted, uint64_t, 250)
SET_IS_SORTED(a_set_of_doubles_is_sorted, double, -5)
SET_IS_SORTED(a_set_of_floats_is_sorted, float, -5)

enum colour { RED, GREEN, BLUE };

TEST(a_set_may_hold_bools_and_enumerators)
{
    rdl_set(bool, 2) answers = {0};
    rdl_set(enum colour, 3) colours = {0};

    EXPECT(rdl_set_add(&answers, true));
    EXPECT(rdl_set_add(&answers, false));
    EXPECT(!rdl_set_add(&answers, true));
    EXPECT(answers.items[0] == false && answers.items[1] == true);
    EXPECT(rdl_set_add(&colours, BLUE));
    EXPECT(rdl_set_add(&colours, RED));
    EXPECT(colours.items[0] == RED && colours.items[1] == BLUE);
    EXPECT(!rdl_set_has(&colours, GREEN));
}

TEST(a_multiset_counts)
{
    rdl__random_seed(&chance, test_seed());
    for (int round = 0; round < ROUNDS; round++) {
        rdl_multiset(int, CAPACITY) set = {0};
        struct naive naive = {0};

        for (int step = 0; step < STEPS; step++) {
            int number = upto(4) - 2, at = find(&naive, number), count = 0;

            if (upto(1)) {
                EXPECT_EQ(rdl_multiset_remove(&set, number), at >= 0);
                if (at >= 0)
                    remove_at(&naive, at);
            } else if (!rdl_is_full(&set)) {
                rdl_multiset_add(&set, number);
                insert_at(&naive, naive.count, number);
            }
            for (int i = 0; i < naive.count; i++)
                count += naive.items[i] == number;
            EXPECT_EQ(rdl_multiset_count(&set, number), count);
            sort(&naive);
            expect_same_vector((const vector *)&set, &naive);
        }
    }
}

/* ---- Maps ----------------------------------------------------------------------------------- */

TEST(a_map_knows_the_last_value_of_each_key)
{
    rdl__random_seed(&chance, test_seed());
    for (int round = 0; round < ROUNDS; round++) {
        rdl_map(short, struct point, CAPACITY) map = {0}, again = {0};
        int values[10] = {0}, count = 0; /* 0: none */

        for (int step = 0; step < STEPS; step++) {
            int key = upto(9), value = 1 + upto(99);

            EXPECT_EQ(rdl_map_has(&map, key - 5), values[key] != 0);
            if (values[key])
                EXPECT_EQ(rdl_map_get(&map, key - 5)->y, values[key] / 2 - 2);
            if (upto(1)) {
                EXPECT_EQ(rdl_map_remove(&map, key - 5), values[key] != 0);
                count -= values[key] != 0;
                values[key] = 0;
            } else if (values[key] || count < CAPACITY) {
                rdl_map_put(&map, key - 5, some_point(value));
                count += values[key] == 0;
                values[key] = value;
            }
            EXPECT_EQ(map.count, count);
        }
        for (int key = 9; key >= 0; key--)
            if (values[key])
                rdl_map_put(&again, key - 5, some_point(values[key]));
        for (uint32_t i = 1; i < map.count; i++)
            EXPECT(map.items[i - 1].key < map.items[i].key);
#if __has_builtin(__builtin_clear_padding)
        EXPECT(memcmp(&map, &again, sizeof map) == 0);
#endif
    }
}

TEST(structs_can_be_keys)
{
    rdl_map(struct point, int, 4) map = {0};
    rdl_set(struct point, 4) set = {0};

    rdl_map_put(&map, ((struct point){1, 2}), 3);
    rdl_map_put(&map, ((struct point){2, 1}), 4);
    *rdl_map_get(&map, (struct point){1, 2}) += 10;
    EXPECT_EQ(*rdl_map_get(&map, (struct point){1, 2}), 13);
    EXPECT(!rdl_map_has(&map, (struct point){2, 2}));
    EXPECT(rdl_set_add(&set, some_point(7)));
#if __has_builtin(__builtin_clear_padding)
    EXPECT(!rdl_set_add(&set, some_point(7)));
#endif
}

TEST(arguments_are_evaluated_once_and_may_be_operations_themselves)
{
    vector vectors[2] = {0}, *at = vectors;
    rdl_fifo(int, 3) fifo = {0};

    rdl_vec_push(at++, 7);
    rdl_vec_push(at--, 8);
    EXPECT_EQ(at - vectors, 0);
    rdl_fifo_put(&fifo, rdl_vec_pop(&at[1]));
    rdl_fifo_put(&fifo, rdl_vec_pop(at++));
    EXPECT_EQ(at - vectors, 1);
    rdl_fifo_put(&fifo, rdl_fifo_get(&fifo));
    EXPECT_EQ(rdl_fifo_get(&fifo), 7);
    EXPECT_EQ(rdl_fifo_get(&fifo), 8);
    EXPECT_EQ(rdl_capacity(&fifo), 3);
}

/* ---- Misuse --------------------------------------------------------------------------------- */

static struct rdl__outcome outcome;

/* What the test would be ended with. */
#define EXPECT_MISUSE(what, ...)                                                                   \
    do {                                                                                           \
        struct rdl_case misused = {.outcome = &outcome, .thread = pthread_self()};                 \
                                                                                                   \
        rdl__current = &misused;                                                                   \
        if (_setjmp(misused.escape) == 0) {                                                        \
            __VA_ARGS__;                                                                           \
            rdl__current = NULL;                                                                   \
            test_fail(__FILE__, __LINE__, "no misuse: %s", #__VA_ARGS__);                          \
        }                                                                                          \
        rdl__current = NULL;                                                                       \
        EXPECT_EQ(outcome.verdict, RDL__MISUSED);                                                  \
        EXPECT_CONTAINS(outcome.text, "tests/test_model_containers.c:");                           \
        EXPECT_CONTAINS(outcome.text, what);                                                       \
    } while (0)

TEST(what_does_not_fit_or_is_not_there_ends_the_test)
{
    static struct {
        vector v;
        rdl_fifo(int, 1) fifo;
        rdl_set(int, 2) set;
        rdl_map(int, int, 1) map;
        rdl_multiset(int, 1) bag;
    } s;

    EXPECT_MISUSE(": rdl_vec_pop(&s.v): it is empty (capacity 6)", rdl_vec_pop(&s.v));
    EXPECT_MISUSE(": rdl_fifo_get(&s.fifo): it is empty (capacity 1)", rdl_fifo_get(&s.fifo));
    EXPECT_MISUSE(": rdl_fifo_peek(&s.fifo): it is empty", (void)rdl_fifo_peek(&s.fifo));
    rdl_fifo_put(&s.fifo, 1);
    EXPECT_MISUSE(": rdl_fifo_put(&s.fifo): it is full, with a capacity of 1",
                  rdl_fifo_put(&s.fifo, 2));
    rdl_vec_push(&s.v, 1);
    EXPECT_MISUSE("rdl_vec_at(&s.v): index 1 is out of range: it has 1 items (capacity 6)",
                  (void)rdl_vec_at(&s.v, 1));
    EXPECT_MISUSE("rdl_vec_at(&s.v): index -1 is out of range", (void)rdl_vec_at(&s.v, -1));
    EXPECT_MISUSE("rdl_vec_insert(&s.v): index 2 is", rdl_vec_insert(&s.v, 2, 0));
    EXPECT_MISUSE("rdl_vec_remove(&s.v): index 1 is", rdl_vec_remove(&s.v, 1));
    rdl_set_add(&s.set, 1);
    rdl_set_add(&s.set, 2);
    EXPECT(!rdl_set_add(&s.set, 2));
    EXPECT_MISUSE("rdl_set_add(&s.set): it is full", rdl_set_add(&s.set, 3));
    rdl_map_put(&s.map, 1, 1);
    rdl_map_put(&s.map, 1, 2);
    EXPECT_MISUSE("rdl_map_put(&s.map): it is full", rdl_map_put(&s.map, 2, 2));
    rdl_multiset_add(&s.bag, 1);
    EXPECT_MISUSE("rdl_multiset_add(&s.bag): it is full", rdl_multiset_add(&s.bag, 1));
}
