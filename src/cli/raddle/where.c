/* where.c -- raddle where: what a location means in a program, which need not run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "cli/raddle/commands.h"
#include "port/frame.h"
#include "port/locate.h"

static const char usage[] =
    "Usage: raddle where [OPTION]... PROGRAM LOCATION...\n\n"
    "Shows each address that a location means in a program or library: function, line,\n"
    "instructions, and which variables can be read there.  A location is one of\n\n"
    "  reader.c:40         every place at which the line begins\n"
    "  append              the beginning of a function, inlined copies too\n"
    "  reader.c:append     the same, in this file\n"
    "  reader.c:40:call 2  the second call of the line\n"
    "  append:return       every place at which it returns\n"
    "  append:/total =/    the line of the function in which this text is\n"
    "  libz.so.1!crc32     any of these in that library\n\n"
    "  --format FORMAT     human (default) or json\n\n"
    "Exit status 0 if all locations were found, 1 if not, 2 if that could not be found out.\n";

struct request {
    const char *program;
    const char **texts; /* of the locations */
    size_t count;
    bool json, help;
};

/* Those that are in one file. */
struct part {
    const char *path;
    struct rdl__locations locations;
};

/* ---- The command line -------- */

static bool take_argument(struct request *r, int argc, char **argv, int *i,
                          struct rdl__error *error)
{
    const char *option = argv[*i], *value;

    if (strcmp(option, "--help") == 0)
        r->help = true;
    else if ((value = rdl__option_value("--format", argc, argv, i, error)))
        return *value ? rdl__option_is_json(value, &r->json, error) : false;
    else if (option[0] == '-' && option[1])
        return rdl__option_unknown(option, usage, error);
    else if (!r->program)
        r->program = option;
    else
        r->texts[r->count++] = option;
    return true;
}

static bool check_program(const char *path, struct rdl__error *error)
{
    FILE *file = fopen(path, "re");
    char magic[4] = "";
    size_t size;

    if (!file)
        return rdl__fail(error, "cannot read %s: %s", path, strerror(errno));
    size = fread(magic, 1, sizeof magic, file);
    fclose(file);
    return (size == sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0) ||
           rdl__fail(error, "%s is neither a program nor a library: give what was compiled (ELF)",
                     path);
}

static bool read_request(struct request *r, int argc, char **argv, struct rdl__error *error)
{
    for (int i = 1; i < argc && !r->help; i++)
        if (!take_argument(r, argc, argv, &i, error))
            return false;
    if (r->help)
        return true;
    if (!r->program)
        return rdl__fail(error, "which program?  raddle where PROGRAM LOCATION...");
    if (r->count == 0)
        return rdl__fail(error, "which location?  raddle where PROGRAM LOCATION...");
    return check_program(r->program, error);
}

/* ---- Sources -------- */

/* The line of a file; nothing if it cannot be read. */
static void read_line(struct rdl__text *out, const char *path, int number)
{
    FILE *file = *path ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    int at = 0;

    rdl__text_clear(out);
    while (file && at < number && getline(&line, &room, file) > 0)
        if (++at == number)
            rdl__text_add(out, "%.*s", (int)strcspn(line, "\r\n"), line);
    if (file)
        fclose(file);
    free(line);
}

/* ---- In words -------- */

static void add_spot_name(struct rdl__text *out, const struct rdl__spot *spot)
{
    rdl__text_add(out, "%s", spot->function[0] ? spot->function : "?");
    if (spot->around[0])
        rdl__text_add(out, ", inlined into %s", spot->around);
    if (spot->clone[0])
        rdl__text_add(out, "%s%s", spot->around[0] ? "" : ", the variant ", spot->clone);
    if (spot->is_tail_call)
        rdl__text_add(out, ", which jumps to another function that returns in its place");
}

static void add_source(struct rdl__text *out, const struct rdl__spot *spot)
{
    struct rdl__text line = {0};

    read_line(&line, spot->path, spot->line);
    if (line.count)
        rdl__text_add(out, "    %5d  %s\n", spot->line, line.bytes);
    if (spot->is_stale)
        rdl__text_add(out, "           (the file has changed since it was compiled)\n");
    rdl__text_release(&line);
}

static void add_code(struct rdl__text *out, const struct rdl__spot *spot)
{
    for (size_t i = 0; i < spot->code_count; i++)
        rdl__text_add(out, "    %s %#lx  %s\n", i == spot->code_at ? "=>" : "  ",
                      (unsigned long)spot->code[i].address, spot->code[i].text);
    if (spot->refusal[0])
        rdl__text_add(out, "    no gate can be here: %s\n", spot->refusal);
}

