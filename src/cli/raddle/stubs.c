/* stubs.c -- raddle stubs: RDL_STUB lines for all functions of a header.
 *
 * gcc says which functions there are (-aux-info), and where each is declared.  What it forgets are
 * the names of parameters: those are looked for in what the preprocessor made of the header. */
#include <errno.h>
#include <fnmatch.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/raddle/commands.h"
#include "cli/raddle/parameters.h"

static const char usage[] =
    "Usage: raddle stubs [OPTION]... HEADER...\n\n"
    "Writes a C file with a line RDL_STUB for each function that the headers declare, so that a\n"
    "test links without the library that has them.  A header is named as in #include.\n\n"
    "  -o FILE            write to this file instead of standard output\n"
    "  --from PATTERN     also what is declared in other headers of this name: 'curl/*.h'\n"
    "  -I DIR, -D NAME, and other options that begin with - are for the compiler: gcc, or\n"
    "                     what RADDLE_CC names\n\n"
    "Exit status 0 if it was written, 1 if there is no function, 2 if that could not be done.\n";

struct function {
    char *name;
    char *path;     /* of the header */
    char *left_out; /* why there is no stub for it; "": there is */
    char *parameters;
    bool is_variadic;
    bool is_macro; /* its name means something else after the header */
};

struct request {
    struct rdl__words headers, patterns, options;
    const char *output;
    bool help;
    char folder[32]; /* for the files that lie between */
    struct function *functions;
    size_t count, room;
    char *elsewhere; /* a header that they include, and that declares one; NULL: none */
};

/* ---- The command line -------- */

static bool takes_value(const char *option)
{
    static const char *const options[] = {"-I", "-D", "-U", "-include", "-isystem", "-imacros"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(option, options[i]) == 0)
            return true;
    return false;
}

static bool take_argument(struct request *r, int argc, char **argv, int *i,
                          struct rdl__error *error)
{
    const char *option = argv[*i], *value;

    if (strcmp(option, "--help") == 0) {
        r->help = true;
    } else if ((value = rdl__option_value("--from", argc, argv, i, error))) {
        if (!*value)
            return false;
        rdl__words_add(&r->patterns, "%s", value);
    } else if (strcmp(option, "-o") == 0 || takes_value(option)) {
        if (++*i == argc)
            return rdl__fail(error, "%s needs a value after it", option);
        if (strcmp(option, "-o") == 0) {
            r->output = argv[*i];
        } else {
            rdl__words_add(&r->options, "%s", option);
            rdl__words_add(&r->options, "%s", argv[*i]);
        }
    } else {
        rdl__words_add(option[0] == '-' ? &r->options : &r->headers, "%s", option);
    }
    return true;
}

static bool read_request(struct request *r, int argc, char **argv, struct rdl__error *error)
{
    for (int i = 1; i < argc && !r->help; i++)
        if (!take_argument(r, argc, argv, &i, error))
            return false;
    return r->help || r->headers.count || rdl__fail(error, "which header?  raddle stubs HEADER...");
}

/* ---- What gcc says -------- */

static const char *in_folder(const struct request *r, const char *name, struct rdl__text *out)
{
    rdl__text_clear(out);
    rdl__text_add(out, "%s/%s", r->folder, name);
    return out->bytes;
}

/* <header>, or "header" if it is a file that is here; then that is the path that it will have. */
static void add_include(struct rdl__text *out, const char *header)
{
    bool is_here = access(header, R_OK) == 0;

    rdl__text_add(out, is_here ? "#include \"%s\"\n" : "#include <%s>\n", header);
}

static bool run(struct rdl__words *words, struct rdl__error *error)
{
    pid_t pid;
    int status;
    int failed = posix_spawnp(&pid, words->words[0], NULL, NULL, words->words, environ);

    if (failed)
        return rdl__fail(error, "cannot run %s: %s", words->words[0], strerror(failed));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status == 0 ||
           rdl__fail(error,
                     "%s cannot compile the header: what it says stands above; it may need -I or "
                     "another header before it",
                     words->words[0]);
}

