/* raddle/gates.h -- hold threads at lines of code that nobody changed.
 *
 *     RDL_SCHEDULE(append_uses_a_stale_length)
 *     {
 *         struct rdl_gate *measured = rdl_gate_at(t, "append:/memcpy/", .thread = "appender");
 *         struct rdl_thread *appender = rdl_spawn(t, "appender", append_all, &pair);
 *
 *         rdl_gate_reached(measured);          // it has measured, and not copied yet
 *         buffer_truncate(pair.source, 3);
 *         rdl_gate_open(measured);
 *         rdl_join(appender);
 *     }
 *
 * or, where that reads better, as an order of what is done:
 *
 *     rdl_order(t, "appender:append:/memcpy/ -> ...");
 *
 * A place in the code is the beginning of a line, or of a function; gates are placed in the
 * program as it runs, which is neither changed nor compiled anew (-g is needed for lines):
 *
 *     reader.c:40            where this line begins, in all copies of it
 *     reader.c:40:call 2     the second call of the line; in code compiled by `raddle cc` each
 *                            access to memory is one, too
 *     parser/reader.c:40     the same, if there are several files of that name
 *     append                 where the function begins
 *     reader.c:append        the same, if there are several functions of that name
 *     append:return          where it returns
 *     append:/total =/       the one line of the function that has this text in it
 *     libz.so.1!crc32        any of these in that library
 *
 * `raddle where PROGRAM PLACE` shows what a place is.  One that cannot be found, or in which
 * there can be no gate, ends the test in error, with the reason.  A library that is named need not
 * be loaded yet, and may be unloaded and loaded again; but if the case passes without it, that is
 * an error, too.
 *
 * Threads may be controlled (RDL_SCHEDULE, RDL_EXPLORE) or free.  When all threads wait, and some
 * of them at gates, the schedule is infeasible: the test fails, and says who waits for what.  Gates
 * last as long as the case. */
#ifndef RADDLE_GATES_H
#define RADDLE_GATES_H

#include <raddle/base.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* ---- Gates ---------------------------------------------------------------------------------- */

/* A gate is open or closed.  Whoever comes to a closed one waits; rdl_gate_open lets one thread
 * through, the one that waits longest or, if none does, the next one to come. */
struct rdl_gate;

/* The gate of this name, which is closed at first. */
RDL_API struct rdl_gate *rdl_gate(struct rdl_case *t, const char *name);

/* The thread that calls comes to the gate. */
RDL_API void rdl_gate_wait(struct rdl_gate *gate);

RDL_API void rdl_gate_open(struct rdl_gate *gate);         /* for one thread */
RDL_API void rdl_gate_open_for_all(struct rdl_gate *gate); /* from now on */
RDL_API void rdl_gate_close(struct rdl_gate *gate);        /* again, for all who come */

/* Wait until a thread has come to the gate; the second call, until one has come a second time,
 * and so on.  rdl_gate_is_reached returns false if that will not happen: all others wait or have
 * ended. */
RDL_API void rdl_gate_reached(struct rdl_gate *gate);
RDL_API bool rdl_gate_is_reached(struct rdl_gate *gate);

/* ---- In the code ---------------------------------------------------------------------------- */

/* A thread has come to a place.  What can be asked there: */
struct rdl_hit;
RDL_API struct rdl_case *rdl_hit_case(const struct rdl_hit *hit);
RDL_API const char *rdl_hit_thread(const struct rdl_hit *hit); /* "main", "worker", "thread 2" */
RDL_API const char *rdl_hit_function(const struct rdl_hit *hit);
RDL_API int rdl_hit_line(const struct rdl_hit *hit);

/* Parameters, locals and globals there, by their names or by a path into them:
 *
 *     int id = rdl_hit_value(hit, "queue->items[i].id", int);
 *
 * That ends the test in error if there is none, it is of another size, one is a floating-point
 * number and the other is not, or the compiler has not kept it; the others return false then. */
#define rdl_hit_value(hit, path, type)                                                             \
    (*(type *)rdl__hit_value((hit), (path), RDL__ROOM_FOR(type), sizeof(type),                     \
                             RDL__IS_FLOAT(type), RDL__HERE))
#ifdef __cplusplus
#define RDL__IS_FLOAT(type) (std::is_floating_point<type>::value)
#else
#define RDL__IS_FLOAT(type) (__builtin_classify_type((type){0}) == 8)
#endif
RDL_API void *rdl__hit_value(struct rdl_hit *hit, const char *path, void *out, size_t size,
                             bool as_float, const char *file, int line);
RDL_API bool rdl_hit_read(struct rdl_hit *hit, const char *path, void *out, size_t size);
RDL_API bool rdl_hit_write(struct rdl_hit *hit, const char *path, const void *value, size_t size);

/* What is to happen when a thread comes to a place, before the line is executed. */
struct rdl_at {
    /* To whom: */
    const char *thread;                          /* threads of this name; NULL: all */
    bool (*when)(struct rdl_hit *hit, void *it); /* only if this holds */
    unsigned hit, hits; /* of all these times, from number `hit` on (1), `hits` times (all) */

    /* What: first `call`, then `tick`, then `open`, then `wait`. */
    void (*call)(struct rdl_hit *hit, void *it);
    bool tick; /* the test clock goes on by one (raddle/clock.h) */
    struct rdl_gate *open;
    struct rdl_gate *wait;
    void *it;
} RDL__FORM;

/* rdl_at(t, "reader.c:40", .thread = "reader", .open = gate); */
#define rdl_at(t, place, ...)                                                                      \
    rdl__at_place((t), (place), RDL__LENT(struct rdl_at, __VA_ARGS__), RDL__HERE)
RDL_API void rdl__at_place(struct rdl_case *t, const char *place, const struct rdl_at *what,
                           const char *file, int line);

