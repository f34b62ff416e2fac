/* reports.c -- the calls by which a compiler reports accesses to memory. */
#include "filter/reports.h"

#include <stdlib.h>
#include <string.h>

enum { ANY_SIZE = 1 << 30 };

/* __tsan_read4, __tsan_unaligned_write8, __tsan_volatile_read2, __tsan_write_range. */
static bool read_name(struct rdl__report *out, const struct rdl__values *values,
                      struct rdl__span name)
{
    static const char *const before[] = {"__tsan_unaligned_volatile_", "__tsan_unaligned_",
                                         "__tsan_volatile_", "__tsan_"};
    const struct rdl__value *size = &values->registers[RDL__RSI];

    out->is_volatile = rdl__span_has_text(name, "volatile_");
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (rdl__span_begins(name, before[i])) {
            name = rdl__span_from(name, strlen(before[i]));
            break;
        }
    out->writes = rdl__span_begins(name, "write");
    if (!out->writes && !rdl__span_begins(name, "read"))
        return false;
    name = rdl__span_from(name, strlen(out->writes ? "write" : "read"));
    if (rdl__span_is(name, "_range"))
        out->size = size->base ? ANY_SIZE : size->offset;
    else
        out->size = name.count ? strtol(name.at, NULL, 10) : ANY_SIZE;
    return true;
}

/* clang leaves a load of which it ignores the result behind __tsan_atomic32_load. */
static bool read_atomic(struct rdl__report *out, struct rdl__span name)
{
    name = rdl__span_from(name, strlen("__tsan_atomic"));
    out->size = strtol(name.at, NULL, 10) / 8;
    return rdl__span_ends(name, "_load");
}

bool rdl__report_read(struct rdl__report *out, const struct rdl__values *values,
                      struct rdl__span callee)
{
    struct rdl__span name = rdl__span_until(callee, '@');

    *out = (struct rdl__report){.address = values->registers[RDL__RDI], .size = 8};
    if (rdl__span_is(name, "__tsan_vptr_update"))
        return out->writes = true;
    if (rdl__span_begins(name, "__tsan_atomic"))
        return read_atomic(out, name);
    return rdl__span_is(name, "__tsan_vptr_read") || read_name(out, values, name);
}

void rdl__reports_add(struct rdl__reports *reports, const struct rdl__report *report)
{
    if (reports->count == RDL__REPORTS_MAX) {
        memmove(reports->all, reports->all + 1, (RDL__REPORTS_MAX - 1) * sizeof *reports->all);
        reports->count--;
    }
    reports->all[reports->count++] = *report;
}

void rdl__reports_drop_used(struct rdl__reports *reports)
{
    size_t kept = 0;

    for (size_t i = 0; i < reports->count; i++)
        if (!reports->all[i].used) {
            reports->all[kept] = reports->all[i];
            reports->all[kept++].is_volatile = false;
        }
    reports->count = kept;
}

bool rdl__reports_are_of_next(struct rdl__reports *reports, int64_t size, bool writes)
{
    struct rdl__report *last = reports->count ? &reports->all[reports->count - 1] : NULL;

    if (!last || !last->is_volatile || last->used || last->size != size || last->writes != writes)
        return false;
    return last->used = true;
}

static bool is_about(const struct rdl__report *report, struct rdl__value address, int64_t size,
                     bool writes)
{
    return report->writes == writes && report->address.base == address.base &&
           report->address.offset < address.offset + size &&
           address.offset < report->address.offset + report->size;
}

bool rdl__reports_cover(struct rdl__reports *reports, struct rdl__value address, int64_t size,
                        bool writes)
{
    int64_t end = address.offset + size, at = address.offset, before;

    for (size_t i = 0; i < reports->count; i++)
        if (is_about(&reports->all[i], address, size, writes))
            reports->all[i].used = true;
    do {
        before = at;
        for (size_t i = 0; i < reports->count; i++) {
            const struct rdl__report *report = &reports->all[i];
            struct rdl__value next = {.base = address.base, .offset = at};

            if (is_about(report, next, 1, writes))
                at = report->address.offset + report->size;
        }
    } while (at > before && at < end);
    return at >= end;
}

bool rdl__reports_have_range(const struct rdl__reports *reports, bool writes)
{
    for (size_t i = 0; i < reports->count; i++)
        if (reports->all[i].writes == writes && reports->all[i].size > 16)
            return true;
    return false;
}

/* The address that is called `address` at the end of a way, by its name where ways meet. */
static struct rdl__value renamed(struct rdl__value address, const struct rdl__values *before,
                                 const struct rdl__values *now)
{
    for (int i = 0; i < RDL__REGISTERS; i++)
        if (before->registers[i].base == address.base) {
            address.base = now->registers[i].base;
            address.offset += now->registers[i].offset - before->registers[i].offset;
            break;
        }
    return address;
}

static const struct rdl__report *same_report(const struct rdl__reports *reports,
                                             const struct rdl__values *before,
                                             const struct rdl__values *now,
                                             const struct rdl__report *as)
{
    for (size_t i = 0; i < reports->count; i++) {
        const struct rdl__report *report = &reports->all[i];

        if (rdl__value_equals(renamed(report->address, before, now), as->address) &&
            report->size == as->size && report->writes == as->writes)
            return report;
    }
    return NULL;
}

bool rdl__reports_join(struct rdl__reports *reports, const struct rdl__values *before,
                       const struct rdl__reports *others, const struct rdl__values *of_others,
                       const struct rdl__values *now)
{
    bool changed = false;
    size_t kept = 0;

    for (size_t i = 0; i < reports->count; i++) {
        struct rdl__report report = reports->all[i];
        const struct rdl__report *same;

        report.address = renamed(report.address, before, now);
        same = same_report(others, of_others, now, &report);
        changed |= !same || same->used > report.used;
        if (!same)
            continue;
        report.used |= same->used;
        reports->all[kept++] = report;
    }
    reports->count = kept;
    return changed;
}
