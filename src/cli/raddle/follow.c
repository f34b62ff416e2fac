/* follow.c -- from a program to the process that has threads, which is explored.
 *
 * Scouting has told which one that is.  In another run it takes over; the processes
 * that have started it are ended then, since they might do something when they have waited
 * too long, and raddle waits for it in their stead. */
#include "cli/raddle/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/orders.h"
#include "cli/program/program.h"
#include "cli/raddle/commands.h"
#include "port/kernel.h"
#include "port/process.h"

enum { ANCESTORS_MAX = 256 };

static const char first_lineage[] = "r+"; /* of the program that raddle starts */

/* ---- Which one? --------------------------------------------------------------------------- */

/* In the order in which they were started: a process comes before its copies, and they before the
 * program that it executes afterwards. */
static bool comes_before(const char *a, const char *b)
{
    while (*a && *a == *b) {
        if (*a == '.' && atoi(a + 1) != atoi(b + 1))
            return atoi(a + 1) < atoi(b + 1);
        a++, b++;
    }
    return *b && (!*a || *a == '.');
}

static const struct rdl__scouted *choose(const struct rdl__scouting *scouting)
{
    const struct rdl__scouted *chosen = NULL;

    for (size_t i = 0; i < scouting->count; i++) {
        const struct rdl__scouted *other = &scouting->processes[i];

        if (other->has_threads && (!chosen || comes_before(other->lineage, chosen->lineage)))
            chosen = other;
    }
    return chosen;
}

/* Without threads: the program that the first process ended with. */
static const struct rdl__scouted *choose_last(const struct rdl__scouting *scouting)
{
    const struct rdl__scouted *chosen = NULL;

    for (size_t i = 0; i < scouting->count; i++) {
        const struct rdl__scouted *other = &scouting->processes[i];

        if (!strchr(other->lineage, '.') &&
            (!chosen || strlen(other->lineage) > strlen(chosen->lineage)))
            chosen = other;
    }
    return chosen;
}

/* May a program that this process has executed not be explored?  The error says why. */
static bool is_refused(const struct rdl__scouted *process, struct rdl__error *error)
{
    const char *program = process->executes;

    return program && rdl__can_be_run(program, error) && !rdl__check_program(program, NULL, error);
}

/* Without threads: perhaps it is one that we did not get into. */
static bool is_out_of_reach(const struct rdl__scouting *scouting, struct rdl__error *error)
{
    for (size_t i = 0; i < scouting->count; i++)
        if (scouting->processes[i].is_last && is_refused(&scouting->processes[i], error))
            return true;
    return false;
}

/* The way there leads through a program with another user's rights.  We may have come through if
 * that user is who runs it; for others it would not work. */
static bool is_beyond_set_id(const struct rdl__scouting *scouting,
                             const struct rdl__scouted *chosen, struct rdl__error *error)
{
    struct stat file;

    for (size_t i = 0; i < scouting->count; i++) {
        const struct rdl__scouted *other = &scouting->processes[i];

        if (other->executes && other != chosen &&
            strncmp(chosen->lineage, other->lineage, strlen(other->lineage)) == 0 &&
            stat(other->executes, &file) == 0 && file.st_mode & (S_ISUID | S_ISGID) &&
            is_refused(other, error))
            return true;
    }
    return false;
}

/* A program was executed that could be followed, and yet it sent no news: it has left for another
 * namespace, say. */
static bool is_lost_sight_of(const struct rdl__scouting *scouting)
{
    for (size_t i = 0; i < scouting->count; i++)
        if (scouting->processes[i].is_last)
            return true;
    return false;
}

/* ---- What it is told ---------------------------------------------------------------------- */

static const char *last_part(const char *program)
{
    const char *slash = strrchr(program, '/');

    return slash && program[0] == '/' ? slash + 1 : program;
}

/* The lineage of who has started it, as far as we know of that. */
static const char *starter_of(const struct rdl__scouting *scouting, const char *lineage)
{
    char *before = rdl__duplicate(lineage);
    const struct rdl__scouted *found = NULL;
    size_t length = strlen(before);

    while (length > 1 && (!found || !*found->program)) {
        length--;
        while (length > 1 && before[length] != '+' && before[length] != '.')
            length--;
        before[length] = '\0';
        found = rdl__scouted_as(scouting, before);
    }
    free(before);
    return found && *found->program ? last_part(found->program) : "another program";
}

