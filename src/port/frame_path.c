/* frame_path.c -- variables and parts of them, as C writes them.
 *
 *     part   =  "*" part  |  first { "." NAME | "->" NAME | "[" index "]" }
 *     first  =  NAME | "(" part ")"
 *     index  =  NUMBER | part */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "port/frame.h"
#include "port/likes.h"

enum { NAME_ROOM = 128, DEPTH_MAX = 20 };

struct reading {
    const struct rdl__stack_frame *frame;
    struct rdl__registers *registers;
    const char *path, *at;
    struct rdl__error *error;
    int depth;
};

static bool read_part(struct reading *r, struct rdl__part *out);

/* "'box->coumt': ..." */
static bool fail_at(struct reading *r, const char *what, const char *name)
{
    return rdl__fail(r->error, "'%s': %s%s", r->path, what, name);
}

static void skip_blanks(struct reading *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept(struct reading *r, const char *sign)
{
    skip_blanks(r);
    if (*r->at != *sign || strncmp(r->at, sign, strlen(sign)) != 0)
        return false;
    r->at += strlen(sign);
    return true;
}

static bool read_name(struct reading *r, char out[NAME_ROOM])
{
    size_t length = 0;

    skip_blanks(r);
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
        length++;
    if (length == 0 || length >= NAME_ROOM || isdigit((unsigned char)*r->at))
        return *r->at ? rdl__fail(r->error, "'%s': a name is missing before '%s'", r->path, r->at)
                      : fail_at(r, "a name is missing at the end", "");
    memcpy(out, r->at, length);
    out[length] = '\0';
    r->at += length;
    return true;
}

static bool is_struct(const struct rdl__type *type)
{
    return type->kind == RDL__TYPE_STRUCT || type->kind == RDL__TYPE_LIST ||
           type->kind == RDL__TYPE_MAP || type->kind == RDL__TYPE_UNION;
}

/* ---- Names that are like those that are missing ---------------------------------------------- */

static bool fail_like(struct reading *r, const char *what, const struct rdl__likes *likes)
{
    struct rdl__text text = {0};

    rdl__likes_say(&text, likes);
    rdl__fail(r->error, "'%s': there is no %s %s%s", r->path, what, likes->wanted,
              rdl__text_string(&text));
    rdl__text_release(&text);
    return false;
}

static void consider_variables(struct rdl__likes *likes, const struct rdl__variables *variables)
{
    for (size_t i = 0; i < variables->count; i++)
        rdl__likes_consider(likes, variables->items[i].name);
}

static void consider_members(struct rdl__likes *likes, const struct rdl__type *type)
{
    for (uint32_t i = 0; i < type->count; i++)
        if (type->members[i].name[0])
            rdl__likes_consider(likes, type->members[i].name);
        else if (is_struct(type->members[i].type))
            consider_members(likes, type->members[i].type);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static bool is_array(const struct rdl__type *type)
{
    return type->kind == RDL__TYPE_ARRAY || type->kind == RDL__TYPE_TEXT;
}

/* What the pointer points to, so many elements further. */
static bool follow(struct reading *r, struct rdl__part *part, int64_t index)
{
    const struct rdl__type *to = part->type->of;
    uint64_t address;

    if (part->type->kind != RDL__TYPE_POINTER)
        return fail_at(r, "what is followed is no pointer", "");
    if (!to)
        return fail_at(r, "what the pointer points to is not known here", "");
    if (!rdl__part_read(part, r->registers, &address, sizeof address, r->error))
        return false;
    if (address == 0)
        return fail_at(r, "a pointer is NULL", "");
    *part = (struct rdl__part){.type = to};
    part->held.count = 1;
    part->held.pieces[0] = (struct rdl__piece){
        .kind = RDL__IN_MEMORY, .size = to->size, .at = address + (uint64_t)index * to->size};
    return true;
}

/* The member of this name; those of members without a name count as well. */
static const struct rdl__member *find_member(const struct rdl__type *type, const char *name,
                                             uint32_t *offset)
{
    for (uint32_t i = 0; i < type->count; i++) {
        const struct rdl__member *member = &type->members[i], *inner;
        uint32_t further = *offset + member->offset;

        if (strcmp(member->name, name) == 0) {
            *offset = further;
            return member;
        }
        if (!member->name[0] && is_struct(member->type) &&
            (inner = find_member(member->type, name, &further))) {
            *offset = further;
            return inner;
        }
    }
    return NULL;
}

static bool enter_member(struct reading *r, struct rdl__part *part)
{
    char name[NAME_ROOM];
    struct rdl__likes likes = {.wanted = name};
    const struct rdl__member *member;

    if (!read_name(r, name))
        return false;
    if (part->type->kind == RDL__TYPE_POINTER)
        return fail_at(r, "there is a pointer before ", name);
    if (!is_struct(part->type))
        return fail_at(r, "there is no struct before ", name);
    member = find_member(part->type, name, &part->offset);
    if (!member) {
        consider_members(&likes, part->type);
        return fail_like(r, "member", &likes);
    }
    part->type = member->type;
    part->bit = member->bit;
    part->bits = member->bits;
    return true;
}

static bool read_number(struct reading *r, const struct rdl__part *part, int64_t *out)
{
    enum rdl__type_kind kind = part->type->kind;
    bool is_signed = kind == RDL__TYPE_SIGNED || kind == RDL__TYPE_CHAR || part->type->is_signed;
    uint64_t value = 0;
    unsigned unused = 64 - 8 * part->type->size;

    if ((kind < RDL__TYPE_SIGNED || kind > RDL__TYPE_ENUM || kind == RDL__TYPE_FLOAT) ||
        part->type->size > sizeof value)
        return fail_at(r, "an index is no number", "");
    if (!rdl__part_read(part, r->registers, &value, part->type->size, r->error))
        return false;
    *out = is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
    return true;
}

static bool read_index(struct reading *r, int64_t *out)
{
    struct rdl__part part;
    char *end;

    skip_blanks(r);
    if (isdigit((unsigned char)*r->at) || *r->at == '-') {
        *out = strtoll(r->at, &end, 0);
        r->at = end;
    } else if (!read_part(r, &part) || !read_number(r, &part, out)) {
        return false;
    }
    return accept(r, "]") || fail_at(r, "a ] is missing", "");
}

static bool enter_element(struct reading *r, struct rdl__part *part)
{
    const struct rdl__type *type = part->type;
    int64_t index;

    if (!read_index(r, &index))
        return false;
    if (type->kind == RDL__TYPE_POINTER)
        return follow(r, part, index);
    if (!is_array(type))
        return fail_at(r, "there is no array before an index", "");
    if (index < 0 || (type->count && index >= (int64_t)type->count))
        return fail_at(r, "the array has no such element", "");
    part->offset += (uint32_t)index * type->of->size;
    part->type = type->of;
    return true;
}

/* ---- Parts ---------------------------------------------------------------------------------- */

static bool read_variable(struct reading *r, struct rdl__part *out)
{
    char name[NAME_ROOM];
    struct rdl__likes likes = {.wanted = name};
    const struct rdl__variable *variable;

    if (!read_name(r, name))
        return false;
    variable = rdl__stack_frame_variable(r->frame, name);
    if (!variable) {
        consider_variables(&likes, &r->frame->own);
        consider_variables(&likes, &r->frame->other);
        return fail_like(r, "variable", &likes);
    }
    if (!variable->type)
        return fail_at(r, "the type is not known of ", name);
    out->type = variable->type;
    out->offset = out->bit = out->bits = 0;
    return rdl__variable_hold(r->frame, variable, r->registers, &out->held, r->error);
}

static bool read_first(struct reading *r, struct rdl__part *out)
{
    if (!accept(r, "("))
        return read_variable(r, out);
    return read_part(r, out) && (accept(r, ")") || fail_at(r, "a ) is missing", ""));
}

static bool read_steps(struct reading *r, struct rdl__part *out)
{
    for (;;)
        if (accept(r, "->")) {
            if (!follow(r, out, 0) || !enter_member(r, out))
                return false;
        } else if (accept(r, ".")) {
            if (!enter_member(r, out))
                return false;
        } else if (accept(r, "[")) {
            if (!enter_element(r, out))
                return false;
        } else {
            return true;
        }
}

static bool read_part(struct reading *r, struct rdl__part *out)
{
    bool done;

    if (++r->depth > DEPTH_MAX)
        return fail_at(r, "that is too deep", "");
    if (accept(r, "*"))
        done = read_part(r, out) &&
               (is_array(out->type) ? (out->type = out->type->of, true) : follow(r, out, 0));
    else
        done = read_first(r, out) && read_steps(r, out);
    r->depth--;
    return done;
}

bool rdl__part_find(const struct rdl__stack_frame *frame, struct rdl__registers *registers,
                    const char *path, struct rdl__part *out, struct rdl__error *error)
{
    struct reading r = {
        .frame = frame, .registers = registers, .path = path, .at = path, .error = error};

    if (!read_part(&r, out))
        return false;
    skip_blanks(&r);
    return !*r.at || fail_at(&r, "what is this: ", r.at);
}

/* ---- Bytes of a part ------------------------------------------------------------------------ */

void *rdl__part_address(const struct rdl__part *part)
{
    const struct rdl__piece *piece = &part->held.pieces[0];

    return part->held.count == 1 && piece->kind == RDL__IN_MEMORY && !part->bits
               ? (void *)(uintptr_t)(piece->at + part->offset)
               : NULL;
}

/* The bytes that a bit-field is in, 16 at most. */
static size_t width(const struct rdl__part *part)
{
    return ((size_t)part->bit + part->bits + 7) / 8;
}

bool rdl__part_read(const struct rdl__part *part, struct rdl__registers *registers, void *out,
                    size_t size, struct rdl__error *error)
{
    unsigned __int128 all = 0;
    bool is_signed = part->type->kind == RDL__TYPE_SIGNED || part->type->is_signed;
    unsigned unused = 128 - part->bits;

    if (size != part->type->size)
        return rdl__fail(error, "it has %u bytes, not %zu", part->type->size, size);
    if (!part->bits)
        return rdl__holding_read(&part->held, registers, part->offset, out, size, error);
    if (!rdl__holding_read(&part->held, registers, part->offset, &all, width(part), error))
        return false;
    all = all >> part->bit << unused;
    all = is_signed ? (unsigned __int128)((__int128)all >> unused) : all >> unused;
    memcpy(out, &all, size);
    return true;
}

bool rdl__part_write(const struct rdl__part *part, struct rdl__registers *registers,
                     const void *value, size_t size, struct rdl__error *error)
{
    unsigned __int128 all = 0, new = 0, mask;

    if (size != part->type->size)
        return rdl__fail(error, "it has %u bytes, not %zu", part->type->size, size);
    if (!part->bits)
        return rdl__holding_write(&part->held, registers, part->offset, value, size, error);
    if (!rdl__holding_read(&part->held, registers, part->offset, &all, width(part), error))
        return false;
    memcpy(&new, value, size < sizeof new ? size : sizeof new);
    mask = (((unsigned __int128)1 << part->bits) - 1) << part->bit;
    all = (all & ~mask) | (new << part->bit &mask);
    return rdl__holding_write(&part->held, registers, part->offset, &all, width(part), error);
}
