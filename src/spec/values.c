/* values.c -- values of any type in words, as types.h describes them. */
#include "spec/values.h"

#include <inttypes.h>
#include <string.h>

enum { MANY_ALIKE = 32 };

static const void *at(const void *value, size_t offset)
{
    return (const char *)value + offset;
}

/* ---- Parts ------------------------------------------------------------------------------- */

static bool is_negative(const struct rdl__member *member, const unsigned char *bytes)
{
    unsigned last = member->bit + member->bits - 1u;
    bool is_signed = member->type->kind == RDL__TYPE_SIGNED ||
                     (member->type->kind == RDL__TYPE_ENUM && member->type->is_signed);

    return is_signed && bytes[last / 8] >> last % 8 & 1;
}

const void *rdl__value_member(const struct rdl__member *member, const void *value, void *room)
{
    const unsigned char *from = at(value, member->offset);
    unsigned char *to = room;

    if (member->bits == 0 || member->type->size > RDL__SCALAR_MAX)
        return from;
    memset(to, is_negative(member, from) ? 0xff : 0, RDL__SCALAR_MAX);
    for (unsigned i = 0, bit = member->bit; i < member->bits; i++, bit++) {
        to[i / 8] &= (unsigned char)~(1u << i % 8);
        to[i / 8] |= (unsigned char)((from[bit / 8] >> bit % 8 & 1u) << i % 8);
    }
    return room;
}

void rdl__value_pack(const struct rdl__member *member, const void *unpacked, void *value)
{
    const unsigned char *from = unpacked;
    unsigned char *to = (unsigned char *)value + member->offset;

    for (unsigned i = 0, bit = member->bit; i < member->bits; i++, bit++) {
        to[bit / 8] &= (unsigned char)~(1u << bit % 8);
        to[bit / 8] |= (unsigned char)((from[i / 8] >> i % 8 & 1u) << bit % 8);
    }
}

bool rdl__value_fit_in(const struct rdl__member *member, const void *unpacked, void *value)
{
    unsigned char room[RDL__SCALAR_MAX];

    rdl__value_pack(member, unpacked, value);
    return memcmp(rdl__value_member(member, value, room), unpacked, member->type->size) == 0;
}

bool rdl__value_count(const struct rdl__type *list, const void *value, uint32_t *out)
{
    uint64_t count = 0;

    memcpy(&count, at(value, list->members[0].offset), list->members[0].type->size);
    *out = (uint32_t)count;
    return count <= list->members[1].type->count;
}

/* ---- Scalars ------------------------------------------------------------------------------ */

static unsigned __int128 load(const struct rdl__type *type, const void *value)
{
    unsigned __int128 number = 0;

    memcpy(&number, value, type->size);
    return number;
}

static __int128 load_signed(const struct rdl__type *type, const void *value)
{
    unsigned unused = 128 - 8 * type->size;

    return (__int128)(load(type, value) << unused) >> unused;
}

static void show_large(struct rdl__text *out, unsigned __int128 number)
{
    if (number > UINT64_MAX)
        show_large(out, number / 10);
    if (number > UINT64_MAX)
        rdl__text_add(out, "%u", (unsigned)(number % 10));
    else
        rdl__text_add(out, "%" PRIu64, (uint64_t)number);
}

static void show_signed(struct rdl__text *out, __int128 number)
{
    if (number < 0)
        rdl__text_add(out, "-");
    show_large(out, number < 0 ? -(unsigned __int128)number : (unsigned __int128)number);
}

static void show_float(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    long double large;
    double number;
    float small;

    if (type->size == sizeof large) {
        memcpy(&large, value, sizeof large);
        rdl__text_add(out, "%.21Lg", large);
    } else if (type->size == sizeof small) {
        memcpy(&small, value, sizeof small);
        rdl__text_add_double(out, (double)small, true);
    } else {
        memcpy(&number, value, sizeof number);
        rdl__text_add_double(out, number, false);
    }
}

static void show_enumerator(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    for (uint32_t i = 0; i < type->count; i++)
        if (memcmp(&type->enumerators[i].value, value, type->size) == 0) {
            rdl__text_add(out, "%s", type->enumerators[i].name);
            return;
        }
    if (type->is_signed)
        show_signed(out, load_signed(type, value));
    else
        show_large(out, load(type, value));
}

