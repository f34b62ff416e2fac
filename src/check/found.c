/* found.c -- failures that a search has found. */
#include "check/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/aside.h"

void rdl__found_know(struct rdl__found *found, uint64_t origin)
{
    if (found->known_count < RDL__KNOWN_MAX)
        found->known[found->known_count++] = origin;
}

void rdl__found_put(const struct rdl__found *found, struct rdl__task *task)
{
    memcpy(task->known, found->known, found->known_count * sizeof *found->known);
    memset(task->known_at, 0, sizeof task->known_at);
    for (uint32_t i = 0; i < found->bug_count; i++)
        task->known_at[found->bugs[i].known] = found->bugs[i].number;
    task->known_count = found->known_count;
}

bool rdl__found_knows(struct rdl__found *found, uint64_t origin)
{
    for (uint32_t i = 0; i < found->known_count; i++)
        if (found->known[i] == origin) {
            found->again[i]++;
            return true;
        }
    return false;
}

bool rdl__found_ends(const struct rdl__found *found, const struct rdl__outcome *outcome)
{
    return !found->wants_more &&
           (outcome->cause != RDL__BY_RACE || found->session->plan->fail_fast);
}

/* What is only suspected ends nothing. */
static bool ends_by(const struct rdl__found *found, const struct rdl__failure *failure)
{
    return !failure->race.suspected && rdl__found_ends(found, &failure->outcome);
}

/* The bug of this origin, which is made room for if it is new; NULL: it is known by other ways,
 * or one too many. */
static struct rdl__bug *bug_of(struct rdl__found *found, uint64_t origin)
{
    struct rdl__bug *bug = found->bugs;

    while (bug < found->bugs + found->bug_count && found->known[bug->known] != origin)
        bug++;
    if (bug < found->bugs + found->bug_count) {
        found->again[bug->known]++;
        return bug;
    }
    if (rdl__found_knows(found, origin))
        return NULL;
    if (found->known_count == RDL__KNOWN_MAX) {
        rdl__warn(found->session,
                  "%s: there are more than %d different failures: mend these first, as no others "
                  "are looked for",
                  found->result->test->name, RDL__KNOWN_MAX);
        found->ended = found->is_full = true;
        return NULL;
    }
    found->bugs = rdl__reallocate(found->bugs, (found->bug_count + 1) * sizeof *found->bugs);
    bug = &found->bugs[found->bug_count++];
    *bug = (struct rdl__bug){.number = UINT64_MAX, .known = found->known_count};
    rdl__found_know(found, origin);
    return bug;
}

/* All cases are tried, whoever meets a failure in them; so it depends on nothing but the seed
 * which bugs are found, and in which cases.  `race` is NULL for what the case failed by. */
static void note_bug(struct rdl__found *found, const struct rdl__board *board,
                     const struct rdl__race *race)
{
    struct rdl__session *session = found->session;
    const struct rdl_test *test = found->result->test;
    struct rdl__bug *bug = bug_of(found, race ? race->origin : board->outcome.origin);

    if (!bug || board->failed_at >= bug->number)
        return;
    if (bug->number < UINT64_MAX)
        rdl__failure_release(&bug->failure);
    bug->number = board->failed_at;
    bug->failure = race ? rdl__failure_by_race(session, test, board, race, board->failed_at + 1, "")
                        : rdl__failure_on(session, test, board, board->failed_at + 1, "");
    if (ends_by(found, &bug->failure)) {
        found->ended = true;
        if (bug->number < found->last)
            found->last = bug->number;
    }
}

void rdl__found_note(struct rdl__found *found, const struct rdl__board *board)
{
    if (board->outcome.cause != RDL__BY_RACE)
        note_bug(found, board, NULL);
    for (uint32_t i = 0; i < board->races.count; i++)
        note_bug(found, board, &board->races.met[i]);
}

static int rank_of(const struct rdl__bug *bug)
{
    return bug->failure.outcome.cause != RDL__BY_RACE ? 0 : bug->failure.race.suspected ? 2 : 1;
}

/* Races come last, after them those that are only suspected; else in the order in which they were
 * found. */
