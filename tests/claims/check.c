/* check.c -- explore random programs in every way, and compare what was reached with what was
 * claimed.
 *
 *     check RADDLE FOLDER COUNT SEED SCHEDULES
 *     check tests FOLDER COUNT SEED SCHEDULES
 *
 * FOLDER, an absolute path, holds the programs `plain` and `seen`, the same batch compiled by the
 * compiler and by raddle cc: programs to be explored, or test programs (generate.c); and `orders`,
 * which calls the statements of these programs in every order, without threads and without Raddle.
 * They run in folders that are made here.  If any of these reaches an outcome that a run which
 * claims complete coverage did not, the claim is false, and the exit status is 1. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outcomes.h"

enum {
    BUILDS = 2,
    STRATEGIES = 6,
    EXPLORED = BUILDS * STRATEGIES,
    ORDERS = EXPLORED, /* the last run */
    RUNS,
    JOBS = 2,
    DEADLOCK = OUTCOMES,
};

static const char *const builds[BUILDS] = {"plain", "seen"};
static const char *const strategies[STRATEGIES] = {"dfs",    "dpor", "calls",
                                                   "random", "pos",  "portfolio"};

struct run {
    bool complete;
    unsigned schedules, ended, count;    /* executions, outcomes */
    unsigned char reached[OUTCOMES + 1]; /* the last one is a deadlock */
};

struct totals {
    unsigned programs, complete, false_claims, varied;
    unsigned seen_complete; /* programs that some run of the instrumented build claims */
    unsigned ordered;       /* of these, programs of which all orders of statements were tried */
};

static const char *raddle, *batch, *seed, *schedules;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

/* `others`: executions that only look for a second thread. */
static void clear_outcomes(unsigned programs, unsigned others)
{
    const struct outcomes none = {.others = others};
    int fd = open("outcomes", O_CREAT | O_TRUNC | O_WRONLY, 0600);

    if (fd < 0)
        die("outcomes");
    for (unsigned i = 0; i < programs; i++)
        if (write(fd, &none, sizeof none) != sizeof none)
            die("outcomes");
    close(fd);
}

static void read_outcomes(struct run *run, unsigned program)
{
    static struct outcomes all;
    int fd = open("outcomes", O_RDONLY);

    if (fd < 0 || pread(fd, &all, sizeof all, (off_t)(program * sizeof all)) != sizeof all)
        die("outcomes");
    close(fd);
    memcpy(run->reached, all.reached, OUTCOMES);
    run->reached[DEADLOCK] = all.began > all.ended;
    run->schedules = all.began;
    run->ended = all.ended;
    run->count = 0;
    for (int i = 0; i <= DEADLOCK; i++)
        run->count += run->reached[i] != 0;
}

/* Races that frame.h allows are what many programs are made of: a run that has nothing else against
 * it counts as one that claims to be complete.  One that fails, by a race that is not allowed,
 * claims nothing. */
static bool is_complete(const char *report, const char *command)
{
    static const char races_only[] =
        "\"unseen\":[],\"unknown\":[],\"unlike\":[],\"processes\":[],"
        "\"bounds\":[\"data races were met that do not count as failures\"],";

    if (!strstr(report, "\"complete\":")) {
        fprintf(stderr, "no report from: %s\n%s\n", command, report);
        exit(2);
    }
    return strstr(report, "\"complete\":true") ||
           (strstr(report, races_only) && strstr(report, "\"verdict\":\"pass\""));
}

static void explore(struct run *run, unsigned program, int build, int strategy)
{
    char command[1024], report[16384] = "";
    size_t got;
    FILE *pipe;

    snprintf(command, sizeof command,
             "%s explore --strategy %s --schedules %s --seed %s --fail-on crash,race "
             "--shrink-time 0 --format json -- %s/%s %u 2>errors",
             raddle, strategies[strategy], schedules, seed, batch, builds[build], program);
    clear_outcomes(1, 1);
    pipe = popen(command, "r");
    got = pipe ? fread(report, 1, sizeof report - 1, pipe) : 0;
    report[got] = '\0';
    if (!pipe || pclose(pipe) == -1)
        die(command);
    run->complete = is_complete(report, command);
    read_outcomes(run, 0);
}

/* All tests of one build under one strategy; a line of the report for each. */
static void test(struct run *runs, unsigned programs, int r)
{
    char command[1024], *line = NULL;
    size_t room = 0;
    FILE *report;
    int status;

    snprintf(command, sizeof command,
             "%s/%s --strategy %s --cases %s --seed %s --format json --shrink-time 0 "
             "--regressions none %s"
             ">report 2>errors",
             batch, builds[r / STRATEGIES], strategies[r % STRATEGIES], schedules, seed,
             r % 2 ? "--no-fork " : "");
    clear_outcomes(programs, 0);
    status = system(command);
    report = fopen("report", "r");
    if (status == -1 || !report)
        die(command);
    for (unsigned program = 0; program < programs; program++) {
        do /* the program may print, too */
            if (getline(&line, &room, report) < 0)
                die(command);
        while (!strstr(line, "\"complete\":"));
        runs[program * RUNS + (unsigned)r].complete = is_complete(line, command);
    }
    fclose(report);
    free(line);
    for (unsigned program = 0; program < programs; program++)
        read_outcomes(&runs[program * RUNS + (unsigned)r], program);
}