static void show_scalar(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    uint64_t number = type->size <= 8 ? (uint64_t)load(type, value) : 0;

    if (type->kind == RDL__TYPE_SIGNED)
        show_signed(out, load_signed(type, value));
    else if (type->kind == RDL__TYPE_ENUM && type->size <= 8)
        show_enumerator(out, type, value);
    else if (type->kind == RDL__TYPE_FLOAT)
        show_float(out, type, value);
    else if (type->kind == RDL__TYPE_CHAR)
        rdl__text_add_character(out, (unsigned char)number);
    else if (type->kind == RDL__TYPE_BOOL && number <= 1)
        rdl__text_add(out, number ? "true" : "false");
    else if (type->kind == RDL__TYPE_REF && number)
        rdl__text_add(out, "#%" PRIu64, number);
    else if (type->kind == RDL__TYPE_POINTER && number)
        rdl__text_add(out, "0x%" PRIx64, number);
    else if (type->kind == RDL__TYPE_REF || type->kind == RDL__TYPE_POINTER)
        rdl__text_add(out, type->kind == RDL__TYPE_REF ? "none" : "NULL");
    else
        show_large(out, load(type, value));
}

/* ---- What has parts -------------------------------------------------------------------------- */

static void show_bytes(struct rdl__text *out, const void *value, size_t size)
{
    rdl__text_add(out, "<");
    rdl__text_add_hex(out, value, size);
    rdl__text_add(out, ">");
}

/* Room for a NUL at the end, which the array may lack. */
static void show_text(struct rdl__text *out, const char *text, size_t count)
{
    struct rdl__text copy = {0};

    while (count > 0 && text[count - 1] == '\0')
        count--;
    rdl__text_add_bytes(&copy, text, count);
    rdl__text_add_quoted(out, rdl__text_string(&copy), count);
    rdl__text_release(&copy);
}

static uint32_t count_alike(const struct rdl__type *of, uint32_t count, const void *first)
{
    uint32_t alike = 1;

    while (alike < count && memcmp(first, at(first, (size_t)alike * of->size), of->size) == 0)
        alike++;
    return alike;
}

/* Many in a row that are alike are shown once, as gdb does. */
static void show_items(struct rdl__text *out, const struct rdl__type *of, uint32_t count,
                       const void *first)
{
    rdl__text_add(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        const void *item = at(first, (size_t)i * of->size);
        uint32_t alike = count_alike(of, count - i, item);

        rdl__text_add(out, i ? ", " : "");
        rdl__value_show(out, of, item);
        if (alike < MANY_ALIKE)
            continue;
        rdl__text_add(out, " <repeats %u times>", alike);
        i += alike - 1;
    }
    rdl__text_add(out, "]");
}

static void show_members(struct rdl__text *out, const struct rdl__type *type, const void *value,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct rdl__member *member = &type->members[i];
        unsigned char room[RDL__SCALAR_MAX];

        rdl__text_add(out, "%s%s%s", i ? ", " : "", member->name, member->name[0] ? " = " : "");
        rdl__value_show(out, member->type, rdl__value_member(member, value, room));
    }
}

static void show_struct(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    rdl__text_add(out, "{");
    show_members(out, type, value, type->count);
    rdl__text_add(out, "}");
}

static void show_map(struct rdl__text *out, const struct rdl__type *items, uint32_t count,
                     const void *first)
{
    const struct rdl__member *key = &items->of->members[0], *value = &items->of->members[1];

    rdl__text_add(out, "{");
    for (uint32_t i = 0; i < count; i++) {
        const void *item = at(first, (size_t)i * items->of->size);

        rdl__text_add(out, i ? ", " : "");
        rdl__value_show(out, key->type, at(item, key->offset));
        rdl__text_add(out, ": ");
        rdl__value_show(out, value->type, at(item, value->offset));
    }
    rdl__text_add(out, "}");
}

static void show_list(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    const struct rdl__member *items = &type->members[1];
    uint32_t count;

    if (!rdl__value_count(type, value, &count))
        show_struct(out, type, value);
    else if (type->kind == RDL__TYPE_MAP)
        show_map(out, items->type, count, at(value, items->offset));
    else
        show_items(out, items->type->of, count, at(value, items->offset));
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == 0)
        count--;
    return count == 0;
}

static void show_union(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    size_t first = type->count ? type->members[0].type->size : 0;

    if (type->count == 0 || type->members[0].bits || !is_zero(at(value, first), type->size - first))
        show_bytes(out, value, type->size);
    else {
        rdl__text_add(out, "{");
        show_members(out, type, value, 1);
        rdl__text_add(out, "}");
    }
}