static bool leads_to(const struct rdl__scouted *one, const struct rdl__scouted *other)
{
    size_t length = strlen(one->lineage);

    return strncmp(one->lineage, other->lineage, length) == 0;
}

/* Has the process gone on as another program? */
static bool has_executed(const struct rdl__scouting *scouting, const struct rdl__scouted *process)
{
    for (size_t i = 0; i < scouting->count; i++) {
        const char *lineage = scouting->processes[i].lineage;
        size_t length = strlen(process->lineage);

        if (strncmp(lineage, process->lineage, length) == 0 && strcmp(lineage + length, "+") == 0)
            return true;
    }
    return false;
}

/* Neither is it on the way to the one that is explored, nor does that one start it, which is then
 * told anew: so it may do something beside it. */
static bool is_beside(const struct rdl__scouting *scouting, const struct rdl__scouted *other,
                      const struct rdl__scouted *chosen)
{
    return other->program && *other->program && !leads_to(other, chosen) &&
           !leads_to(chosen, other) && !has_executed(scouting, other);
}

static void add_others(struct rdl__text *out, const struct rdl__scouting *scouting,
                       const struct rdl__scouted *chosen)
{
    struct rdl__text words = {0};
    char number[16];
    int count = 0;

    for (size_t i = 0; i < scouting->count; i++) {
        const struct rdl__scouted *other = &scouting->processes[i];

        if (other != chosen && (other->has_threads || is_beside(scouting, other, chosen)) &&
            ++count)
            rdl__add_word(&words, other->program);
        if (other->is_last && ++count)
            rdl__add_word(&words, other->executes);
    }
    if (scouting->was_cut && strchr(chosen->lineage, '.') && ++count)
        rdl__add_word(&words, starter_of(scouting, chosen->lineage));
    snprintf(number, sizeof number, "%d", count);
    rdl__add_word(out, number);
    rdl__text_add_bytes(out, words.bytes, words.count);
    rdl__text_release(&words);
}

/* Options that were given by the environment: the program may have got another one. */
static void add_twins(struct rdl__text *out)
{
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, "RADDLE_", 7) == 0)
            rdl__add_word(out, *entry);
    rdl__add_word(out, "");
}

static void write_itinerary(struct rdl__text *out, const struct rdl__start *what,
                            const struct rdl__scouting *scouting, const struct rdl__scouted *chosen)
{
    size_t length = strlen(chosen->lineage);
    struct rdl__text name = {0}, times = {0};
    int argc = 0;

    while (what->argv[argc])
        argc++;
    rdl__command_encode(&name, argc, what->argv);
    rdl__text_add(&times, "%" PRIu64 " %" PRIu64, what->begun_ns,
                  rdl__kernel_clock_ns(CLOCK_REALTIME));
    rdl__add_word(out, chosen->lineage);
    rdl__add_word(out, what->library);
    rdl__add_word(out, times.bytes);
    rdl__add_word(out, name.bytes);
    rdl__add_word(out, chosen->program);
    rdl__add_word(out, strcmp(chosen->lineage, first_lineage) == 0
                           ? ""
                           : starter_of(scouting, chosen->lineage));
    rdl__add_word(out, chosen->lineage[length - 1] == '+' ? "" : "copy");
    add_others(out, scouting, chosen);
    add_twins(out);
    rdl__orders_add(out, what->option_count, what->options);
    rdl__text_release(&name);
    rdl__text_release(&times);
}

/* ---- There -------------------------------------------------------------------------------- */

static int parent_of(int process)
{
    char path[64], line[512] = "";
    const char *after_name;
    int parent = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", process);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    after_name = strrchr(line, ')'); /* the name of its program may contain some */
    return after_name && sscanf(after_name, ") %*c %d", &parent) == 1 ? parent : 0;
}

static bool is_descendant(int process)
{
    while (process > 1 && process != getpid())
        process = parent_of(process);
    return process == getpid();
}

