/* steps.c -- what controlled threads did in a case, in order, as far as it may matter. */
#include "observe/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void rdl__steps_clear(struct rdl__steps *steps)
{
    steps->begun = false;
    steps->count = steps->recent_count = steps->kept_count = 0;
    steps->milestone_count = steps->preemptions = steps->running = 0;
    steps->threads = steps->object_count = steps->stack_count = 0;
    steps->modules.count = 0;
}

void rdl__steps_add(struct rdl__steps *steps, const struct rdl__step *step, unsigned as)
{
    if (as & RDL__STEP_IS_RECENT)
        steps->recent[steps->recent_count++ % RDL__STEPS_RECENT] = *step;
    if (as & RDL__STEP_IS_MILESTONE && steps->milestone_count < RDL__MILESTONES)
        steps->milestones[steps->milestone_count++] = *step;
    if (as & RDL__STEP_IS_KEPT)
        steps->kept[steps->kept_count++ % RDL__STEPS_KEPT] = *step;
}

void rdl__steps_name_thread(struct rdl__steps *steps, uint32_t thread, const char *name)
{
    if (thread >= RDL__STEP_THREADS)
        return;
    for (; steps->threads <= thread; steps->threads++)
        steps->names[steps->threads][0] = '\0';
    if (strncmp(steps->names[thread], name, sizeof steps->names[0] - 1) != 0)
        snprintf(steps->names[thread], sizeof steps->names[0], "%s", name);
}

void rdl__steps_name_object(struct rdl__steps *steps, uintptr_t object, const char *name)
{
    if (steps->object_count == RDL__STEP_NAMES)
        return;
    steps->objects[steps->object_count].object = object;
    snprintf(steps->objects[steps->object_count].name, sizeof steps->objects[0].name, "%s", name);
    steps->object_count++;
}

uint32_t rdl__steps_add_stack(struct rdl__steps *steps, const struct rdl__call_stack *stack)
{
    if (steps->stack_count >= RDL__STACKS_MAX)
        return RDL__STACKS_MAX;
    steps->stacks[steps->stack_count] = *stack;
    return steps->stack_count++;
}

static size_t at_most(uint64_t count, size_t most)
{
    return count < most ? (size_t)count : most;
}

static int compare(const void *a, const void *b)
{
    const struct rdl__step *one = a, *two = b;

    return (one->number > two->number) - (one->number < two->number);
}

/* At most so many of the last ones, and all that were kept. */
static struct rdl__step *read_steps(const struct rdl__steps *steps, size_t most, size_t *out_count)
{
    size_t recent = at_most(steps->recent_count, most);
    size_t kept = at_most(steps->kept_count, RDL__STEPS_KEPT);
    size_t milestones = at_most(steps->milestone_count, RDL__MILESTONES);
    size_t all = recent + kept + milestones, count = 0;
    struct rdl__step *out = rdl__allocate((all + 1) * sizeof *out);

    for (size_t i = 0; i < recent; i++)
        out[i] = steps->recent[(steps->recent_count - recent + i) % RDL__STEPS_RECENT];
    memcpy(out + recent, steps->kept, kept * sizeof *out);
    memcpy(out + recent + kept, steps->milestones, milestones * sizeof *out);
    qsort(out, all, sizeof *out, compare);
    for (size_t i = 0; i < all; i++)
        if (count == 0 || out[i].number != out[count - 1].number)
            out[count++] = out[i];
    *out_count = count;
    return out;
}

struct rdl__step *rdl__steps_read(const struct rdl__steps *steps, size_t *out_count)
{
    return read_steps(steps, RDL__STEPS_TOLD, out_count);
}

struct rdl__step *rdl__steps_read_all(const struct rdl__steps *steps, size_t *out_count)
{
    return read_steps(steps, RDL__STEPS_RECENT, out_count);
}

const char *rdl__steps_thread(const struct rdl__steps *steps, uint32_t thread, char room[40])
{
    if (thread < steps->threads && thread < RDL__STEP_THREADS && steps->names[thread][0])
        snprintf(room, 40, "%.39s", steps->names[thread]);
    else
        snprintf(room, 40, "thread %u", thread);
    return room;
}

void rdl__steps_copy(struct rdl__steps *to, const struct rdl__steps *from)
{
    memcpy(to, from, offsetof(struct rdl__steps, recent));
    memcpy(to->recent, from->recent,
           at_most(from->recent_count, RDL__STEPS_RECENT) * sizeof *to->recent);
    memcpy(to->kept, from->kept, at_most(from->kept_count, RDL__STEPS_KEPT) * sizeof *to->kept);
    memcpy(to->milestones, from->milestones,
           at_most(from->milestone_count, RDL__MILESTONES) * sizeof *to->milestones);
    memcpy(to->names, from->names, at_most(from->threads, RDL__STEP_THREADS) * sizeof *to->names);
    memcpy(to->objects, from->objects,
           at_most(from->object_count, RDL__STEP_NAMES) * sizeof *to->objects);
    memcpy(to->stacks, from->stacks,
           at_most(from->stack_count, RDL__STACKS_MAX) * sizeof *to->stacks);
}