void rdl__value_show(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    switch (type->kind) {
    case RDL__TYPE_BYTES:
        show_bytes(out, value, type->size);
        break;
    case RDL__TYPE_ARRAY:
        show_items(out, type->of, type->count, value);
        break;
    case RDL__TYPE_TEXT:
        show_text(out, value, type->count);
        break;
    case RDL__TYPE_STRUCT:
        show_struct(out, type, value);
        break;
    case RDL__TYPE_LIST:
    case RDL__TYPE_MAP:
        show_list(out, type, value);
        break;
    case RDL__TYPE_UNION:
        show_union(out, type, value);
        break;
    default:
        show_scalar(out, type, value);
    }
}

void rdl__value_show_bare(struct rdl__text *out, const struct rdl__type *type, const void *value)
{
    unsigned char room[RDL__SCALAR_MAX];

    if (type->kind != RDL__TYPE_STRUCT)
        rdl__value_show(out, type, value);
    else if (type->count == 1)
        rdl__value_show(out, type->members[0].type,
                        rdl__value_member(&type->members[0], value, room));
    else
        show_members(out, type, value, type->count);
}

/* ---- Alike ---------------------------------------------------------------------------------- */

/* Those of 16 bytes have 10. */
static size_t float_size(const struct rdl__type *type)
{
    return type->size == 16 ? 10 : type->size;
}

static bool same_items(const struct rdl__type *of, uint32_t count, const void *a, const void *b)
{
    for (uint32_t i = 0; i < count; i++)
        if (!rdl__value_same(of, at(a, (size_t)i * of->size), at(b, (size_t)i * of->size)))
            return false;
    return true;
}

static bool same_members(const struct rdl__type *type, const void *a, const void *b)
{
    for (uint32_t i = 0; i < type->count; i++) {
        const struct rdl__member *member = &type->members[i];
        unsigned char one[RDL__SCALAR_MAX], two[RDL__SCALAR_MAX];

        if (!rdl__value_same(member->type, rdl__value_member(member, a, one),
                             rdl__value_member(member, b, two)))
            return false;
    }
    return true;
}

static bool same_lists(const struct rdl__type *type, const void *a, const void *b)
{
    const struct rdl__member *items = &type->members[1];
    uint32_t one, two;

    if (!rdl__value_count(type, a, &one) || !rdl__value_count(type, b, &two))
        return same_members(type, a, b);
    return one == two &&
           same_items(items->type->of, one, at(a, items->offset), at(b, items->offset));
}

bool rdl__value_same(const struct rdl__type *type, const void *a, const void *b)
{
    switch (type->kind) {
    case RDL__TYPE_ARRAY:
        return same_items(type->of, type->count, a, b);
    case RDL__TYPE_STRUCT:
        return same_members(type, a, b);
    case RDL__TYPE_LIST:
    case RDL__TYPE_MAP:
        return same_lists(type, a, b);
    case RDL__TYPE_FLOAT:
        return memcmp(a, b, float_size(type)) == 0;
    default:
        return memcmp(a, b, type->size) == 0;
    }
}

/* ---- Padding -------------------------------------------------------------------------------- */

static void mask_members(const struct rdl__type *type, unsigned char *mask)
{
    unsigned char ones[RDL__SCALAR_MAX];

    memset(ones, 0xff, sizeof ones);
    for (uint32_t i = 0; i < type->count; i++) {
        const struct rdl__member *member = &type->members[i];

        if (member->bits)
            rdl__value_pack(member, ones, mask);
        else
            rdl__value_mask(member->type, mask + member->offset);
    }
}

void rdl__value_mask(const struct rdl__type *type, void *mask)
{
    unsigned char *bytes = mask;

    switch (type->kind) {
    case RDL__TYPE_ARRAY:
        for (uint32_t i = 0; i < type->count; i++)
            rdl__value_mask(type->of, bytes + (size_t)i * type->of->size);
        break;
    case RDL__TYPE_STRUCT:
    case RDL__TYPE_LIST:
    case RDL__TYPE_MAP:
    case RDL__TYPE_UNION:
        mask_members(type, bytes);
        break;
    default:
        memset(bytes, 0xff, type->kind == RDL__TYPE_FLOAT ? float_size(type) : type->size);
    }
}
