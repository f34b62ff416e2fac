/* match.h -- what a matcher keeps; for those who explain it and who check programs. */
#ifndef RDL__MATCH_H
#define RDL__MATCH_H

#include "events/program.h"

struct rdl__config {
    uint32_t place;
    uint32_t taken; /* how many events have led it here; does not make a difference */
    uint64_t words[];
};

struct rdl__set {
    char *configs;
    size_t size;               /* bytes that there is room for */
    size_t stride;             /* bytes of each */
    uint32_t words, deadlines; /* of each */
    uint32_t count;
    uint32_t *table; /* indexes + 1 */
    uint32_t mask;
    bool has_table;
};

/* Whether a pattern fits the event of this number. */
struct rdl__memo {
    uint64_t event;
    bool fits;
};

/* A configuration that could not take an event. */
struct rdl__dead {
    uint32_t place;
    uint32_t taken;
};

struct rdl__matcher {
    const struct rdl__program *p;
    struct rdl__set live, next, scratch;
    uint64_t now;
    bool has_deadlines;
    uint32_t live_max;
    bool too_many;        /* some are lost: nothing can be said any more */
    bool may_act;         /* an event waits for that: a configuration could take it afterwards */
    uint32_t forced;      /* how often an event that waits for that has been put off */
    struct rdl__set been; /* the configurations of one of these times */
    const bool *thought;  /* an event that is only thought of: which patterns it fits */
    uint64_t events, taken_events;
    char *memory; /* of the first configuration, and of some of what follows */
    size_t memory_size;
    struct rdl__memo *memos;
    bool has_effect;
    struct rdl__effect effect;
    const struct rdl_step *conflict;  /* wants another effect */
    const struct rdl_step *forbidden; /* the rule that a configuration ended by */
    const struct rdl_step *expired;   /* the block whose time was over last, of any configuration */
    void *reply, *effect_reply;
    bool *seen; /* for each of the wanted: has it ever come? */
    struct rdl__dead *dead;
    uint32_t dead_count, dead_room;
};

/* ---- set.c ---------------------------------------------------------------------------------- */

static inline struct rdl__config *rdl__set_at(const struct rdl__set *set, uint32_t i)
{
    return (struct rdl__config *)(set->configs + (size_t)i * set->stride);
}

/* It is empty, and will be of configurations of this program. */
void rdl__set_reset(struct rdl__set *set, const struct rdl__program *program);

/* Add one that can do more than all others.  One that is equal, or has earlier deadlines, can do
 * no more.  False: there would be more than `most`. */
bool rdl__set_merge(struct rdl__set *set, const struct rdl__config *config, uint32_t most);

/* Add one without looking at the others. */
struct rdl__config *rdl__set_add(struct rdl__set *set, const struct rdl__config *config);

/* As a stack: another one like the last. */
struct rdl__config *rdl__set_double(struct rdl__set *set);

/* For as many. */
void rdl__set_make_room(struct rdl__set *set, uint32_t count);

void rdl__set_clear(struct rdl__set *set);
void rdl__set_release(struct rdl__set *set);

/* ---- fit.c ---------------------------------------------------------------------------------- */

bool rdl__fits(struct rdl__matcher *m, const struct rdl__config *c, uint32_t pattern,
               const struct rdl_event *event);

/* The same for an event that is waited for; what is answered must be answerable, and the
 * answer is in m->reply. */
bool rdl__is_wanted(struct rdl__matcher *m, const struct rdl__config *c,
                    const struct rdl__wanted *wanted, const struct rdl_event *event);

/* Keep in the configuration what is to be kept of it. */
void rdl__bind(const struct rdl__matcher *m, struct rdl__config *c,
               const struct rdl__wanted *wanted, const struct rdl_event *event);

/* The first of a pattern's conditions that does not hold for an event of its type, as far as this
 * configuration knows; NULL: all do.  Without a configuration, slots do not matter. */
const struct rdl_condition *rdl__condition_failed(const struct rdl__matcher *m,
                                                  const struct rdl__config *c,
                                                  const struct rdl_pattern *pattern,
                                                  const struct rdl_event *event);

/* Functions look at the slots of this configuration now; NULL: of none. */
void rdl__matcher_look(const struct rdl__matcher *m, const struct rdl__config *config);

/* The first configuration that stands before an action; NULL: there is none. */
const struct rdl__config *rdl__matcher_actor(const struct rdl__matcher *m);

/* ---- why.c ---------------------------------------------------------------------------------- */

/* All that a configuration waits for; `note`: in which way, "" if in none that is special. */
typedef void rdl__waited(void *it, const struct rdl__config *c, const struct rdl__wanted *wanted,
                         const char *note);
void rdl__waited_for(const struct rdl__matcher *m, const struct rdl__config *c, rdl__waited *each,
                     void *it);

/* ---- settle.c ------------------------------------------------------------------------------- */

static inline bool rdl__has_bits(const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 64)
        if (words[i / 64])
            return true;
    return false;
}

/* A copy, to be changed. */
struct rdl__config *rdl__settle_begin(struct rdl__matcher *m, const struct rdl__config *from);

/* It has come to this place, or one of its parts has: follow it to wherever it waits next. */
void rdl__settle_at(struct rdl__matcher *m, struct rdl__config *c, uint32_t place);

/* It still waits here. */
void rdl__settle_here(struct rdl__matcher *m, struct rdl__config *c, uint32_t place);

/* One more of the next configurations. */
void rdl__keep_next(struct rdl__matcher *m, const struct rdl__config *config);

/* What is next becomes what is. */
void rdl__step_on(struct rdl__matcher *m);

/* ---- match.c -------------------------------------------------------------------------------- */

/* The configuration ends here. */
static inline void rdl__died(struct rdl__matcher *m, const struct rdl__config *c)
{
    if (m->dead_count == m->dead_room) {
        m->dead_room = m->dead_room ? 2 * m->dead_room : 8;
        m->dead = rdl__reallocate(m->dead, m->dead_room * sizeof *m->dead);
    }
    m->dead[m->dead_count++] = (struct rdl__dead){c->place, c->taken};
}

#endif