static bool compile(struct request *r, const char *const *more, struct rdl__error *error)
{
    struct rdl__words words = {0};
    bool done;

    rdl__words_add_compiler(&words);
    rdl__words_add(&words, "-w");
    rdl__words_add(&words, "-iquote.");
    for (size_t i = 0; i < r->options.count; i++)
        rdl__words_add(&words, "%s", r->options.words[i]);
    for (; *more; more++)
        rdl__words_add(&words, "%s", *more);
    done = run(&words, error);
    rdl__words_release(&words);
    return done;
}

static bool write_includes(struct request *r, const char *path, struct rdl__error *error)
{
    struct rdl__text text = {0};
    FILE *file = fopen(path, "we");
    bool written;

    for (size_t i = 0; i < r->headers.count; i++)
        add_include(&text, r->headers.words[i]);
    written = file && fputs(rdl__text_string(&text), file) >= 0;
    if (file)
        written &= fclose(file) == 0;
    rdl__text_release(&text);
    return written || rdl__fail(error, "cannot write %s: %s", path, strerror(errno));
}

/* The preprocessor's output lies in headers.i then, and what gcc says of functions in aux. */
static bool ask_gcc(struct request *r, struct rdl__error *error)
{
    struct rdl__text source = {0}, preprocessed = {0}, aux = {0}, macros = {0};
    bool done;

    in_folder(r, "headers.c", &source);
    in_folder(r, "headers.i", &preprocessed);
    in_folder(r, "aux", &aux);
    in_folder(r, "macros", &macros);
    done =
        write_includes(r, source.bytes, error) &&
        compile(r, (const char *[]){"-E", source.bytes, "-o", preprocessed.bytes, NULL}, error) &&
        compile(r, (const char *[]){"-E", "-dM", source.bytes, "-o", macros.bytes, NULL}, error) &&
        compile(r,
                (const char *[]){"-fsyntax-only", "-aux-info", aux.bytes, preprocessed.bytes, NULL},
                error);
    if (done && access(aux.bytes, R_OK) != 0)
        done = rdl__fail(error,
                         "%s has no -aux-info: this needs gcc (RADDLE_CC names another compiler)",
                         rdl__compiler());
    rdl__text_release(&source);
    rdl__text_release(&preprocessed);
    rdl__text_release(&aux);
    rdl__text_release(&macros);
    return done;
}

/* ---- Functions -------- */

/* Is that the path of a header which is named so in #include? */
static bool is_named(const char *path, const char *name)
{
    size_t length = strlen(path), tail = strlen(name);

    return strcmp(path, name) == 0 || (length > tail && path[length - tail - 1] == '/' &&
                                       strcmp(path + length - tail, name) == 0);
}

static bool is_wanted(const struct request *r, const char *path)
{
    struct rdl__text pattern = {0};
    bool wanted = false;

    for (size_t i = 0; i < r->headers.count && !wanted; i++)
        wanted = is_named(path, r->headers.words[i]);
    for (size_t i = 0; i < r->patterns.count && !wanted; i++) {
        rdl__text_clear(&pattern);
        rdl__text_add(&pattern, "*/%s", r->patterns.words[i]);
        wanted =
            fnmatch(r->patterns.words[i], path, 0) == 0 || fnmatch(pattern.bytes, path, 0) == 0;
    }
    rdl__text_release(&pattern);
    return wanted;
}

static struct function *function_called(struct request *r, const char *name, size_t length)
{
    for (size_t i = 0; i < r->count; i++)
        if (strncmp(r->functions[i].name, name, length) == 0 && !r->functions[i].name[length])
            return &r->functions[i];
    return NULL;
}

static void add_function(struct request *r, const char *path, const char *name, size_t length,
                         bool is_defined, bool is_variadic)
{
    struct function *function = function_called(r, name, length);

    if (!function) {
        if (r->count == r->room) {
            r->room = r->room ? 2 * r->room : 64;
            r->functions = rdl__reallocate(r->functions, r->room * sizeof *r->functions);
        }
        function = &r->functions[r->count++];
        *function = (struct function){.name = strndup(name, length),
                                      .path = rdl__duplicate(path),
                                      .left_out = rdl__duplicate(""),
                                      .parameters = rdl__duplicate("")};
    }
    function->is_variadic |= is_variadic;
    if (is_defined) {
        free(function->left_out);
        function->left_out = rdl__duplicate("the header itself has its code");
    }
}

