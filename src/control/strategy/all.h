/* all.h -- every strategy there is; list.c puts them in order. */
#ifndef RDL__ALL_H
#define RDL__ALL_H

#include "control/strategy/strategy.h"

extern const struct rdl__strategy rdl__strategy_portfolio;
extern const struct rdl__strategy rdl__strategy_random;
extern const struct rdl__strategy rdl__strategy_pct;
extern const struct rdl__strategy rdl__strategy_pos;
extern const struct rdl__strategy rdl__strategy_surw;
extern const struct rdl__strategy rdl__strategy_random_delays;
extern const struct rdl__strategy rdl__strategy_dpor;
extern const struct rdl__strategy rdl__strategy_calls;
extern const struct rdl__strategy rdl__strategy_dfs;
extern const struct rdl__strategy rdl__strategy_preemptions;
extern const struct rdl__strategy rdl__strategy_delays;
extern const struct rdl__strategy rdl__strategy_in_order;
extern const struct rdl__strategy rdl__strategy_answers;
extern const struct rdl__strategy rdl__strategy_reverse;
extern const struct rdl__strategy rdl__strategy_round_robin;

/* ordered.c: each thread until it waits, in the order of creation. */
uint32_t rdl__pick_in_order(void *state, struct rdl__view *view);

/* What those that are made of others ask of two of them. */

/* dpor.c: nothing is left to try; until then, one execution in how many is worth it?
 * 0: none. */
bool rdl__dpor_is_done(const void *state);
unsigned rdl__dpor_share(const void *state);

/* pct.c: an execution had so many points. */
void rdl__pct_learn(void *state, uint64_t points);

#endif