/* "int id"; stars belong to the name. */
static void add_declaration(struct rdl__text *out, const struct rdl__variable *variable)
{
    const char *type = variable->type_name;
    size_t base = strcspn(type, "*[(");
    const char *inner = strchr(type, '[');

    if (strstr(type, "(*")) { /* as C writes it, the name stands within */
        const char *star = strstr(type, "(*") + 2;

        rdl__text_add(out, "%.*s%s%s", (int)(star - type), type, variable->name, star);
    } else if (inner) {
        rdl__text_add(out, "%.*s%s%s", (int)(inner - type), type, variable->name, inner);
    } else {
        rdl__text_add(out, "%s%s%s", type, type[base] ? "" : " ", variable->name);
    }
}

/* What an inner variable of the same name hides cannot be asked for. */
static bool is_hidden(const struct rdl__variables *variables, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(variables->items[k].name, variables->items[i].name) == 0)
            return true;
    return false;
}

/* What is known only if the caller still knows it. */
static bool is_callers(const struct rdl__variable *variable)
{
    for (uint32_t i = 0; i < variable->where.count; i++)
        if (variable->where.ops[i].code == RDL__OP_PASSED)
            return true;
    return false;
}

static void add_variables(struct rdl__text *out, const struct rdl__stack_frame *frame,
                          enum rdl__variable_kind kind, const char *title)
{
    bool is_first = true;

    for (size_t i = 0; i < frame->own.count; i++) {
        const struct rdl__variable *variable = &frame->own.items[i];

        if (variable->kind != kind || is_hidden(&frame->own, i))
            continue;
        rdl__text_add(out, "%s", is_first ? title : ", ");
        add_declaration(out, variable);
        rdl__text_add(out, "%s",
                      variable->where.count == 0 ? " (optimised out)"
                      : is_callers(variable)     ? " (if the caller knows it)"
                                                 : "");
        is_first = false;
    }
    rdl__text_add(out, "%s", is_first ? "" : "\n");
}

static void add_spot(struct rdl__text *out, const struct rdl__spot *spot,
                     const struct rdl__stack_frame *frame)
{
    rdl__text_add(out, "  %#lx  ", (unsigned long)spot->address);
    if (spot->line)
        rdl__text_add(out, "%s:%d  ", spot->file, spot->line);
    add_spot_name(out, spot);
    rdl__text_add(out, "\n");
    add_source(out, spot);
    add_variables(out, frame, RDL__PARAMETER, "    parameters: ");
    add_variables(out, frame, RDL__LOCAL, "    locals: ");
    add_code(out, spot);
}

static void add_location(struct rdl__text *out, const struct rdl__location *location,
                         const struct rdl__stack_frame *frames)
{
    rdl__text_add(out, "%s: ", location->text);
    if (location->count == 0) {
        rdl__text_add(out, "%s\n", location->error);
        return;
    }
    rdl__text_add_many(out, location->count, "place");
    rdl__text_add(out, "%s%s\n", location->note[0] ? "; " : "", location->note);
    for (size_t i = 0; i < location->count; i++)
        add_spot(out, &location->spots[i], &frames[i]);
}

/* ---- In JSON -------- */

static void add_json_member(struct rdl__text *out, const char *name, const char *value)
{
    if (!*value)
        return;
    rdl__text_add(out, ",\"%s\":", name);
    rdl__add_json_string(out, value);
}

static void add_json_variables(struct rdl__text *out, const struct rdl__stack_frame *frame)
{
    const char *separator = "";

    rdl__text_add(out, ",\"variables\":[");
    for (size_t i = 0; i < frame->own.count; i++) {
        const struct rdl__variable *variable = &frame->own.items[i];

        if (is_hidden(&frame->own, i))
            continue;
        rdl__text_add(out, "%s{\"kind\":\"%s\"", separator,
                      variable->kind == RDL__PARAMETER ? "parameter" : "local");
        add_json_member(out, "name", variable->name);
        add_json_member(out, "type", variable->type_name);
        rdl__text_add(out, ",\"readable\":%s}", variable->where.count ? "true" : "false");
        separator = ",";
    }
    rdl__text_add(out, "]");
}

