/* raddle/annotate.h -- what code under test can say of itself.
 *
 *     static long served;   // for the status line: a lost update does not matter
 *
 *     void serve(struct request *request)
 *     {
 *         RDL_BENIGN_RACE(served, "an estimate is enough");
 *         served++;
 *         ...
 *     }
 *
 * This header needs nothing else of Raddle, and code that uses it need not be linked with Raddle:
 * annotations do nothing unless Raddle, or ThreadSanitizer, runs the program.  To put up with a
 * race without changing the code, use a file of suppressions (raddle-explore(1)). */
#ifndef RADDLE_ANNOTATE_H
#define RADDLE_ANNOTATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* By its own name, since programs declare it in different ways. */
void rdl__benign_race(const char *file, int line, const volatile void *memory,
                      __typeof__(sizeof 0) size, const char *why) __asm__("AnnotateBenignRaceSized")
    __attribute__((weak));

void rdl__keep_memory(const volatile void *memory,
                      __typeof__(sizeof 0) size) __asm__("rdl_keep_memory") __attribute__((weak));

#ifdef __cplusplus
}
#endif

/* This memory outlives executions on purpose: the results of a test that another process collects,
 * for example.  Raddle does not put it back, and does not report that executions do not begin alike
 * because of it.  What the code under test reads there must not change what it does.  To be called
 * where the memory is mapped: before main, or by setup_once. */
#define RDL_KEEP_MEMORY(memory, size)                                                              \
    (rdl__keep_memory ? rdl__keep_memory((memory), (size)) : (void)0)

/* From here on, data races for the bytes of this object are no failures.  The annotation ends with
 * the execution, or when the object's memory is allocated anew; one that is made outside of
 * executions, by setup_once, holds for all of them.  A run that meets such a race does not claim
 * complete coverage. */
#define RDL_BENIGN_RACE(object, why)                                                               \
    (rdl__benign_race ? rdl__benign_race(__FILE__, __LINE__, &(object), sizeof(object), (why))     \
                      : (void)0)

#endif