/* Where the parameters begin: of the function, not of one that it takes or returns a pointer to.
 * The name is the first one that a parenthesis follows, after a blank: gcc writes it so. */
static const char *find_name(const char *declaration, size_t *out_length)
{
    for (const char *at = strstr(declaration, " ("); at; at = strstr(at + 1, " (")) {
        const char *name = at;

        while (name > declaration && rdl__is_of_name(name[-1]))
            name--;
        *out_length = (size_t)(at - name);
        if (*out_length && at[2] != '*')
            return name;
    }
    return NULL;
}

/* A line such as   /.* zlib.h:250:NC *./ extern int deflate (z_streamp, int); */
static void take_line(struct request *r, char *line)
{
    char *path = line + strlen("/* "), *end = strstr(line, " */"), *kind, *number;
    const char *name;
    size_t length;

    if (strncmp(line, "/* ", 3) != 0 || !end)
        return;
    *end = '\0';
    kind = strrchr(path, ':');
    if (!kind)
        return;
    *kind++ = '\0';
    number = strrchr(path, ':');
    if (!number)
        return;
    *number = '\0';
    name = find_name(end + 3, &length);
    if (name && !is_wanted(r, path) && path[0] == '/' && !r->elsewhere)
        r->elsewhere = rdl__duplicate(path);
    else if (name && is_wanted(r, path))
        add_function(r, path, name, length, strchr(kind, 'F') != NULL,
                     strstr(name, ", ...)") != NULL);
}

static bool read_functions(struct request *r, struct rdl__error *error)
{
    struct rdl__text path = {0};
    FILE *file = fopen(in_folder(r, "aux", &path), "re");
    char *line = NULL;
    size_t room = 0;

    if (!file)
        rdl__fail(error, "cannot read %s: %s", path.bytes, strerror(errno));
    while (file && getline(&line, &room, file) > 0)
        take_line(r, line);
    if (file)
        fclose(file);
    free(line);
    rdl__text_release(&path);
    return file;
}

/* A function may be declared several times. */
static void take_signature(struct function *function, const struct rdl__signature *found)
{
    if (found->names[0]) {
        free(function->parameters);
        function->parameters = rdl__duplicate(found->names);
    }
    if (found->has_label && !function->left_out[0]) {
        free(function->left_out);
        function->left_out = rdl__duplicate("it has another name for the linker");
    }
}

static bool read_parameters(struct request *r, struct rdl__error *error)
{
    struct rdl__text path = {0};
    FILE *file = fopen(in_folder(r, "headers.i", &path), "re");
    struct rdl__signature found;
    char *text = NULL;
    const char *at;
    size_t room = 0;
    bool is_read = file && getdelim(&text, &room, '\0', file) > 0;

    if (!is_read)
        rdl__fail(error, "cannot read %s: %s", path.bytes, strerror(errno));
    at = text;
    while (is_read && rdl__signature_next(&found, &at)) {
        struct function *function = function_called(r, found.name, found.name_length);

        if (function)
            take_signature(function, &found);
        free(found.names);
    }
    if (file)
        fclose(file);
    free(text);
    rdl__text_release(&path);
    return is_read;
}

/* Those without parameters; the others do not stand before a parenthesis in RDL_STUB. */
static bool read_macros(struct request *r, struct rdl__error *error)
{
    struct rdl__text path = {0};
    FILE *file = fopen(in_folder(r, "macros", &path), "re");
    char *line = NULL;
    size_t room = 0;

    if (!file)
        rdl__fail(error, "cannot read %s: %s", path.bytes, strerror(errno));
    while (file && getline(&line, &room, file) > 0) {
        const char *name = line + strlen("#define ");
        size_t length = strcspn(name, " (\n");
        struct function *function = function_called(r, name, length);

        if (function)
            function->is_macro = name[length] != '(';
    }
    if (file)
        fclose(file);
    free(line);
    rdl__text_release(&path);
    return file;
}

/* ---- The file -------- */