static int compare_bugs(const void *a, const void *b)
{
    const struct rdl__bug *one = a, *two = b;

    if (rank_of(one) != rank_of(two))
        return rank_of(one) - rank_of(two);
    return (one->number > two->number) - (one->number < two->number);
}

/* Another worker may have gone on beyond the failure that ended the search. */
static void drop_later_bugs(struct rdl__found *found)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < found->bug_count; i++) {
        if (found->bugs[i].number > found->last)
            rdl__failure_release(&found->bugs[i].failure);
        else
            found->bugs[kept++] = found->bugs[i];
    }
    found->bug_count = kept;
}

/* Races at the same lines are one.  One that is suspected is none if the same was met for sure. */
static void merge_bugs(struct rdl__found *found)
{
    struct rdl__failure **failures = rdl__allocate((found->bug_count + 1) * sizeof *failures);
    size_t *same = rdl__allocate((found->bug_count + 1) * sizeof *same), *now_at;
    uint32_t kept = 0;

    now_at = rdl__allocate((found->bug_count + 1) * sizeof *now_at);
    for (uint32_t i = 0; i < found->bug_count; i++)
        failures[i] = &found->bugs[i].failure;
    rdl__find_same_races(found->result->test, failures, found->bug_count, same);
    for (uint32_t i = 0; i < found->bug_count; i++) {
        struct rdl__bug *first = &found->bugs[now_at[same[i]]];

        now_at[i] = kept;
        if (same[i] == i) {
            found->bugs[kept++] = found->bugs[i];
            continue;
        }
        if (found->again[found->bugs[i].known] > found->again[first->known])
            found->again[first->known] = found->again[found->bugs[i].known];
        rdl__failure_release(&found->bugs[i].failure);
    }
    found->bug_count = kept;
    free(failures);
    free(same);
    free(now_at);
}

/* Without those that are suppressed, which stay known.  Did one of them end the search? */
static bool set_suppressed_aside(struct rdl__found *found)
{
    uint32_t kept = 0;
    bool went_on = false;

    for (uint32_t i = 0; i < found->bug_count; i++) {
        struct rdl__bug *bug = &found->bugs[i];

        if (!rdl__is_suppressed(found->session, found->result, &bug->failure)) {
            found->bugs[kept++] = *bug;
            continue;
        }
        went_on |= ends_by(found, &bug->failure);
        rdl__failure_release(&bug->failure);
    }
    found->bug_count = kept;
    return went_on;
}

bool rdl__found_sift(struct rdl__found *found)
{
    bool went_on;

    drop_later_bugs(found);
    if (found->bug_count > 0)
        qsort(found->bugs, found->bug_count, sizeof *found->bugs, compare_bugs);
    went_on = set_suppressed_aside(found);
    merge_bugs(found);
    return found->is_full || !went_on;
}

void rdl__found_settle(struct rdl__found *found)
{
    for (uint32_t i = 0; i < found->bug_count && !found->session->error.text[0]; i++) {
        struct rdl__failure *failure = &found->bugs[i].failure;

        failure->brief =
            failure->race.suspected || (found->result->failure_count > 0 && !found->wants_more &&
                                        failure->outcome.cause == RDL__BY_RACE);
        rdl__settle_failure(found->session, found->result, failure);
        if (!failure->race.suspected)
            found->settled_as[found->bugs[i].known] = found->result->failure_count;
    }
}

bool rdl__found_may_go_on(const struct rdl__found *found)
{
    for (size_t i = 0; i < found->result->failure_count; i++)
        if (rdl__found_ends(found, &found->result->failures[i].outcome))
            return false;
    return true;
}

/* How often other workers have met the failure that ended the search depends on who was faster. */
void rdl__found_count_again(const struct rdl__found *found)
{
    for (uint32_t i = 0; i < found->known_count; i++) {
        struct rdl__failure *failure = &found->result->failures[found->settled_as[i] - 1];

        if (found->settled_as[i] && !rdl__found_ends(found, &failure->outcome))
            failure->again = found->again[i];
    }
}
