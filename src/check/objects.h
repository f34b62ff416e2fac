/* objects.h -- what threads meet at, by name.
 *
 * A variable has its name; what lies elsewhere has a number, of its kind, in the order in
 * which they are first spoken of: addresses differ between runs. */
#ifndef RDL__OBJECTS_H
#define RDL__OBJECTS_H

#include "base/text.h"
#include "observe/steps.h"
#include "port/lines.h"

struct rdl__object {
    uintptr_t address;
    char kind[16];
    char *name;
};

struct rdl__objects {
    const struct rdl__lines *lines; /* have the names of variables */
    const struct rdl__steps *steps; /* has the numbers that the execution itself gave */
    struct rdl__object *items;
    size_t count;
};

void rdl__objects_release(struct rdl__objects *objects);

/* "mutex accounts[1].lock", "rwlock 2"; of the kind "object" just "table+8", or "a local of
 * worker" if it lies on the stack of the thread `owner`, which may be NULL. */
const char *rdl__object_called(struct rdl__objects *objects, uintptr_t address, const char *kind,
                               const char *owner);

/* The text, with the names of variables instead of the numbers that the execution gave
 * them. */
void rdl__objects_rename(struct rdl__objects *objects, struct rdl__text *out, const char *text);

#endif
