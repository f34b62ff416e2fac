/* test_calls.c -- the table of what functions of the C library touch: is it complete? */
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/sched/calls.h"
#include "harness.h"

enum { UNKNOWN_MAX = 100, HIDDEN = 0x8000 };

/* A library as a file: its dynamic symbols, and their versions. */
struct library {
    const char *bytes;
    size_t size;
    const ElfW(Sym) * symbols;
    size_t count;
    const char *names;
    const ElfW(Half) * versions;
    const ElfW(Verdef) * definitions;
    const char *module;
};

static bool find_library(const char *name, char *out, size_t room)
{
    void *library = dlopen(name, RTLD_LAZY);
    struct link_map *map = NULL;

    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    snprintf(out, room, "%s", map->l_name);
    return true;
}

static void read_section(struct library *it, const ElfW(Shdr) * section)
{
    const char *at = it->bytes + section->sh_offset;
    const ElfW(Shdr) *sections =
        (const void *)(it->bytes + ((const ElfW(Ehdr) *)it->bytes)->e_shoff);

    if (section->sh_type == SHT_DYNSYM) {
        it->symbols = (const void *)at;
        it->count = section->sh_size / sizeof *it->symbols;
        it->names = it->bytes + sections[section->sh_link].sh_offset;
    } else if (section->sh_type == SHT_GNU_versym) {
        it->versions = (const void *)at;
    } else if (section->sh_type == SHT_GNU_verdef) {
        it->definitions = (const void *)at;
    }
}

static bool read_library(const char *name, struct library *out)
{
    char path[512];
    const ElfW(Ehdr) * header;
    struct stat status;
    int fd;

    *out = (struct library){.module = name};
    if (!find_library(name, path, sizeof path) || (fd = open(path, O_RDONLY)) < 0)
        return false;
    EXPECT_EQ(fstat(fd, &status), 0);
    out->size = (size_t)status.st_size;
    out->bytes = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    EXPECT(out->bytes != MAP_FAILED);
    header = (const void *)out->bytes;
    for (int i = 0; i < header->e_shnum; i++)
        read_section(out, (const ElfW(Shdr) *)(out->bytes + header->e_shoff) + i);
    return out->symbols && out->versions;
}

/* Versions that only the parts of the C library use among themselves. */
static bool is_private(const struct library *it, ElfW(Half) version)
{
    const ElfW(Verdef) *at = it->definitions;

    while (at) {
        const ElfW(Verdaux) *name = (const void *)((const char *)at + at->vd_aux);

        if (at->vd_ndx == version)
            return strcmp(it->names + name->vda_name, "GLIBC_PRIVATE") == 0;
        at = at->vd_next ? (const void *)((const char *)at + at->vd_next) : NULL;
    }
    return false;
}

/* Can a program that is linked today call it? */
static const char *function_at(const struct library *it, size_t i)
{
    unsigned char type = ELF64_ST_TYPE(it->symbols[i].st_info);

    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || it->symbols[i].st_shndx == SHN_UNDEF ||
        it->versions[i] & HIDDEN || it->versions[i] <= 1 || is_private(it, it->versions[i]))
        return NULL;
    return it->names + it->symbols[i].st_name;
}

/* How many functions the table does not know; shows them. */
static int count_unknown(const char *module)
{
    struct library it;
    int unknown = 0;

    if (!read_library(module, &it)) {
        printf("there is no %s\n", module);
        return 0;
    }
    for (size_t i = 0; i < it.count; i++) {
        const char *name = function_at(&it, i);

        if (name && !rdl__call_row(name) &&
            rdl__call_effect(name, it.module) == RDL__EFFECT_UNKNOWN) {
            printf("%s of %s is unknown\n", name, module);
            unknown++;
        }
    }
    munmap((void *)it.bytes, it.size);
    return unknown;
}

TEST(at_most_a_hundred_functions_of_the_c_library_are_unknown)
{
    int unknown = count_unknown("libc.so.6");

    printf("%d functions of libc.so.6 are unknown\n", unknown);
    EXPECT(unknown <= UNKNOWN_MAX);
}

