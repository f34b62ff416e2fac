/* things.h -- code under test: resources that make callers wait, right and wrong. */
#ifndef THINGS_H
#define THINGS_H

#include <stdbool.h>

/* ---- Tickets: taking one waits until there is one, and tells how many are left ----------- */

enum tickets_kind {
    RIGHT,
    NEVER_WAITS,    /* to take */
    COUNTS_WRONG,   /* says that there are more */
    TELLS_NOBODY,   /* that there is one */
    TWO_STEPS,      /* looks, then takes */
    KEEPS_THE_LOCK, /* when two were given */
    ENDS_ABRUPTLY,  /* when three were given */
    LOOKS_UNLOCKED,
    POLLS,        /* without ever sleeping */
    SPINS_LOCKED, /* with the lock */
    WAITS_FOR_A_TIME /* and looks again */,
    SLEEPS, /* and looks again */
    SPINS,  /* on an atomic variable, and takes with it */
    IS_A_SEMAPHORE,
};

struct tickets;
struct tickets *tickets_new(enum tickets_kind kind);
void tickets_free(struct tickets *t);
void tickets_give(struct tickets *t);
int tickets_take(struct tickets *t);

/* ---- A lock that looks closely at who calls ------------------------------------------------- */

struct hold;
struct hold *hold_new(void);
void hold_free(struct hold *h);
void hold_take(struct hold *h, int client);
void hold_give_back(struct hold *h, int client);

/* ---- Rooms for one, and halls that take both of them ---------------------------------------- */

enum rule { ANY, FIRST, STRICTLY_FIRST, FIRST_OF_ITS_KIND, URGENT, HALLS_FIRST, LAST };

struct house;
struct house *house_new(enum rule rule);
void house_free(struct house *h);
void house_enter(struct house *h, bool hall, int urgency);
void house_leave(struct house *h, int rooms);

#endif