static void add_left_out(struct rdl__text *out, const struct request *r)
{
    bool is_first = true;

    for (size_t i = 0; i < r->count; i++) {
        if (!r->functions[i].left_out[0])
            continue;
        rdl__text_add(out, is_first ? "\n/* Left out:\n" : "");
        rdl__text_add(out, " *   %s: %s\n", r->functions[i].name, r->functions[i].left_out);
        is_first = false;
    }
    rdl__text_add(out, is_first ? "" : " */\n");
}

static void add_functions(struct rdl__text *out, const struct request *r)
{
    const char *path = "";

    for (size_t i = 0; i < r->count; i++) {
        const struct function *function = &r->functions[i];

        if (function->left_out[0])
            continue;
        if (strcmp(path, function->path) != 0)
            rdl__text_add(out, "\n/* %s */\n", function->path);
        path = function->path;
        if (function->is_macro)
            rdl__text_add(out, "#undef %s\n", function->name);
        rdl__text_add(out, "RDL_STUB(%s%s%s);%s\n", function->name,
                      function->parameters[0] ? ", " : "", function->parameters,
                      function->is_variadic ? " /* and whatever follows */" : "");
    }
}

static void add_file(struct rdl__text *out, const struct request *r)
{
    rdl__text_add(out, "/* Stubs, as `raddle stubs");
    for (size_t i = 0; i < r->headers.count; i++)
        rdl__text_add(out, " %s", r->headers.words[i]);
    rdl__text_add(out, "` wrote them: for tests that mock these functions. */\n");
    for (size_t i = 0; i < r->headers.count; i++)
        add_include(out, r->headers.words[i]);
    rdl__text_add(out, "#include <raddle/mock.h>\n\n"
                       "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n");
    add_left_out(out, r);
    add_functions(out, r);
}

static int write_file(const struct request *r, struct rdl__error *error)
{
    struct rdl__text text = {0};
    bool written = true;

    add_file(&text, r);
    if (r->output)
        written = rdl__write_file(r->output, rdl__text_string(&text), text.count, error);
    else
        fputs(rdl__text_string(&text), stdout); /* raddle.c says if it cannot be written */
    rdl__text_release(&text);
    return written ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
}

/* ---- The command -------- */

static int make_stubs(struct request *r, struct rdl__error *error)
{
    if (!ask_gcc(r, error) || !read_functions(r, error) || !read_parameters(r, error) ||
        !read_macros(r, error))
        return RDL__EXIT_SETUP;
    if (r->count == 0) {
        rdl__fail(error, "no function is declared in %s%s%s%s%s", r->headers.words[0],
                  r->headers.count > 1 ? ", or in the others" : "",
                  r->elsewhere ? "; but in a header that it includes: --from '" : "",
                  r->elsewhere ? r->elsewhere : "", r->elsewhere ? "'" : "");
        return RDL__EXIT_FAIL;
    }
    return write_file(r, error);
}

static void remove_folder(struct request *r)
{
    static const char *const files[] = {"headers.c", "headers.i", "aux", "macros"};
    struct rdl__text path = {0};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(in_folder(r, files[i], &path));
    rmdir(r->folder);
    rdl__text_release(&path);
}

static void release(struct request *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->functions[i].name);
        free(r->functions[i].path);
        free(r->functions[i].left_out);
        free(r->functions[i].parameters);
    }
    free(r->functions);
    free(r->elsewhere);
    rdl__words_release(&r->headers);
    rdl__words_release(&r->patterns);
    rdl__words_release(&r->options);
}

int rdl__command_stubs(int argc, char **argv)
{
    struct request r = {.folder = "/tmp/raddle-stubs-XXXXXX"};
    struct rdl__error error = {0};
    int status = RDL__EXIT_SETUP;

    if (!read_request(&r, argc, argv, &error)) {
        /* said below */
    } else if (r.help) {
        status = fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    } else if (!mkdtemp(r.folder)) {
        rdl__fail(&error, "cannot make a folder in /tmp for what the compiler writes: %s",
                  strerror(errno));
    } else {
        status = make_stubs(&r, &error);
        remove_folder(&r);
    }
    if (status != RDL__EXIT_PASS)
        fprintf(stderr, "raddle stubs: %s\n", error.text);
    release(&r);
    return status;
}