TEST(all_functions_of_the_libraries_of_mathematics_and_gcc_are_known)
{
    EXPECT_EQ(count_unknown("libm.so.6"), 0);
    EXPECT_EQ(count_unknown("libgcc_s.so.1"), 0);
    EXPECT_EQ(count_unknown("ld-linux-x86-64.so.2"), 0);
}

/* Other versions of the C library may have those that this one lacks. */
TEST(rows_are_of_functions_that_exist)
{
    int missing = 0;

    (void)dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_GLOBAL);
    for (uint32_t i = 0; i < rdl__call_row_count; i++)
        if (!dlsym(RTLD_DEFAULT, rdl__call_rows[i].name)) {
            printf("this C library has no %s\n", rdl__call_rows[i].name);
            missing++;
        }
    EXPECT(missing < 100);
}

TEST(no_function_has_two_rows)
{
    for (uint32_t i = 0; i < rdl__call_row_count; i++)
        if (rdl__call_row(rdl__call_rows[i].name) != &rdl__call_rows[i])
            EXPECT_STR(rdl__call_rows[i].name, "once");
}

TEST(what_a_call_does_is_told_by_name_and_library)
{
    EXPECT_EQ(rdl__call_effect("srand", "libc.so.6"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("getenv", "libc.so.6"), RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("memcpy", "/lib/x86_64-linux-gnu/libc.so.6"), RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("abs", NULL), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("regexec", "libc.so.6"), RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("twalk", "libc.so.6"), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("clone", "libc.so.6"), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("sin", "libm.so.6"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("sincos", "libm.so.6"), RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("sin", NULL), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("_Unwind_Resume", "libgcc_s.so.1"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("_Znwm", "libstdc++.so.6"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("_ZSt20__throw_length_errorPKc", "libstdc++.so.6.0.30"),
              RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", "libstdc++.so.6"),
              RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("_ZSt9terminatev", "libstdc++.so.6"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("_ZSt13set_terminatePFvvE", "libstdc++.so.6"), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("_ZSt15get_new_handlerv", "libstdc++.so.6"), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("cache_get", "libcache.so"), RDL__EFFECT_UNKNOWN);
}

/* ---- Rows that are compared --------------------------------------------------------------------
 *
 * Each function that compared.def lists is called by random programs (tests/claims). */

static char *read_text(const char *name)
{
    char path[512], *text = calloc(1, 1 << 20);
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/claims/%s", getenv("SOURCE"), name);
    file = fopen(path, "r");
    EXPECT(file && fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A call by name, as f(x) or as (f)(x), which no macro answers; or a list of an errno. */
static bool calls(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        const char *end = at + length + (at[length] == ')');

        if ((at == text || !is_part_of_name(at[-1])) && *end == '(')
            return true;
    }
    return false;
}

TEST(random_programs_call_each_function_whose_row_counts_as_right)
{
    static const char *const names[] = {
#define COMPARED(name)    #name,
#define SAME(name, other) #other,
#define LIMITED(name)
#define OBJECT(name)
#define NUMBERS(name)
#include "control/sched/compared.def"
    };
    char *statements = read_text("statements.h"), *frame = read_text("frame.h");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!calls(statements, names[i]) && !calls(frame, names[i]))
            EXPECT_STR(names[i], "called");
    free(statements);
    free(frame);
}

TEST(random_programs_call_each_function_of_cxx_whose_row_counts_as_right)
{
    static const char *const names[] = {
#undef COMPARED
#undef SAME
#undef LIMITED
#undef OBJECT
#undef NUMBERS
#define COMPARED(name)
#define SAME(name, other)
#define LIMITED(name)
#define OBJECT(name) #name,
#define NUMBERS(name)
#include "control/sched/compared.def"
    };
    char line[1024], command[2048];
    bool is_called[sizeof names / sizeof *names] = {0};
    FILE *pipe;

    snprintf(command, sizeof command,
             "for o in -O0 -O2; do for c in g++ clang++; do $c -std=c++17 $o -w -S -o - "
             "%s/tests/claims/objects.cc; done; done | grep -o '_[A-Za-z0-9_]*' | sort -u",
             getenv("SOURCE"));
    pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            is_called[i] |= strcmp(line, names[i]) == 0;
    }
    EXPECT(pipe && pclose(pipe) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!is_called[i])
            EXPECT_STR(names[i], "called");
}

/* ---- Memory of the caller's -------------------------------------------------------------------
 *
 * gcc lists the prototypes of the C library (-aux-info).  A function that takes a pointer to data
 * has a row that says what it does with that memory, or one that says that nobody knows. */

static const char *const headers[] = {
    "stdio.h",       "stdlib.h",      "string.h",       "strings.h",       "unistd.h",
    "fcntl.h",       "time.h",        "wchar.h",        "wctype.h",        "signal.h",
    "pthread.h",     "semaphore.h",   "threads.h",      "sched.h",         "poll.h",
    "dirent.h",      "grp.h",         "pwd.h",          "termios.h",       "utime.h",
    "ftw.h",         "glob.h",        "search.h",       "locale.h",        "langinfo.h",
    "iconv.h",       "mqueue.h",      "aio.h",          "netdb.h",         "dlfcn.h",
    "link.h",        "setjmp.h",      "libgen.h",       "fenv.h",          "math.h",
    "complex.h",     "syslog.h",      "spawn.h",        "getopt.h",        "err.h",
    "error.h",       "execinfo.h",    "malloc.h",       "mntent.h",        "pty.h",
    "utmpx.h",       "shadow.h",      "ulimit.h",       "uchar.h",         "inttypes.h",
    "envz.h",        "argz.h",        "ifaddrs.h",      "resolv.h",        "nl_types.h",
    "libintl.h",     "monetary.h",    "regex.h",        "fnmatch.h",       "wordexp.h",
    "arpa/inet.h",   "net/if.h",      "netinet/in.h",   "netinet/ether.h", "sys/stat.h",
    "sys/statfs.h",  "sys/statvfs.h", "sys/socket.h",   "sys/uio.h",       "sys/mman.h",
    "sys/time.h",    "sys/times.h",   "sys/timeb.h",    "sys/resource.h",  "sys/wait.h",
    "sys/epoll.h",   "sys/eventfd.h", "sys/timerfd.h",  "sys/signalfd.h",  "sys/inotify.h",
    "sys/ioctl.h",   "sys/select.h",  "sys/sendfile.h", "sys/xattr.h",     "sys/utsname.h",
    "sys/sysinfo.h", "sys/ipc.h",     "sys/msg.h",      "sys/sem.h",       "sys/shm.h",
    "sys/random.h",  "sys/file.h",    "sys/prctl.h",    "sys/auxv.h",      "sys/fanotify.h",
    "sys/ptrace.h",  "sys/swap.h",    "sys/mount.h",    "stdio_ext.h",     "printf.h"};

/* Things that only functions with rows of their own look into, or that no function looks into. */
static const char *const opaque[] = {"FILE *",           "__FILE *",     "DIR *",
                                     "mutex_t *",        "cond_t *",     "rwlock_t *",
                                     "barrier_t *",      "spinlock_t *", "once_t *",
                                     "sem_t *",          "mtx_t *",      "cnd_t *",
                                     "once_flag *",      "attr_t *",     "timer_t",
                                     "__va_list_tag *",  "_IO_FILE *",   "struct r_debug *",
                                     "struct link_map *"};

/* Functions that take an address, and neither read nor write what is there. */
static const struct harmless {
    const char *name, *reason;
} harmless[] = {
    {"free", "wrapped.c tells of it"},
    {"realloc", "wrapped.c tells of it"},
    {"reallocarray", "wrapped.c tells of it"},
    {"pthread_join", "thread.c tells of it, later"},
    {"pthread_tryjoin_np", "thread.c tells of it, later"},
    {"pthread_timedjoin_np", "thread.c tells of it, later"},
    {"pthread_clockjoin_np", "thread.c tells of it, later"},
    {"thrd_join", "c11.c tells of it, later"},
    {"readv", "io.c tells of it, later"},
    {"fgets", "stream.c tells of it, later"},
    {"__fgets_chk", "stream.c tells of it, later"},
    {"fread", "stream.c tells of it, later"},
    {"__fread_chk", "stream.c tells of it, later"},
    {"getline", "stream.c tells of it, later"},
    {"getdelim", "stream.c tells of it, later"},
    {"__getdelim", "stream.c tells of it, later"},
    {"malloc_usable_size", "asks the allocator, not the block"},
    {"mlock", "pages stay as they are"},
    {"mlock2", "pages stay as they are"},
    {"munlock", "pages stay as they are"},
    {"msync", "what is in a mapping is in the file already"},
    {"mmap", "an address that it would like"},
    {"mmap64", "an address that it would like"},
    {"brk", "an address"},
    {"pthread_setspecific", "a value"},
    {"tss_set", "a value"},
    {"pthread_exit", "a value"},
    {"thrd_exit", "a value"},
    {"on_exit", "a value"},
    {"dlclose", "a handle"},
    {"iconv_close", "a handle"},
    {"sigreturn", "the kernel's frame on the thread's own stack"},
    {"_dl_mcount_wrapper_check", "an address"},
    {"__cxa_finalize", "a handle"},
    {"__cxa_atexit", "a value"},
    {"__cxa_at_quick_exit", "a value"},
    {"pthread_cleanup_push", "a value"},
    {"__pthread_register_cancel", "a frame on the thread's own stack"},
    {"__pthread_unregister_cancel", "a frame on the thread's own stack"},
    {"__pthread_register_cancel_defer", "a frame on the thread's own stack"},
    {"__pthread_unregister_cancel_restore", "a frame on the thread's own stack"},
    {"__pthread_unwind_next", "a frame on the thread's own stack"},
    {"__assert_fail", "texts of the program, and the process ends"},
};

static bool is_harmless(const char *name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(harmless[i].name, name) == 0)
            return true;
    return false;
}

static bool is_data(const char *parameter)
{
    if (!strchr(parameter, '*') || strstr(parameter, "(*"))
        return false;
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++)
        if (strstr(parameter, opaque[i]))
            return false;
    return true;
}

static bool is_described(const struct rdl__call_row *row)
{
    return row->wrapped || row->way == RDL__CALL_VAGUE || row->way == RDL__CALL_VAGUE_POINT ||
           row->writes >> RDL__STATE_WORLD & 1;
}

/* "/\* file:line *\/ extern int stat (const char *, struct stat *);" */
static bool is_bad(char *line)
{
    char *name = strstr(line, "extern "), *open = name ? strstr(name, " (") : NULL;
    const struct rdl__call_row *row;
    bool has_data = false;

    if (!open)
        return false;
    *open = '\0';
    open[2 + strcspn(open + 2, ";")] = '\0'; /* a definition has its names behind it */
    name = strrchr(name, ' ') + 1;
    name += strspn(name, "*");
    row = rdl__call_row(name);
    if (!row || is_described(row) || is_harmless(name))
        return false;
    for (char *next = strtok(open + 2, ","); next; next = strtok(NULL, ","))
        has_data |= is_data(next);
    if (has_data)
        printf("%s: what does it do with memory of the caller's?\n", name);
    return has_data;
}

static bool list_prototypes(const char *folder)
{
    char path[128], command[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/all.c", folder);
    file = fopen(path, "w");
    for (size_t i = 0; file && i < sizeof headers / sizeof *headers; i++)
        fprintf(file, "#if __has_include(<%s>)\n#include <%s>\n#endif\n", headers[i], headers[i]);
    if (!file || fclose(file) != 0)
        return false;
    snprintf(
        command, sizeof command,
        "cd %s && gcc -w -D_GNU_SOURCE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -O1 -aux-info"
        " all.txt -S -o all.s all.c 2>all.log",
        folder);
    return system(command) == 0;
}

TEST(rows_say_what_is_done_with_memory_of_the_callers)
{
    char folder[] = "/tmp/raddle-calls-XXXXXX", path[128], line[4096];
    int bad = 0, count = 0;
    FILE *file;

    EXPECT(mkdtemp(folder) != NULL);
    if (list_prototypes(folder)) {
        snprintf(path, sizeof path, "%s/all.txt", folder);
        file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) {
            count++;
            bad += is_bad(line);
        }
        if (file)
            fclose(file);
        EXPECT(count > 1000);
    } else {
        printf("there is no gcc that lists prototypes\n");
    }
    snprintf(line, sizeof line, "rm -rf %s", folder);
    EXPECT_EQ(system(line), 0);
    EXPECT_EQ(bad, 0);
}