/* No program is numbered, or all tests are. */
static void order(const char *number)
{
    char command[512];
    int status;

    snprintf(command, sizeof command, "%s/orders %s >/dev/null 2>&1 </dev/null", batch, number);
    status = system(command);
    if (status != 0)
        die(command);
}

static void order_program(struct run *run, unsigned program)
{
    char number[16];

    snprintf(number, sizeof number, "%u", program);
    clear_outcomes(1, 0);
    order(number);
    read_outcomes(run, 0);
}

static void order_tests(struct run *runs, unsigned programs)
{
    clear_outcomes(programs, 0);
    order("");
    for (unsigned program = 0; program < programs; program++)
        read_outcomes(&runs[program * RUNS + ORDERS], program);
}

/* Returns whether any claim was false. */
static bool compare(struct run runs[RUNS], unsigned program, struct totals *totals)
{
    static unsigned char all[OUTCOMES + 1];
    unsigned count = 0;
    bool is_false = false;

    memset(all, 0, sizeof all);
    for (int r = 0; r < RUNS; r++)
        for (int i = 0; i <= DEADLOCK; i++)
            all[i] |= runs[r].reached[i];
    for (int i = 0; i <= DEADLOCK; i++)
        count += all[i];
    for (int r = 0; r < RUNS; r++) {
        totals->complete += runs[r].complete;
        if (!runs[r].complete || runs[r].count == count)
            continue;
        printf("program %u: %s by %s claims to be complete, and reached %u of %u outcomes\n",
               program, builds[r / STRATEGIES], strategies[r % STRATEGIES], runs[r].count, count);
        is_false = true;
        totals->false_claims++;
    }
    totals->varied += count > 1;
    return is_false;
}

static void enter_folder(unsigned job)
{
    char folder[32];

    snprintf(folder, sizeof folder, "job_%u", job);
    mkdir(folder, 0700);
    if (chdir(folder) != 0)
        die(folder);
}

/* What all runs of a program say. */
static void judge(struct run runs[RUNS], unsigned program, struct totals *totals)
{
    bool complete = false;

    for (int r = STRATEGIES; r < EXPLORED; r++)
        complete |= runs[r].complete;
    if (compare(runs, program, totals)) {
        for (int r = 0; r < EXPLORED; r++)
            printf("    %-5s %-9s %s %3u outcomes in %u executions\n", builds[r / STRATEGIES],
                   strategies[r % STRATEGIES], runs[r].complete ? "complete" : "        ",
                   runs[r].count, runs[r].schedules);
        printf("    without threads:         %3u outcomes in %u orders\n", runs[ORDERS].count,
               runs[ORDERS].ended);
    }
    totals->programs++;
    totals->seen_complete += complete;
    totals->ordered += complete && runs[ORDERS].count > 0;
}

static struct totals check_programs(unsigned job, unsigned count)
{
    static struct run runs[RUNS];
    struct totals totals = {0};

    enter_folder(job);
    for (unsigned program = job; program < count; program += JOBS) {
        for (int r = 0; r < EXPLORED; r++)
            explore(&runs[r], program, r / STRATEGIES, r % STRATEGIES);
        order_program(&runs[ORDERS], program);
        judge(runs, program, &totals);
    }
    return totals;
}

/* The runs are shared by the processes that make them. */
static struct totals check_tests(unsigned count)
{
    struct run *runs = mmap(NULL, count * RUNS * sizeof *runs, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct totals totals = {0};
    bool failed = false;

    if (runs == MAP_FAILED)
        die("mmap");
    for (unsigned job = 0; job < JOBS; job++)
        if (fork() == 0) {
            enter_folder(job);
            for (int r = (int)job; r < EXPLORED; r += JOBS)
                test(runs, count, r);
            if (job == 0)
                order_tests(runs, count);
            _exit(0);
        }
    for (int status; wait(&status) > 0;)
        failed |= status != 0;
    if (failed)
        exit(2);
    for (unsigned program = 0; program < count; program++)
        judge(&runs[program * RUNS], program, &totals);
    return totals;
}

/* Each process takes every second program. */
static struct totals check_all_programs(unsigned count)
{
    struct totals all = {0};
    int ends[2];

    if (pipe(ends) != 0)
        die("pipe");
    for (unsigned job = 0; job < JOBS; job++)
        if (fork() == 0) {
            struct totals totals = check_programs(job, count);

            fflush(stdout);
            _exit(write(ends[1], &totals, sizeof totals) == sizeof totals ? 0 : 2);
        }
    close(ends[1]);
    for (struct totals one; read(ends[0], &one, sizeof one) == sizeof one;) {
        all.programs += one.programs;
        all.complete += one.complete;
        all.false_claims += one.false_claims;
        all.varied += one.varied;
        all.seen_complete += one.seen_complete;
        all.ordered += one.ordered;
    }
    while (wait(NULL) > 0)
        continue;
    return all;
}

int main(int argc, char **argv)
{
    struct totals all;
    unsigned count;

    if (argc != 6)
        return 2;
    raddle = argv[1];
    batch = argv[2];
    count = (unsigned)atoi(argv[3]);
    seed = argv[4];
    schedules = argv[5];
    all = strcmp(raddle, "tests") == 0 ? check_tests(count) : check_all_programs(count);
    printf(
        "%u programs, %u with several outcomes; %u runs claim complete coverage, of %u programs; "
        "%u of these in every order of statements; %u false claims\n",
        all.programs, all.varied, all.complete, all.seen_complete, all.ordered, all.false_claims);
    return all.programs != count ? 2 : all.false_claims ? 1 : 0;
}
