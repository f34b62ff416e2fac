/* turns.h -- the same data, other schedules.
 *
 * Where a case draws data and its threads take turns, a schedule that makes one set of
 * data fail says little about another: with an operation less, every preemption comes
 * at another place.  So whether data can fail is found out by looking for a schedule. */
#ifndef RDL__TURNS_H
#define RDL__TURNS_H

#include "check/plan.h"

/* The strategy of tests that make one call at a time: nobody is preempted. */
#define RDL__ONE_AT_A_TIME "in-order"

uint32_t rdl__count_preemptions(const struct rdl__made *made);

/* The last case that was run; lent until the next one is. */
struct rdl__made rdl__on_board(const struct rdl__board *board);

/* Is this outcome the failure's?  Unless several bugs are to be told apart, of races, deadlocks
 * and livelocks of one object any will do, as they are all the same mistake for whoever looks at
 * the simplest; and so do its kin. */
bool rdl__fails_alike(const struct rdl__outcome *outcome, const struct rdl__failure *failure);

/* What is left of a case without its schedule.  To be released. */
struct rdl__made rdl__data_of(const struct rdl__made *made);

/* Let the strategy make up schedules for this data, at most so many.  True: the case on
 * the board fails as the failure does. */
bool rdl__search_turns(struct rdl__session *session, const struct rdl_test *test,
                       const struct rdl__failure *failure, const struct rdl__feed *data,
                       const char *strategy, uint64_t runs);

/* Schedule number n of those that this strategy makes up for the data on the board. */
bool rdl__run_turns(struct rdl__session *session, const struct rdl_test *test,
                    const struct rdl__settings *settings, const char *strategy, uint64_t n);

/* How cases are made up. */
struct rdl__anew {
    struct rdl__feed begin; /* data at the beginning; then comes chance */
    uint32_t limit;         /* the most choices */
    const char *strategy;
};

/* Make up cases: those from number *first on, at most `runs` of them.  True: the case on the
 * board fails as the failure does; *first is the next one's number. */
bool rdl__search_anew(struct rdl__session *session, const struct rdl_test *test,
                      const struct rdl__failure *failure, const struct rdl__anew *anew,
                      uint64_t *first, uint64_t runs);

#endif