/* A gate of its own at this place; the options are those of rdl_at. */
#define rdl_gate_at(t, place, ...)                                                                 \
    rdl__gate_at((t), (place), RDL__LENT(struct rdl_at, __VA_ARGS__), RDL__HERE)
RDL_API struct rdl_gate *rdl__gate_at(struct rdl_case *t, const char *place,
                                      const struct rdl_at *what, const char *file, int line);

/* A gate at one of the lines of this function (250 at most): at each of them in turn, in an
 * RDL_SCHEDULE.  A thread need not come there: ask rdl_gate_is_reached.  If none comes to any of
 * them, the test fails. */
#define rdl_gate_at_each_line(t, function, ...)                                                    \
    rdl__gate_at_each_line((t), (function), RDL__LENT(struct rdl_at, __VA_ARGS__), RDL__HERE)
RDL_API struct rdl_gate *rdl__gate_at_each_line(struct rdl_case *t, const char *function,
                                                const struct rdl_at *what, const char *file,
                                                int line);

/* While one thread is on its way from the first place to the second, others wait at the first. */
#define rdl_one_at_a_time(t, from, to) rdl__one_at_a_time((t), (from), (to), RDL__HERE)
RDL_API void rdl__one_at_a_time(struct rdl_case *t, const char *from, const char *to,
                                const char *file, int line);

/* ---- Orders --------------------------------------------------------------------------------- */

/* What is to come before what:
 *
 *     rdl_order(t, "appender:append:/memcpy/ -> cutter:truncate, [appender ended] -> ...");
 *
 *     order = chain { "," chain }
 *     chain = term "->" term { "->" term }
 *     term  = event { "&&" event }  |  event { "||" event }
 *     event = [ thread ":" ] place [ "#" number ]  |  "[" thread ( "blocked" | "ended" ) "]"
 *           | "[" thread ( "at" | "blocked after" ) place [ "#" number ] "]"
 *           | "[" thread "woken" [ "#" number ] "]"
 *
 * An event is that a thread (any, if none is named) comes to a place, for the first time or for
 * that of the number: then the line there has not been executed, and in free threads may not have
 * been when the next event happens.  A thread that comes too early waits there.
 * [one at bank.c:20] is that it has come there, though it may have to wait; so
 *
 *     [one at bank.c:20] -> two:bank.c:18, [two ended] -> one:bank.c:20
 *
 * interrupts one there.  [one woken] is that it goes on from waiting for a condition: until then it
 * is held, though it may have been signalled, and does not have the mutex.  Of several that wait, a
 * signal wakes the one that the order names first.
 *
 * If the case ends and an event has not happened, it fails. */
#define rdl_order(t, text) rdl__order((t), (text), RDL__HERE)
RDL_API void rdl__order(struct rdl_case *t, const char *text, const char *file, int line);

/* The same of a file, in which each line is a chain; those that begin with # are comments.  It may
 * have been written by --export, from a failing schedule (raddle-tests(1)). */
#define rdl_order_from(t, path) rdl__order_from((t), (path), RDL__HERE)
RDL_API void rdl__order_from(struct rdl_case *t, const char *path, const char *file, int line);

/* All orders in which these events can happen, one after the other:
 *
 *     rdl_any_order(t, "one:bank.c:20", "one:bank.c:22", "two:bank.c:20", "two:bank.c:22");
 *
 * When all threads wait, one of those that wait at these places goes on; each is tried.  In an
 * RDL_SCHEDULE that is all there is to choose, unless some do not come to their places, as others
 * have a lock, say: then all orders in which threads make such calls are tried as well.  An event
 * that happens in none of them is a failure. */
#define rdl_any_order(t, ...)                                                                      \
    rdl__any_order((t), (const char *const[]){__VA_ARGS__, NULL}, RDL__HERE)
RDL_API void rdl__any_order(struct rdl_case *t, const char *const *events, const char *file,
                            int line);

/* ---- In a file ------------------------------------------------------------------------------ */

/* Gates may stand in a file of gdb's breakpoints, such as gdb's `save breakpoints` writes: any
 * debugger or editor that works with gdb places gates.
 *
 *     break queue.c:88 thread taker if queue->count == 0
 *       commands
 *         silent
 *         wait taken
 *       end
 *     tbreak append
 *       commands
 *         open taken
 *       end
 *
 * Commands are done one after the other, by the thread that comes there:
 *
 *     wait NAME                  come to the gate of this name: rdl_gate(t, "NAME")
 *     open NAME [for all]        and close NAME
 *     await TIME                 until the test clock shows it (raddle/clock.h)
 *     tick                       the test clock goes on by one
 *     set var VARIABLE = VALUE
 *     fail TEXT                  the test fails
 *
 * A breakpoint without commands is a gate called like its place: "queue.c:88", with no folder.
 * Commands that only print, and silent and continue, do nothing.  What else gdb knows is an error.
 *
 * Conditions are expressions of C, without assignments, calls and casts, over the variables there;
 * strings are compared by strcmp(a, b) == 0 or $_streq(a, b).  A thread is chosen by its name, as
 * above or, so that gdb can read the file as well, by $_streq($_thread_name, "taker").  tbreak and
 * ignore count the times that thread and condition are as said.
 *
 * For the test NAME that is NAME.gdb beside its source file, if there is one, or in the folder that
 * --gates names; if that is a file, it is for all tests that are run.  Gates are placed when a case
 * begins.  A test that makes no sense without them says so, with a path that begins at the folder
 * of its source file: */
#define rdl_gates_from(t, path) rdl__gates_from((t), (path), RDL__HERE)
RDL_API void rdl__gates_from(struct rdl_case *t, const char *path, const char *file, int line);

#endif
