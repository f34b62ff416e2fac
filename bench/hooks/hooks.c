/* hooks.c -- hooks alone, without gates on top of them; and without any, for gdb.
 *
 * Usage: hooks plain CALLS   calls of the two functions, by the clock
 *        hooks passed CALLS  the same with hooks that do nothing
 *        hooks placed TIMES  how long it takes to place such a hook, and to remove it
 *
 * This one sees what is inside of the library; nobody could use it so. */
#include <stdlib.h>
#include <string.h>

#include "../gates/hot.h"
#include "port/hook.h"

static void do_nothing(struct rdl__registers *registers, void *it)
{
    (void)registers, (void)it;
}

static void place(struct rdl__hook *hook)
{
    struct rdl__error error;

    if (!rdl__hook_place(hook, &error)) {
        fprintf(stderr, "hooks: %s\n", error.text);
        exit(2);
    }
}

static struct rdl__hook hook_at(void (*hot)(int x), bool never_jump)
{
    return (struct rdl__hook){
        .address = (uintptr_t)hot, .call = do_nothing, .never_jump = never_jump};
}

static void measure_plain(long calls)
{
    printf("long=%.3f ", ns_at_best(begin_long, calls, bench_now));
    printf("short=%.3f\n", ns_at_best(begin_short, calls, bench_now));
}

static void measure_passed(const char *name, void (*hot)(int x), bool never_jump, long calls)
{
    struct rdl__hook hook = hook_at(hot, never_jump);

    place(&hook);
    printf("%s=%.3f %s_is_jump=%d\n", name, ns_at_best(hot, calls, bench_cpu), name,
           rdl__hook_is_jump(&hook));
    rdl__hook_remove(&hook);
}

static void measure_placed(const char *name, void (*hot)(int x), long times)
{
    struct rdl__hook hook = hook_at(hot, false);
    double placing = 0, removing = 0, began = bench_now();

    place(&hook);
    printf("%s_first=%.3f ", name, (bench_now() - began) * 1e6);
    rdl__hook_remove(&hook);
    for (long i = 0; i < times; i++) {
        double before = bench_now(), between;

        place(&hook);
        between = bench_now();
        rdl__hook_remove(&hook);
        placing += between - before;
        removing += bench_now() - between;
    }
    printf("%s_place=%.3f %s_remove=%.3f\n", name, placing * 1e6 / (double)times, name,
           removing * 1e6 / (double)times);
}

int main(int argc, char **argv)
{
    long count = argc == 3 ? atol(argv[2]) : 0;

    if (count > 0 && strcmp(argv[1], "plain") == 0) {
        measure_plain(count);
    } else if (count > 0 && strcmp(argv[1], "passed") == 0) {
        measure_passed("long", begin_long, false, 10 * count);
        measure_passed("short", begin_short, false, count);
        measure_passed("forced", begin_long, true, count);
    } else if (count > 0 && strcmp(argv[1], "placed") == 0) {
        measure_placed("never", begin_never, 1);
        measure_placed("long", begin_long, count);
        measure_placed("short", begin_short, count);
    } else {
        return 2;
    }
    return 0;
}