/* Those between raddle and it: each then is a child of raddle's when the one above has ended. */
static void end_ancestors(int process)
{
    int ancestors[ANCESTORS_MAX], count = 0;

    for (int next = parent_of(process); next > 1 && next != getpid() && count < ANCESTORS_MAX;
         next = parent_of(next))
        ancestors[count++] = next;
    for (int i = 0; i < count; i++)
        kill(ancestors[i], SIGKILL);
    while (count-- > 0)
        while (waitpid(ancestors[count], NULL, 0) < 0 && errno == EINTR)
            continue;
}

/* It explores: until it ends, and then the others do. */
static int await(struct rdl__talk *talk, int process, const char *program)
{
    int ended, status = 0;

    end_ancestors(process);
    rdl__explored = process;
    rdl__pass_on_signals();
    if (write(talk->go_in, "", 1) != 1)
        return RDL__EXIT_SETUP;
    rdl__talk_end(talk);
    while ((ended = waitpid(-1, &status, 0)) != process && (ended > 0 || errno == EINTR))
        continue;
    rdl__explored = 0;
    rdl__end_descendants();
    if (ended == process && WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "raddle: exploring %s was ended by signal %d (%s)\n", program, WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return RDL__EXIT_SETUP;
}

/* Its exit status; RDL__FOLLOW_ITSELF: it was not there this time. */
static int go_there(const struct rdl__start *what, const struct rdl__scouting *scouting,
                    const struct rdl__scouted *chosen, struct rdl__error *error)
{
    uint64_t deadline = rdl__kernel_now_ns() + (uint64_t)what->timeout_ms * 1000000;
    struct rdl__text itinerary = {0};
    struct rdl__news news = {0};
    struct rdl__talk talk;

    if (!rdl__talk_begin(&talk, error))
        return RDL__EXIT_SETUP;
    talk.output = fcntl(STDOUT_FILENO, F_DUPFD, RDL__FD_FLOOR);
    talk.complaints = fcntl(STDERR_FILENO, F_DUPFD, RDL__FD_FLOOR);
    write_itinerary(&itinerary, what, scouting, chosen);
    if (rdl__start_followed(what, &talk, &itinerary) > 0)
        while (rdl__await_news(&talk, &news, deadline) > 0)
            if (news.kind == RDL__NEWS_TAKES_OVER && is_descendant(news.process))
                return await(&talk, news.process, chosen->program);
    rdl__end_descendants();
    rdl__talk_end(&talk);
    fprintf(stderr,
            "raddle: %s did not start %s in a second run as it did in the first, so that was not "
            "explored\n",
            what->path, chosen->program);
    return RDL__FOLLOW_ITSELF;
}

int rdl__follow(const struct rdl__start *what)
{
    const struct rdl__scouted *chosen;
    struct rdl__scouting scouting;
    struct rdl__error error;
    bool is_static = false, is_lost = false;
    int status;

    rdl__explored = 0;
    if (!rdl__scout(what, &scouting, &error)) {
        fprintf(stderr, "raddle: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    chosen = choose(&scouting);
    if (!rdl__check_program(what->path, &is_static, &error) ||
        (chosen ? is_beyond_set_id(&scouting, chosen, &error)
                : is_out_of_reach(&scouting, &error))) {
        fprintf(stderr, "raddle: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    if (!chosen) {
        chosen = choose_last(&scouting);
        is_lost = is_lost_sight_of(&scouting);
    }
    if (!is_static && !is_lost && (!chosen || strcmp(chosen->lineage, first_lineage) == 0))
        return RDL__FOLLOW_ITSELF;
    if (what->gdb && chosen) {
        fprintf(stderr,
                "raddle: %s starts %s, which has the threads; --gdb cannot go there by itself: put "
                "-- and the command that %s starts behind the token\n",
                what->path, chosen->program, what->path);
        return RDL__EXIT_SETUP;
    }
    status = chosen ? go_there(what, &scouting, chosen, &error) : RDL__FOLLOW_ITSELF;
    if (status != RDL__FOLLOW_ITSELF || !is_static)
        return status;
    rdl__check_program(what->path, NULL, &error);
    fprintf(stderr, "raddle: %s\n", error.text);
    return RDL__EXIT_SETUP;
}
