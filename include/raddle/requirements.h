/* raddle/requirements.h -- which requirements do the tests exercise?
 *
 * Requirements have ids, as standards and contracts give them: "SWS_CanIf_00012".  A test
 * exercises one
 *
 *   - when it calls an operation that has it:
 *
 *         RDL_OP(can_if, transmit, struct frame, .requirements = "SWS_CanIf_00012 SWS_CanIf_00162",
 *                ...);
 *
 *   - when a function of a spec takes a branch that has it (post, judge, post_any, callouts):
 *
 *         if (s->fifo.count == s->size) {
 *             rdl_requirement("SWS_CanIf_00881");
 *             *r = E_NOT_OK;
 *             return;
 *         }
 *
 *   - when a property, or the code that it tests, gets to such a line itself.
 *
 * The report says how many of them were exercised, and which never; those of lines that no case
 * got to are known all the same.  With --requirements there is a table of them: how many cases
 * exercised each, of which tests, and the smallest case that does, with a token that replays it.
 * With --require-all a run fails that leaves one out.
 *
 * A branch of a spec counts where it explains what was seen, not where the spec was merely
 * asked what would happen.  Under concurrent calls, where several orders may explain what was
 * seen, it is the one that was found first and held to the end of the case.  Cases that are
 * discarded do not count; cases that fail do, as far as they got.  Other functions of a spec
 * (pre, cpre, invariant, ...) are asked as often as it pleases us: such lines have no place
 * in them.
 *
 * At most 512 requirements are counted; of an id, 63 bytes are kept.  Libraries that are loaded
 * while tests run come too late to have theirs counted. */
#ifndef RADDLE_REQUIREMENTS_H
#define RADDLE_REQUIREMENTS_H

#include <raddle/base.h>

/* The case at hand exercises this requirement.  `id` is a string literal. */
#define rdl_requirement(id)                                                                        \
    do {                                                                                           \
        RDL__REQUIREMENT(rdl__here_, id, NULL, true);                                              \
        rdl__requirement_met(&rdl__here_);                                                         \
    } while (0)

/* Outside of functions: what a requirement says; it is known, and missed, even if nothing else
 * speaks of it.
 *
 *     RDL_REQUIREMENT("SWS_CanIf_00881", "A full buffer refuses further requests.");  */
#define RDL_REQUIREMENT(id, text)                                                                  \
    RDL__REQUIREMENT(RDL__JOIN(rdl__requirement_, __COUNTER__), id, text, false)

/* ---- Behind the macros ---------------------------------------------------------------------- */

struct rdl_requirement {
    const char *id, *text;
    bool is_line;    /* that can be reached */
    uint32_t number; /* from 1, once it is known; 0: it is not */
};

/* The addresses of all of them lie in a section, one after the other, so that each program and
 * each library can tell which it has, before any of these lines is reached. */
#define RDL__REQUIREMENT(name, id, text, is_line)                                                  \
    RDL__REQUIREMENT_AT(name, RDL__JOIN(rdl__place_, __COUNTER__), "" id, text, is_line)
#define RDL__REQUIREMENT_AT(name, place, id, text, is_line)                                        \
    static struct rdl_requirement name RDL__KEPT_SECTION = {id, text, is_line, 0};                 \
    static struct rdl_requirement *place __attribute__((used, section("rdl_requirements"))) = &name

RDL_API void rdl__requirement_met(const struct rdl_requirement *it);
RDL_API void rdl__requirements_known(struct rdl_requirement **from, struct rdl_requirement **to);

extern struct rdl_requirement *__start_rdl_requirements[]
    __attribute__((weak, visibility("hidden")));
extern struct rdl_requirement *__stop_rdl_requirements[]
    __attribute__((weak, visibility("hidden")));

/* In every file that includes this; only the first of a program or library has anything to say. */
__attribute__((constructor)) static void rdl__tell_requirements(void)
{
    rdl__requirements_known(__start_rdl_requirements, __stop_rdl_requirements);
}

#endif
