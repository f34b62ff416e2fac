/* lines.c -- file and line of places in the code, by libdw. */
#include "port/lines.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "port/symbols.h"

enum { FIND_MS = 20000 }; /* the longest that finding may take */

/* ---- In the process that looks them up ---------------------------------------------- */

#define LIBDW_FUNCTIONS(X)                                                                         \
    X(dwfl_begin)                                                                                  \
    X(dwfl_linux_proc_report)                                                                      \
    X(dwfl_report_end)                                                                             \
    X(dwfl_linux_proc_find_elf)                                                                    \
    X(dwfl_build_id_find_debuginfo)                                                                \
    X(dwfl_standard_find_debuginfo)                                                                \
    X(dwfl_addrmodule)                                                                             \
    X(dwfl_module_addrdie)                                                                         \
    X(dwfl_module_nextcu)                                                                          \
    X(dwarf_haspc)                                                                                 \
    X(dwarf_getsrc_die)                                                                            \
    X(dwarf_lineno)                                                                                \
    X(dwarf_linesrc)                                                                               \
    X(dwarf_getscopes)                                                                             \
    X(dwarf_tag)                                                                                   \
    X(dwarf_diename)                                                                               \
    X(dwarf_attr_integrate)                                                                        \
    X(dwarf_formstring)

struct libdw {
#define DECLARE(name) __typeof__(name) *name;
    LIBDW_FUNCTIONS(DECLARE)
#undef DECLARE
};

static struct libdw dw;

