/* follow.h -- raddle's side of following a program to the one that has threads (cli/follow.h). */
#ifndef RDL__RADDLE_FOLLOW_H
#define RDL__RADDLE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/follow.h"

/* A program, and what is to be done with it. */
struct rdl__start {
    const char *path;
    char **argv;
    int option_count;
    char **options;
    const char *library; /* ours, to be preloaded */
    unsigned timeout_ms; /* of one run */
    uint64_t begun_ns;   /* before the first run, as times of files are given */
    bool gdb;            /* in the debugger */
    bool is_for_raddle;  /* standard input, and not for the program */
};

/* The process to which signals are passed on; 0: none. */
extern volatile int rdl__explored;
void rdl__pass_on_signals(void);

/* Find the process with threads, and explore it; the exit status.  Or there is none better than the
 * program itself, as it is called. */
enum { RDL__FOLLOW_ITSELF = -2 };
int rdl__follow(const struct rdl__start *what);

/* scout.c: what a run of a program, in which it is free, tells of its processes. */
struct rdl__scouted {
    char *lineage;
    char *program;  /* as it was called; "": not known */
    char *executes; /* the path of the program that takes its place; NULL: none */
    bool is_last;   /* and that program has not sent news */
    bool has_threads;
};

struct rdl__scouting {
    struct rdl__scouted *processes;
    size_t count;
    bool was_cut; /* the run did not come to its end in time */
};

/* The pipes and files by which processes that are followed and raddle talk. */
struct rdl__talk {
    int itinerary, news, news_in, go, go_in, children;
    int output, complaints; /* that processes inherit; -1: none */
    int first;              /* the process that was started; 0: it has ended */
    bool ends_with_first;   /* its end is as good as that of all */
};

bool rdl__talk_begin(struct rdl__talk *talk, struct rdl__error *error);
void rdl__talk_end(struct rdl__talk *talk);

/* Start it, with these words as its itinerary; the process, or -1. */
int rdl__start_followed(const struct rdl__start *what, struct rdl__talk *talk,
                        const struct rdl__text *itinerary);

/* Wait for news or for the end of the processes.  1: news; 0: they have ended; -1: it took until
 * `deadline_ns`. */
int rdl__await_news(struct rdl__talk *talk, struct rdl__news *out, uint64_t deadline_ns);

bool rdl__scout(const struct rdl__start *what, struct rdl__scouting *out, struct rdl__error *error);
const struct rdl__scouted *rdl__scouted_as(const struct rdl__scouting *scouting,
                                           const char *lineage);

#endif