static void add_json_code(struct rdl__text *out, const struct rdl__spot *spot)
{
    rdl__text_add(out, ",\"code\":[");
    for (size_t i = 0; i < spot->code_count; i++) {
        rdl__text_add(out, "%s{\"address\":%llu", i ? "," : "",
                      (unsigned long long)spot->code[i].address);
        add_json_member(out, "text", spot->code[i].text);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_json_spot(struct rdl__text *out, const struct rdl__spot *spot,
                          const struct rdl__stack_frame *frame)
{
    struct rdl__text line = {0};

    rdl__text_add(out, "{\"address\":%llu", (unsigned long long)spot->address);
    add_json_member(out, "function", spot->function);
    add_json_member(out, "inlined_into", spot->around);
    add_json_member(out, "variant", spot->clone);
    add_json_member(out, "file", spot->path);
    if (spot->line)
        rdl__text_add(out, ",\"line\":%d", spot->line);
    read_line(&line, spot->path, spot->line);
    add_json_member(out, "source", rdl__text_string(&line));
    rdl__text_release(&line);
    add_json_member(out, "module", spot->module);
    rdl__text_add(out, ",\"tail_call\":%s,\"stale\":%s", spot->is_tail_call ? "true" : "false",
                  spot->is_stale ? "true" : "false");
    add_json_member(out, "refused", spot->refusal);
    add_json_variables(out, frame);
    add_json_code(out, spot);
    rdl__text_add(out, "}");
}

static void add_json_location(struct rdl__text *out, const struct rdl__location *location,
                              const struct rdl__stack_frame *frames)
{
    rdl__text_add(out, "{\"location\":");
    rdl__add_json_string(out, location->text);
    add_json_member(out, "error", location->error);
    add_json_member(out, "note", location->note);
    rdl__text_add(out, ",\"places\":[");
    for (size_t i = 0; i < location->count; i++) {
        rdl__text_add(out, i ? "," : "");
        add_json_spot(out, &location->spots[i], &frames[i]);
    }
    rdl__text_add(out, "]}\n");
}

/* ---- The command -------- */

static int report(const struct part *part, const struct rdl__stack_frame *frames, bool json)
{
    struct rdl__text out = {0};
    int status = RDL__EXIT_PASS;

    for (size_t i = 0; i < part->locations.count; i++) {
        const struct rdl__location *location = &part->locations.items[i];

        (json ? add_json_location : add_location)(&out, location, frames);
        frames += location->count;
        if (location->count == 0)
            status = RDL__EXIT_FAIL;
    }
    fputs(rdl__text_string(&out), stdout);
    rdl__text_release(&out);
    return fflush(stdout) == 0 ? status : RDL__EXIT_SETUP;
}

static int show_part(struct part *part, bool json)
{
    struct rdl__stack_frames frames = {0};
    int status;

    part->locations.with_code = true;
    rdl__locations_find(&part->locations, part->path);
    for (size_t i = 0; i < part->locations.count; i++)
        for (size_t k = 0; k < part->locations.items[i].count; k++)
            rdl__stack_frames_want(&frames, part->locations.items[i].spots[k].address,
                                   part->locations.items[i].spots[k].function);
    rdl__stack_frames_find(&frames, part->path);
    status = report(part, frames.items, json);
    rdl__stack_frames_release(&frames);
    rdl__locations_release(&part->locations);
    return status;
}

/* The library that the location names, if the program is linked with it; or the program. */
static const char *path_of(const struct request *r, const char *location, struct rdl__text *room)
{
    const char *behind = strchr(location, '!');

    return behind && rdl__find_needed(room, r->program, location, (size_t)(behind - location))
               ? room->bytes
               : r->program;
}

/* Locations that follow each other and are in one file are looked for at once. */
static int show(const struct request *r)
{
    struct rdl__text rooms[2] = {{0}};
    struct part part = {.path = r->program};
    int status = RDL__EXIT_PASS, result;

    for (size_t i = 0; i <= r->count; i++) {
        const char *path = i < r->count ? path_of(r, r->texts[i], &rooms[i % 2]) : NULL;

        if (part.locations.count > 0 && (!path || strcmp(path, part.path) != 0)) {
            result = show_part(&part, r->json);
            status = result > status ? result : status;
        }
        if (path)
            rdl__locations_want(&part.locations, r->texts[i]);
        part.path = path;
    }
    rdl__text_release(&rooms[0]);
    rdl__text_release(&rooms[1]);
    return status;
}

int rdl__command_where(int argc, char **argv)
{
    struct request r = {.texts = rdl__allocate((size_t)argc * sizeof *r.texts)};
    struct rdl__error error = {0};
    int status = RDL__EXIT_SETUP;

    if (!read_request(&r, argc, argv, &error))
        fprintf(stderr, "raddle where: %s\n", error.text);
    else if (r.help)
        status = fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    else
        status = show(&r);
    free(r.texts);
    return status;
}
