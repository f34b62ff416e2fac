/* data.c -- what events carry, in words and from JSON.
 *
 * Functions of the user go before debugging information, which is found by the variables that
 * types of events are. */
#include <stdlib.h>
#include <string.h>

#include "events/events.h"
#include "spec/spec.h"
#include "spec/values.h"

static struct rdl__typed typed(const struct rdl_event_type *type)
{
    return (struct rdl__typed){type, "rdl__type_data", type->size};
}

void rdl__events_learn(const struct rdl_event_type *const *types, size_t count)
{
    struct rdl__typed *items = rdl__allocate((count + 1) * sizeof *items);
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        if (types[i] != &rdl_event_frame && !types[i]->operation)
            items[known++] = typed(types[i]);
    rdl__types_learn(items, known);
    free(items);
}

static const struct rdl__type *type_of(const struct rdl_event_type *type)
{
    struct rdl__typed item = typed(type);

    return type->operation ? rdl__args_type(type->operation) : rdl__type_of(&item);
}

void rdl__data_show(struct rdl__text *out, const struct rdl_event_type *type, const void *data,
                    size_t size)
{
    const struct rdl_frame *frame = data;

    if (type == &rdl_event_frame) {
        rdl__text_add_quoted(out, frame->bytes, frame->size);
        return;
    }
    if (type->operation) {
        rdl__text_add(out, "%.*s", (int)strcspn(type->name, ".") + 1, type->name);
        rdl__show_call(out, type->operation, data);
        return;
    }
    rdl__text_add(out, "%s(", type->name);
    if (type->show)
        rdl__show_printed(out, type->show, data);
    else
        rdl__show_value(out, type_of(type), data, size);
    rdl__text_add(out, ")");
}

void rdl__field_show(struct rdl__text *out, const struct rdl_event_type *type, const char *field,
                     const void *value, size_t size)
{
    const struct rdl__type *data = type == &rdl_event_frame ? NULL : type_of(type);

    for (uint32_t i = 0; data && data->members && i < data->count; i++)
        if (strcmp(data->members[i].name, field) == 0) {
            rdl__value_show(out, data->members[i].type, value);
            return;
        }
    rdl__show_value(out, NULL, value, size);
}

static bool read_frame(struct rdl__json_scan *scan, struct rdl_frame *out, struct rdl__error *error)
{
    const char *bytes;
    size_t length;

    rdl__scan_peek(scan);
    if (!rdl__scan_string(scan, &bytes, &length))
        return rdl__fail(error, "%s, at column %d", scan->wrong, (int)(scan->at - scan->text) + 1);
    out->size = (uint32_t)length;
    memcpy(out->bytes, bytes, length);
    out->bytes[length] = '\0';
    return true;
}

bool rdl__data_read(const struct rdl_event_type *type, struct rdl__json_scan *scan, void *out,
                    struct rdl__error *error)
{
    if (type == &rdl_event_frame)
        return read_frame(scan, out, error);
    return rdl__read_json(type_of(type), scan, out, type->size, error);
}
