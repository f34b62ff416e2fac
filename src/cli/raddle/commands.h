/* commands.h -- the subcommands of raddle.  Each gets its own name as argv[0] and
 * returns the exit status. */
#ifndef RDL__COMMANDS_H
#define RDL__COMMANDS_H

#include "base/error.h"
#include "base/text.h"

int rdl__command_explore(int argc, char **argv);
int rdl__command_replay(int argc, char **argv);
int rdl__command_export(int argc, char **argv);
int rdl__command_cc(int argc, char **argv);
int rdl__command_grade(int argc, char **argv);
int rdl__command_deviations(int argc, char **argv);
int rdl__command_run(int argc, char **argv);
int rdl__command_judge(int argc, char **argv);
int rdl__command_match(int argc, char **argv);
int rdl__command_report(int argc, char **argv);
int rdl__command_shell(int argc, char **argv);
int rdl__command_token(int argc, char **argv);
int rdl__command_stubs(int argc, char **argv);
int rdl__command_where(int argc, char **argv);

/* An option with a value, "--name VALUE" or "--name=VALUE".  NULL: it is another one; "": error
 * says that there is none. */
const char *rdl__option_value(const char *name, int argc, char **argv, int *i,
                              struct rdl__error *error);

/* It is none of those that `usage` names; the error says which is meant, if one is near. */
bool rdl__option_unknown(const char *argument, const char *usage, struct rdl__error *error);

/* A format is human or json. */
bool rdl__option_is_json(const char *format, bool *out, struct rdl__error *error);

/* Where a program of this name is, as a shell would find it.  free() it. */
char *rdl__find_program(const char *name);

/* Is there such a program?  The error says what is there instead. */
bool rdl__can_be_run(const char *path, struct rdl__error *error);

/* Does it have tests of Raddle's? */
bool rdl__is_test_program(const char *path);

/* Can it be explored, as far as its file tells?  If it is linked statically: that is no error if
 * `out_is_static` is given. */
bool rdl__check_program(const char *path, bool *out_is_static, struct rdl__error *error);

/* Explore, or replay, a program that knows nothing of Raddle; the exit status. */
int rdl__explore_program(char **argv, int option_count, char **options, unsigned timeout_ms,
                         bool gdb);

/* The path of libraddle.so. */
bool rdl__find_library(struct rdl__text *out, struct rdl__error *error);

/* A file of ours that is no program and no library; false: it is not there. */
/* The folder of the program that stands in for the assembler, with a slash at its end. */
bool rdl__find_assembler(struct rdl__text *out, struct rdl__error *error);

bool rdl__find_script(struct rdl__text *out, const char *name);

/* The folder that raddle.h is in; nothing if only the compiler can know. */
void rdl__find_headers(struct rdl__text *out);

/* What a library is called in programs that are linked with it; nothing: by its path. */
void rdl__find_soname(struct rdl__text *out, const char *path);

/* The path of a library that the program is linked with, by its name or the beginning of it;
 * false: it is linked with none of that name. */
bool rdl__find_needed(struct rdl__text *out, const char *program, const char *name, size_t length);

/* Arguments for a process, with a NULL behind the last. */
struct rdl__words {
    char **words;
    size_t count, room;
};

void rdl__words_add(struct rdl__words *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rdl__words_release(struct rdl__words *words);

/* gdb, and what makes it know our threads. */
void rdl__words_add_gdb(struct rdl__words *to);
void rdl__words_add_run(struct rdl__words *to); /* what follows is the program */

/* The compiler that `raddle cc` stands for; options may follow its name. */
const char *rdl__compiler(void);
void rdl__words_add_compiler(struct rdl__words *to);

#endif
