/* objects.c -- what threads meet at, by name. */
#include "check/objects.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void rdl__objects_release(struct rdl__objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        free(objects->items[i].name);
    free(objects->items);
    *objects = (struct rdl__objects){0};
}

static uint32_t given_count(const struct rdl__objects *objects)
{
    uint32_t count = objects->steps ? objects->steps->object_count : 0;

    return count < RDL__STEP_NAMES ? count : RDL__STEP_NAMES;
}

/* The number that the execution gave it, with its kind; NULL: none. */
static const char *given_name(const struct rdl__objects *objects, uintptr_t address,
                              const char *kind, uint32_t *out_of_kind)
{
    size_t length = strlen(kind);

    *out_of_kind = 0;
    for (uint32_t i = 0; i < given_count(objects); i++) {
        const char *name = objects->steps->objects[i].name;

        if (strncmp(name, kind, length) != 0 || name[length] != ' ')
            continue;
        ++*out_of_kind;
        if (objects->steps->objects[i].object == address)
            return name;
    }
    return NULL;
}

/* How many have got a number here, not from the execution. */
static uint32_t numbered(const struct rdl__objects *objects, const char *kind)
{
    uint32_t count = 0, unused;

    for (size_t i = 0; i < objects->count; i++)
        count += strcmp(objects->items[i].kind, kind) == 0 &&
                 isdigit((unsigned char)objects->items[i].name[strlen(kind) + 1]) &&
                 !given_name(objects, objects->items[i].address, kind, &unused);
    return count;
}

/* glibc's standard streams are called _IO_2_1_stderr_ there. */
static void call_by_macro(struct rdl__text *name)
{
    const char *prefix = "_IO_2_1_";
    char *found = name->bytes ? strstr(name->bytes, prefix) : NULL;

    if (found) {
        size_t length = strcspn(found + strlen(prefix), "_");

        memmove(found, found + strlen(prefix), length);
        name->count = (size_t)(found - name->bytes) + length;
        name->bytes[name->count] = '\0';
    }
}

static char *new_name(const struct rdl__objects *objects, uintptr_t address, const char *kind,
                      const char *owner)
{
    bool is_plain = strcmp(kind, "object") == 0;
    struct rdl__text name = {0};
    uint32_t given;
    const char *known = given_name(objects, address, kind, &given);

    if (!is_plain)
        rdl__text_add(&name, "%s ", kind);
    if (rdl__lines_add_name(&name, objects->lines, address)) {
        call_by_macro(&name);
        return name.bytes;
    }
    rdl__text_clear(&name);
    if (is_plain && owner)
        rdl__text_add(&name, "a local of %s", owner);
    else if (known)
        rdl__text_add(&name, "%.31s", known);
    else
        rdl__text_add(&name, "%s %u", kind, given + numbered(objects, kind) + 1);
    return name.bytes;
}

const char *rdl__object_called(struct rdl__objects *objects, uintptr_t address, const char *kind,
                               const char *owner)
{
    struct rdl__object *object;

    for (size_t i = 0; i < objects->count; i++)
        if (objects->items[i].address == address && strcmp(objects->items[i].kind, kind) == 0)
            return objects->items[i].name;
    objects->items = rdl__reallocate(objects->items, (objects->count + 1) * sizeof *objects->items);
    object = &objects->items[objects->count];
    object->address = address;
    snprintf(object->kind, sizeof object->kind, "%s", kind);
    object->name = new_name(objects, address, object->kind, owner);
    objects->count++;
    return object->name;
}

/* Does the text begin with the name, and not with a longer one? */
static bool begins_with_name(const char *text, const char *name)
{
    size_t length = strlen(name);

    return length && strncmp(text, name, length) == 0 && !isalnum((unsigned char)text[length]);
}

void rdl__objects_rename(struct rdl__objects *objects, struct rdl__text *out, const char *text)
{
    const char *start = text;

    while (*text) {
        uint32_t found = given_count(objects);

        if (text == start || !isalnum((unsigned char)text[-1]))
            for (found = 0; found < given_count(objects); found++)
                if (begins_with_name(text, objects->steps->objects[found].name))
                    break;
        if (found < given_count(objects)) {
            const char *name = objects->steps->objects[found].name;
            struct rdl__text kind = {0};

            rdl__text_add_bytes(&kind, name, (size_t)(strrchr(name, ' ') - name));
            rdl__text_add(out, "%s",
                          rdl__object_called(objects, objects->steps->objects[found].object,
                                             kind.bytes, NULL));
            rdl__text_release(&kind);
            text += strlen(name);
        } else {
            rdl__text_add_bytes(out, text++, 1);
        }
    }
}
