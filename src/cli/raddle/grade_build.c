/* grade_build.c -- from sources to test programs: the spec is compiled once, each
 * implementation as `raddle cc` would, and both are linked. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/raddle/commands.h"
#include "cli/raddle/grade.h"

/* ---- The spec ----------------------------------------------------------------------------- */

static void add_flags(struct rdl__words *to, const struct rdl__grading *grading)
{
    for (int i = 0; i < grading->flag_count; i++)
        rdl__words_add(to, "%s", grading->flags[i]);
    rdl__words_add(to, "-I%s", grading->spec);
    if (grading->headers.count)
        rdl__words_add(to, "-I%s", grading->headers.bytes);
}

static bool compile_spec(struct rdl__grading *grading, const char *source, struct rdl__error *error)
{
    struct rdl__words words = {0};
    struct rdl__text object = {0}, said = {0}, path = {0};
    struct rdl__error unread;
    int status;
    pid_t pid;
    bool ok;

    rdl__text_add(&object, "%s/spec%d.o", grading->folder.bytes, grading->object_count);
    rdl__words_add_compiler(&words);
    rdl__words_add(&words, "-g");
    rdl__words_add(&words, "-O1");
    add_flags(&words, grading);
    rdl__words_add(&words, "-c");
    rdl__words_add(&words, "-o%s", object.bytes);
    rdl__words_add(&words, "%s", source);
    rdl__grade_spawn(words.words, grading->folder.bytes, "spec.log", "spec.log", 0);
    ok = rdl__grade_await(&pid, &status, false);
    rdl__words_release(&words);
    grading->objects[grading->object_count++] = object.bytes;
    if (!ok)
        return rdl__fail(error, "interrupted while the spec was compiled");
    if (status != 0) {
        rdl__text_add(&path, "%s/spec.log", grading->folder.bytes);
        if (rdl__read_file(&said, path.bytes, &unread))
            fputs(rdl__text_string(&said), stderr);
        rdl__text_release(&said);
        rdl__text_release(&path);
        return rdl__fail(error, "%s does not compile", source);
    }
    return true;
}

/* A spec need not say RDL_MAIN: this is overridden if it does. */
static bool compile_main(struct rdl__grading *grading, struct rdl__error *error)
{
    static const char main_source[] = "#include <raddle.h>\n"
                                      "__attribute__((weak)) int main(int argc, char **argv)\n"
                                      "{\n"
                                      "    return rdl_main(argc, argv);\n"
                                      "}\n";
    struct rdl__text path = {0};
    bool ok;

    rdl__text_add(&path, "%s/main.c", grading->folder.bytes);
    ok = rdl__write_file(path.bytes, main_source, sizeof main_source - 1, error) &&
         compile_spec(grading, path.bytes, error);
    rdl__text_release(&path);
    return ok;
}

static bool ends_in_slash(const char *path)
{
    return *path && path[strlen(path) - 1] == '/';
}

static int is_source(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && dot != entry->d_name && strcmp(dot, ".c") == 0;
}

bool rdl__grade_build_spec(struct rdl__grading *grading, struct rdl__error *error)
{
    struct dirent **sources;
    int count = scandir(grading->spec, &sources, is_source, alphasort);
    bool ok = true;

    if (count < 0)
        return rdl__fail(error, "cannot read %s: %s", grading->spec, strerror(errno));
    if (count == 0)
        ok = rdl__fail(error, "there are no C files in %s: a spec is at least one", grading->spec);
    rdl__find_headers(&grading->headers);
    grading->objects = rdl__allocate((size_t)(count + 1) * sizeof *grading->objects);
    for (int i = 0; i < count; i++) {
        struct rdl__text path = {0};

        rdl__text_add(&path, "%s%s%s", grading->spec, ends_in_slash(grading->spec) ? "" : "/",
                      sources[i]->d_name);
        ok = ok && compile_spec(grading, path.bytes, error);
        rdl__text_release(&path);
        free(sources[i]);
    }
    free(sources);
    return ok && compile_main(grading, error);
}

/* ---- An implementation -------------------------------------------------------------------- */

/* A program looks for a library by its path, unless the library has another name for that:
 * several may have the same, so this one is to be found first. */
static void add_library(struct rdl__words *to, const struct rdl__grade *grade)
{
    char *whole = realpath(grade->file, NULL);
    struct rdl__text name = {0}, link = {0};

    if (!whole)
        return;
    rdl__find_soname(&name, whole);
    if (name.count && !strchr(name.bytes, '/')) {
        rdl__text_add(&link, "%s/%s", grade->folder.bytes, name.bytes);
        unlink(link.bytes);
        if (symlink(whole, link.bytes) != 0)
            dprintf(STDERR_FILENO, "cannot make %s: %s\n", link.bytes, strerror(errno));
    }
    rdl__words_add(to, "%s", whole);
    rdl__words_add(to, "-Wl,-rpath,%s", grade->folder.bytes);
    rdl__words_add(to, "-Wl,-rpath,%.*s", (int)(strrchr(whole, '/') - whole), whole);
    free(whole);
}

/* Warnings would stand before the errors that one wants to see. */
static void add_implementation(struct rdl__words *to, const struct rdl__grade *grade)
{
    const char *file = grade->file, *slash = strrchr(file, '/'), *dot = strrchr(file, '.');

    if (strcmp(dot, ".so") == 0) {
        add_library(to, grade);
        return;
    }
    if (slash)
        rdl__words_add(to, "-I%.*s", slash == file ? 1 : (int)(slash - file), file);
    else
        rdl__words_add(to, "-I.");
    rdl__words_add(to, "-w");
    rdl__words_add(to, "%s%s", slash ? "" : "./", file);
}

pid_t rdl__grade_build(const struct rdl__grading *grading, const struct rdl__grade *grade)
{
    pid_t pid = rdl__grade_fork(grade->folder.bytes, "build.log", "build.log");
    struct rdl__words words = {0};

    if (pid != 0)
        return pid;
    rdl__words_add(&words, "cc");
    rdl__words_add(&words, "-g");
    rdl__words_add(&words, "-O1");
    add_flags(&words, grading);
    rdl__words_add(&words, "-o%s", grade->program.bytes);
    for (int i = 0; i < grading->object_count; i++)
        rdl__words_add(&words, "%s", grading->objects[i]);
    add_implementation(&words, grade);
    rdl__words_add(&words, "-lm");
    _exit(rdl__command_cc((int)words.count, words.words));
}