static bool load_libdw(void)
{
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return false;
#define LOAD(name)                                                                                 \
    if (!(dw.name = (__typeof__(dw.name))dlsym(library, #name)))                                   \
        return false;
    LIBDW_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}

/* The unit of compilation at this address.  clang writes no index of them, and libdw
 * does without one only in later versions. */
static Dwarf_Die *unit_at(Dwfl_Module *module, Dwarf_Addr at, Dwarf_Addr *out_bias)
{
    Dwarf_Die *unit = dw.dwfl_module_addrdie(module, at, out_bias);

    if (unit)
        return unit;
    while ((unit = dw.dwfl_module_nextcu(module, unit, out_bias)))
        if (dw.dwarf_haspc(unit, at - *out_bias) > 0)
            return unit;
    return NULL;
}

static void put(char *out, size_t room, const char *text)
{
    snprintf(out, room, "%s", text ? text : "");
}

static void find_function(struct rdl__place *place, Dwarf_Die *unit, Dwarf_Addr at)
{
    Dwarf_Die *scopes = NULL;
    int count = dw.dwarf_getscopes(unit, at, &scopes);

    for (int i = 0; i < count; i++) {
        int tag = dw.dwarf_tag(&scopes[i]);

        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
            put(place->function, sizeof place->function, dw.dwarf_diename(&scopes[i]));
            break;
        }
    }
    free(scopes);
}

/* As the compiler was told it, if that was relative to where it ran. */
static void find_file(struct rdl__place *place, Dwarf_Die *unit, const char *path)
{
    Dwarf_Attribute attribute;
    const char *folder =
        dw.dwarf_formstring(dw.dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute));
    size_t length = folder ? strlen(folder) : 0;

    put(place->path, sizeof place->path, path);
    if (length && strncmp(path, folder, length) == 0 && path[length] == '/')
        path += length + 1;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    put(place->file, sizeof place->file, path);
}

static void find_one(struct rdl__place *place, Dwfl *dwfl)
{
    Dwarf_Addr at = place->pc - 1, bias = 0;
    Dwfl_Module *module = dw.dwfl_addrmodule(dwfl, at);
    Dwarf_Die *unit = module ? unit_at(module, at, &bias) : NULL;
    Dwarf_Line *line = unit ? dw.dwarf_getsrc_die(unit, at - bias) : NULL;
    const char *path = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;

    if (!unit)
        return;
    find_function(place, unit, at - bias);
    if (path && dw.dwarf_lineno(line, &place->line) == 0 && place->line > 0)
        find_file(place, unit, path);
    else
        place->line = 0;
}

static void find_all(struct rdl__place *places, size_t count, int process)
{
    static char *no_path;
    Dwfl_Callbacks callbacks = {.debuginfo_path = &no_path};
    Dwfl *dwfl;

    if (!load_libdw())
        return;
    callbacks.find_elf = dw.dwfl_linux_proc_find_elf;
    /* The standard way asks servers, too, if there are any: a report cannot wait. */
    callbacks.find_debuginfo = getenv("DEBUGINFOD_URLS") ? dw.dwfl_build_id_find_debuginfo
                                                         : dw.dwfl_standard_find_debuginfo;
    dwfl = dw.dwfl_begin(&callbacks);
    if (!dwfl || dw.dwfl_linux_proc_report(dwfl, process) != 0 ||
        dw.dwfl_report_end(dwfl, NULL, NULL) != 0)
        return;
    for (size_t i = 0; i < count; i++)
        find_one(&places[i], dwfl);
}

/* ---- In this process ------------------------------------------------------------------ */

/* Wait for the process to end, but not for ever. */
static void await_end(int pid)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int ready, status;

    if (end.fd >= 0) {
        while ((ready = poll(&end, 1, FIND_MS)) < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            kill(pid, SIGKILL);
        close(end.fd);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
}

/* What it finds is put into memory that it shares with us, so that all it had found
 * before something happened to it is there. */
static void find_apart(struct rdl__place *places, size_t count, int process)
{
    size_t size = count * sizeof *places;
    struct rdl__place *shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int pid;

    if (shared == MAP_FAILED)
        return;
    memcpy(shared, places, size);
    pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        find_all(shared, count, process ? process : getpid());
        _exit(0);
    }
    if (pid > 0) {
        await_end(pid);
        memcpy(places, shared, size);
    }
    munmap(shared, size);
}

/* "/a/./b/../c" is /a/c, unless b is a link; what is shown need not care. */
static void simplify(char *path)
{
    char *to = path;

    for (const char *at = path; *at;) {
        size_t length = strcspn(at + 1, "/") + 1; /* with the slash before it */

        if (strncmp(at, "/../", 4) == 0 && to > path)
            while (to > path && *--to != '/')
                continue;
        else if (strncmp(at, "/./", 3) != 0) {
            memmove(to, at, length);
            to += length;
        }
        at += length;
    }
    *to = '\0';
}

static bool begins(const char *text, const char *start, size_t length)
{
    return length && strncmp(text, start, length) == 0;
}

/* Leave out the beginning of an absolute path: that of the project, if the program
 * leaves it out, too; or that of the current folder. */
static void shorten(struct rdl__place *place, const char *root, const char *folder)
{
    size_t root_length = strlen(root), folder_length = strlen(folder);
    const char *path = place->file;

    if (path[0] != '/')
        return;
    if (begins(path, root, root_length))
        path += root_length;
    else if (begins(path, folder, folder_length) && path[folder_length] == '/')
        path += folder_length + 1;
    memmove(place->file, path, strlen(path) + 1);
}

/* What stands before the name that the program has for the file, if that is how it is
 * called. */
static void find_root(struct rdl__lines *lines)
{
    const struct rdl__place *known = rdl__lines_at(lines, lines->known_pc);
    size_t path = known ? strlen(known->path) : 0, name = 0;

    if (!known || !lines->known_file)
        return;
    name = strlen(lines->known_file);
    if (name < path && known->path[path - name - 1] == '/' &&
        strcmp(known->path + path - name, lines->known_file) == 0)
        snprintf(lines->root, sizeof lines->root, "%.*s", (int)(path - name), known->path);
}

static int compare(const void *a, const void *b)
{
    const struct rdl__place *one = a, *two = b;

    return (one->pc > two->pc) - (one->pc < two->pc);
}

void rdl__lines_want(struct rdl__lines *lines, uintptr_t pc)
{
    if (pc == 0)
        return;
    for (size_t i = 0; i < lines->count; i++)
        if (lines->places[i].pc == pc)
            return;
    if (lines->count == lines->room) {
        lines->room = lines->room ? 2 * lines->room : 16;
        lines->places = rdl__reallocate(lines->places, lines->room * sizeof *lines->places);
    }
    lines->places[lines->count++] = (struct rdl__place){.pc = pc};
}

void rdl__lines_find(struct rdl__lines *lines)
{
    char folder[512];

    if (lines->count == 0)
        return;
    rdl__lines_want(lines, lines->known_pc);
    qsort(lines->places, lines->count, sizeof *lines->places, compare);
    find_apart(lines->places, lines->count, lines->process);
    if (!getcwd(folder, sizeof folder) || strcmp(folder, "/") == 0)
        folder[0] = '\0';
    for (size_t i = 0; i < lines->count; i++) {
        struct rdl__place *place = &lines->places[i];

        simplify(place->path);
        if (place->file[0] == '/')
            simplify(place->file);
    }
    find_root(lines);
    for (size_t i = 0; i < lines->count; i++)
        shorten(&lines->places[i], lines->root, folder);
}

const struct rdl__place *rdl__lines_at(const struct rdl__lines *lines, uintptr_t pc)
{
    struct rdl__place key = {.pc = pc};

    return lines->count ? bsearch(&key, lines->places, lines->count, sizeof key, compare) : NULL;
}

void rdl__lines_release(struct rdl__lines *lines)
{
    free(lines->places);
    *lines = (struct rdl__lines){0};
}

void rdl__place_describe(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t pc)
{
    const struct rdl__place *place = rdl__lines_at(lines, pc);

    if (place && place->line)
        rdl__text_add(out, "%s:%d", place->file, place->line);
    else
        rdl__symbol_describe(out, pc - 1);
}

void rdl__place_describe_function(struct rdl__text *out, const struct rdl__lines *lines,
                                  uintptr_t pc)
{
    const struct rdl__place *place = rdl__lines_at(lines, pc);

    if (place && place->line && place->function[0])
        rdl__text_add(out, "%s at ", place->function);
    rdl__place_describe(out, lines, pc);
}
