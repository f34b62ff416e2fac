/* regress.h -- files of failing cases, kept beside the tests and tried first.
 *
 * One token a line; '#' begins a comment.  Users commit these files, edit them
 * and merge them, so nothing in them is trusted and nothing is ever dropped.
 * Several runs may add to one file at a time: whoever adds holds its lock,
 * writes a whole new file, and puts it in the place of the old one. */
#ifndef RDL__REGRESS_H
#define RDL__REGRESS_H

#include "choice/token.h"

struct rdl__regress_entry {
    struct rdl__token token;
    bool damaged;
    int line;
    char why[256]; /* if damaged */
};

struct rdl__regress {
    struct rdl__regress_entry *entries;
    size_t count;
};

/* A file that is not there has no entries.  False: it is there, but cannot be
 * read. */
bool rdl__regress_load(struct rdl__regress *out, const char *path, struct rdl__error *error);
void rdl__regress_release(struct rdl__regress *regress);

/* Add a token, with a comment of one line, unless the file has it already. */
bool rdl__regress_add(const char *path, const char *token, const char *comment,
                      struct rdl__error *error);

/* "tests/queue.c" -> "tests/queue.raddle"; in another directory if given. */
void rdl__regress_path(struct rdl__text *out, const char *source, const char *directory);

/* The same with another ending than "raddle". */
void rdl__path_beside(struct rdl__text *out, const char *source, const char *directory,
                      const char *ending);

/* Read a whole file. */
bool rdl__read_file(struct rdl__text *out, const char *path, struct rdl__error *error);

/* Is it a file, or nothing yet?  A device or a pipe must be written to: a file in its place would
 * not do. */
bool rdl__is_replaceable(const char *path);

/* Write a whole file so that a reader sees all of it or none; what is not replaceable is written
 * to as it is. */
bool rdl__write_file(const char *path, const char *bytes, size_t count, struct rdl__error *error);

/* Will it be possible, as far as one can tell?  For those who have a long way to go till then. */
bool rdl__can_write_file(const char *path, struct rdl__error *error);

#endif
