/* seats.c -- seats are sold by several clerks: conditions of gates, and one at a time. */
#include <raddle.h>
#include <stdlib.h>

enum { SEATS = 5 };

struct hall {
    struct seat {
        bool is_sold;
    } seats[SEATS];
    int sold;
};

static struct hall hall;

/* ---- The code under test ---------------------------------------------------------------- */

static void sell(struct hall *h, int seat)
{
    if (h->seats[seat].is_sold)
        return;
    h->seats[seat].is_sold = true;
    h->sold++;
}

static void sell_all(void *it)
{
    struct hall *h = it;

    for (int seat = 0; seat < SEATS; seat++)
        sell(h, seat);
}

/* ---- When it is about the third seat ------------------------------------------------------- */

static bool is_third_and_free(struct rdl_hit *hit, void *unused)
{
    (void)unused;
    return rdl_hit_value(hit, "seat", int) == 2 &&
           !rdl_hit_value(hit, "h->seats[seat].is_sold", bool);
}

RDL_SCHEDULE(no_seat_is_sold_twice)
{
    struct rdl_gate *decided;
    struct rdl_thread *ann, *bob;

    hall = (struct hall){0};
    decided = rdl_gate_at(t, "sell:/is_sold = true/", .thread = "ann", .when = is_third_and_free);
    ann = rdl_spawn(t, "ann", sell_all, &hall);
    rdl_gate_reached(decided); /* it is free, says Ann */
    bob = rdl_spawn(t, "bob", sell_all, &hall);
    rdl_join(bob);
    rdl_gate_open(decided);
    rdl_join(ann);
    rdl_check_eq(hall.sold, SEATS);
}

/* ---- Is that where it is? ------------------------------------------------------------------ */

/* While one clerk is between these lines, the others wait. */
RDL_SCHEDULE(not_if_clerks_take_turns, .free_threads = true, .cases = 100)
{
    struct rdl_thread *ann, *bob;

    hall = (struct hall){0};
    rdl_one_at_a_time(t, "sell", "sell:return");
    ann = rdl_spawn(t, "ann", sell_all, &hall);
    bob = rdl_spawn(t, "bob", sell_all, &hall);
    rdl_join(ann);
    rdl_join(bob);
    rdl_check_eq(hall.sold, SEATS);
}

RDL_MAIN
