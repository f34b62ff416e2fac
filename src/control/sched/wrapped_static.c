/* wrapped_static.c -- functions that return static data, and strtok, which keeps a pointer.
 *
 * Who is given static data reads it when it likes; so a call that fills it again is a write of
 * that very memory, and a race if nothing orders the two. */
#include <dirent.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control/sched/next.h"
#include "control/sched/state.h"
#include "control/sched/track.h"
#include "control/sched/undo.h"

RDL__ASKED_FOR(wrapped_static);

#define READS(from, size) rdl__call_reads((uintptr_t)(from), (size), RDL__CALLER)
#define WRITES(to, size)  rdl__access((uintptr_t)(to), (size), RDL__HOW_WRITE, RDL__CALLER)

/* ---- Static results -------------------------------------------------------------------------- */

static void come_to(const char *name, uint64_t argument, uintptr_t pc)
{
    rdl__come_as_row(name, (const uint64_t[6]){argument}, pc);
}

/* A function with one parameter, and what it reads of that. */
#define STATIC_RESULT(type, name, parameter, reads, size)                                          \
    type __wrap_##name(parameter it);                                                              \
    RDL__INTERPOSE type __wrap_##name(parameter it)                                                \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        READS(it, reads);                                                                          \
        come_to(#name, (uint64_t)it, RDL__CALLER);                                                 \
        result = RDL__NEXT(name)(it);                                                              \
        if (result)                                                                                \
            WRITES(result, size);                                                                  \
        return result;                                                                             \
    }

#define STATIC_NEXT(type, name, size)                                                              \
    type __wrap_##name(void);                                                                      \
    RDL__INTERPOSE type __wrap_##name(void)                                                        \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        come_to(#name, 0, RDL__CALLER);                                                            \
        result = RDL__NEXT(name)();                                                                \
        if (result)                                                                                \
            WRITES(result, size);                                                                  \
        return result;                                                                             \
    }

#define NUMBER_ONLY 0

STATIC_RESULT(struct tm *, gmtime, const time_t *, sizeof *it, sizeof *result)
STATIC_RESULT(struct tm *, localtime, const time_t *, sizeof *it, sizeof *result)
STATIC_RESULT(char *, asctime, const struct tm *, sizeof *it, strlen(result) + 1)
STATIC_RESULT(struct passwd *, getpwnam, const char *, strlen(it) + 1, sizeof *result)
STATIC_RESULT(struct passwd *, getpwuid, uid_t, NUMBER_ONLY, sizeof *result)
STATIC_RESULT(struct group *, getgrnam, const char *, strlen(it) + 1, sizeof *result)
STATIC_RESULT(struct group *, getgrgid, gid_t, NUMBER_ONLY, sizeof *result)
STATIC_RESULT(struct hostent *, gethostbyname, const char *, strlen(it) + 1, sizeof *result)
STATIC_RESULT(char *, ttyname, int, NUMBER_ONLY, strlen(result) + 1)
STATIC_RESULT(struct dirent *, readdir, DIR *, NUMBER_ONLY, result->d_reclen)
STATIC_RESULT(struct dirent64 *, readdir64, DIR *, NUMBER_ONLY, result->d_reclen)
STATIC_NEXT(struct passwd *, getpwent, sizeof *result)
STATIC_NEXT(struct group *, getgrent, sizeof *result)

/* It has two static results: it is asctime(localtime(it)). */
char *__wrap_ctime(const time_t *it);
RDL__INTERPOSE char *__wrap_ctime(const time_t *it)
{
    struct tm *broken_down;
    char *result;

    READS(it, sizeof *it);
    come_to("ctime", (uint64_t)it, RDL__CALLER);
    broken_down = RDL__NEXT(localtime)(it);
    result = RDL__NEXT(ctime)(it);
    if (broken_down)
        WRITES(broken_down, sizeof *broken_down);
    if (result)
        WRITES(result, strlen(result) + 1);
    return result;
}

/* ---- strtok ---------------------------------------------------------------------------------- */

static char *rest; /* where the next word is looked for, among controlled threads */

void rdl__strtok_begin(void)
{
    rest = NULL;
}

static char *split(struct rdl__thread *self, char *text, const char *separators, uintptr_t pc)
{
    rdl__come_to_state(self, RDL__STATE_STRTOK, RDL__WRITES, pc);
    return strtok_r(text, separators, &rest);
}

RDL__INTERPOSE char *strtok(char *restrict text, const char *restrict separators)
{
    struct rdl__thread *self = rdl__self();

    return self ? split(self, text, separators, RDL__CALLER) : RDL__NEXT(strtok)(text, separators);
}

char *__wrap_strtok(char *restrict text, const char *restrict separators);
RDL__INTERPOSE char *__wrap_strtok(char *restrict text, const char *restrict separators)
{
    struct rdl__thread *self = rdl__self();
    char *from = text ? text : rest;

    if (!self)
        return RDL__NEXT(strtok)(text, separators);
    READS(separators, strlen(separators) + 1);
    if (from)
        WRITES(from, strlen(from) + 1);
    return split(self, text, separators, RDL__CALLER);
}
