/* test_costs.c -- what comments and documents say that something costs: operations are counted,
 * never time. */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>

#include "case/case.h"
#include "explore.h"
#include "judge/viable.h"
#include "observe/trace.h"
#include "shrink_bench.h"
#include "viable_specs.h"

enum { PAGE = 4096 };

static unsigned log2_of(uint64_t n)
{
    unsigned log2 = 0;

    while (n >>= 1)
        log2++;
    return log2;
}

/* ---- Shrinking --------------------------------------------------------------------------- */

static uint64_t needed; /* so many elements are not ballast */

/* A list, with question and element in one span; elements other than 0 are needed. */
static bool has_all_that_is_needed(struct rdl__tape *tape)
{
    uint64_t found = 0;

    for (;;) {
        uint64_t more;

        rdl__span_begin(tape, RDL__LABEL_ELEMENT);
        more = rdl__choose(tape, RDL__MORE, 1);
        if (more)
            found += rdl__choose(tape, RDL__INTEGER, ROOM) != 0;
        rdl__span_end(tape);
        if (!more)
            return found >= needed;
    }
}

/* Of so many elements, one each `stride` is needed (0: only the first and the last). */
static uint64_t runs_to_leave_out(uint32_t elements, uint32_t stride, uint32_t *out_left)
{
    static uint64_t indexes[ROOM];
    struct rdl__shrinker s = {0};
    struct bench *bench;
    uint64_t runs;

    needed = 0;
    for (uint32_t i = 0; i < elements; i++) {
        bool is_needed = stride ? i % stride == 0 : i == 0 || i == elements - 1;

        indexes[2 * i] = 1;
        indexes[2 * i + 1] = is_needed ? i + 1 : 0; /* no two that are alike */
        needed += is_needed;
    }
    indexes[2 * elements] = 0;
    bench = new_bench(has_all_that_is_needed);
    runs = run_pass(bench, &s, rdl__pass_leave_out, indexes, 2 * elements + 1);
    *out_left = s.best.count;
    rdl__shrink_release(&s);
    free_bench(bench);
    return runs;
}

/* The run that is left out doubles, and halves where it was too long. */
TEST(ballast_costs_its_logarithm)
{
    for (uint32_t elements = 64; elements <= 1024; elements *= 2) {
        uint32_t left;
        uint64_t runs = runs_to_leave_out(elements, 0, &left);

        EXPECT_EQ(left, 5);
        EXPECT(runs <= 2 * log2_of(elements) + 6);
    }
}

/* And another for all of them at once, and for the end of the list. */
TEST(an_element_that_must_stay_costs_one_run)
{
    for (uint32_t elements = 10; elements <= 160; elements *= 2) {
        uint32_t left;
        uint64_t runs = runs_to_leave_out(elements, 1, &left);

        EXPECT_EQ(left, 2 * elements + 1);
        EXPECT(runs >= elements && runs <= elements + 2);
    }
}

static uint64_t threshold;

static bool is_at_least(struct rdl__tape *tape)
{
    return rdl__choose(tape, RDL__INTEGER, UINT64_MAX) >= threshold;
}

static uint64_t runs_to_lower(uint64_t from, uint64_t to)
{
    struct bench *bench = new_bench(is_at_least);
    struct rdl__shrinker s = {0};
    uint64_t runs;

    threshold = to;
    runs = run_pass(bench, &s, rdl__pass_lower, &from, 1);
    rdl__shrink_release(&s);
    free_bench(bench);
    return runs;
}

/* And one for each bit that is set, and two dozen at most, for what is not a threshold. */
TEST(a_threshold_costs_about_as_many_runs_as_it_has_bits)
{
    for (unsigned bits = 4; bits < 60; bits++)
        for (uint64_t more = 0; more < 3; more++) {
            uint64_t to =
                (UINT64_C(1) << bits) + (more * 0x5a5a5a5a5 & ((UINT64_C(1) << bits) - 1));

            EXPECT(runs_to_lower(UINT64_MAX / 3, to) <=
                   bits + (unsigned)__builtin_popcountll(to) + 24);
        }
}

/* Closer, half as large, without a bit, less by a number that many divide: each in vain. */
TEST(a_number_that_is_as_low_as_it_can_be_costs_a_dozen_runs_and_one_for_each_bit_that_is_set)
{
    for (uint64_t number = 100; number < UINT64_MAX / 8; number *= 7) {
        uint64_t runs = runs_to_lower(number, number);

        EXPECT(runs <= 12 + (unsigned)__builtin_popcountll(number));
    }
}

/* ---- Memory ------------------------------------------------------------------------------ */

/* So many objects; where they are, as one number. */
static uintptr_t use_arena(struct rdl__arena *arena, int objects)
{
    uintptr_t sum = 0;

    for (int i = 0; i < objects; i++)
        sum = sum * 31 + (uintptr_t)rdl__arena_alloc(arena, (size_t)(16 + i % 50 * 100));
    return sum;
}

TEST(an_arena_that_is_reset_uses_the_memory_that_it_has)
{
    struct rdl__arena arena = {0};
    uintptr_t first = use_arena(&arena, 2000);

    for (int i = 0; i < 100; i++) {
        rdl__arena_reset(&arena);
        if (i % 2)
            (void)use_arena(&arena, 20 * i);
        rdl__arena_reset(&arena);
        EXPECT(use_arena(&arena, 2000) == first);
    }
    rdl__arena_release(&arena);
}

/* ---- What nobody wants to see -------------------------------------------------------------- */

/* Memory that must not be looked at. */
static char *forbidden(void)
{
    char *memory = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    EXPECT(memory != MAP_FAILED);
    return memory;
}

/* Of a trace, but its first page, and nothing may be written. */
static struct rdl__trace *off_trace(void)
{
    char *memory =
        mmap(NULL, sizeof(struct rdl__trace), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    EXPECT(memory != MAP_FAILED);
    EXPECT_EQ(mprotect(memory, PAGE, PROT_READ), 0);
    return (struct rdl__trace *)memory;
}

TEST(an_off_trace_looks_at_nothing_that_it_is_told)
{
    struct rdl__trace *trace = off_trace();
    char *text = forbidden();

    EXPECT_EQ(rdl__trace_lane(trace, text, text), 0);
    EXPECT_EQ(rdl__trace_since(trace, text, 1, text), 0);
    EXPECT_EQ(rdl__trace_call_between(trace, 1, 2, text), 0);
    EXPECT_EQ(rdl__trace_point(trace, text, 1, 2, text, text), 0);
    rdl__trace_until(trace, 0, text);
    rdl__trace_state(trace, 0, text, text);
    munmap(trace, sizeof *trace);
}

TEST(a_note_is_not_formatted_while_no_report_is_made)
{
    struct rdl__trace *trace = off_trace();
    struct rdl_case t = {.trace = trace};
    struct rdl_case *before = rdl__current;

    rdl__current = &t;
    rdl_note("%s", forbidden());
    rdl__current = before;
    munmap(trace, sizeof *trace);
}

/* ---- Histories ---------------------------------------------------------------------------- */

/* Configurations that are looked at where one call is made at a time, so many times two. */
static uint64_t looked_at(int rounds)
{
    static const int initial[64];
    struct rdl__viable *v = rdl__viable_new(rdl_spec_counter, initial, RDL__WITH_LIVENESS);
    const struct rdl_operation *up = rdl__operation(rdl_spec_counter, 0);
    const struct rdl_operation *down = rdl__operation(rdl_spec_counter, 1);
    uint64_t looked;

    for (int i = 0; i < rounds; i++) {
        struct rdl_call one = {.operation = up, .number = (uint32_t)(2 * i + 1)};
        struct rdl_call two = {.operation = down, .number = (uint32_t)(2 * i + 2)};

        rdl__viable_begin(v, &one);
        rdl__viable_return(v, one.number, NULL);
        rdl__viable_begin(v, &two);
        rdl__viable_return(v, two.number, &(int){1});
    }
    EXPECT_EQ(rdl__viable_end(v), RDL__EXPLAINED);
    looked = rdl__viable_looked(v);
    rdl__viable_free(v);
    return looked;
}

TEST(a_history_of_one_call_at_a_time_costs_as_much_as_it_is_long)
{
    uint64_t thousand = looked_at(1000);

    EXPECT(thousand <= 4 * 1000 + 4);
    EXPECT_EQ(looked_at(2000) - thousand, looked_at(3000) - looked_at(2000));
}

/* ---- Switches ------------------------------------------------------------------------------ */

static int yields;

static void *yielder(void *unused)
{
    for (int i = 0; i < yields; i++)
        sched_yield();
    return unused;
}

static void two_yield(void)
{
    together(2, yielder, yielder);
}

static uint32_t pick_the_other(void *state, struct rdl__view *view)
{
    (void)state;
    return rdl__enabled_from(view, (view->running + 1) % view->threads);
}

static const struct rdl__strategy in_turns = {.name = "in turns", .pick = pick_the_other};

/* In a process that is traced, after it has made one execution like this. */
_Noreturn static void yield_in_turns(int times)
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 16, &error);
    struct rdl__summary *summary = rdl__allocate(sizeof *summary);
    struct rdl_case t;

    rdl__case_init(&t, board, NULL);
    board->tape.limit = 1 << 16;
    for (int i = 0; i < 2; i++) {
        yields = i ? times : 1;
        memset(summary, 0, offsetof(struct rdl__summary, log));
        if (i && ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
            raise(SIGSTOP);
        run_one(&t, &in_turns, NULL, summary, two_yield);
    }
    _exit(summary->switches >= 2 * (uint32_t)times ? 0 : 1);
}

/* System calls of an execution in which each of two threads yields so many times to the other. */
static int system_calls_of(int times)
{
    int status, stops = 0;
    pid_t child;

    begin_exploration(false, 2, 0);
    child = fork();
    if (child == 0)
        yield_in_turns(times);
    EXPECT(waitpid(child, &status, 0) == child);
    while (WIFSTOPPED(status)) {
        int signal = WSTOPSIG(status);

        stops += signal == SIGTRAP;
        ptrace(PTRACE_SYSCALL, child, 0, signal == SIGTRAP || signal == SIGSTOP ? 0 : signal);
        EXPECT(waitpid(child, &status, 0) == child);
    }
    EXPECT_EQ(status, 0);
    return stops;
}

/* Where a program may set the register that thread-local variables hang on. */
TEST(a_switch_of_threads_makes_no_system_call)
{
    enum { HWCAP2_FSGSBASE = 2 };
    int few;

    if (!(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE))
        return;
    few = system_calls_of(10);
    EXPECT(few > 0);
    EXPECT_EQ(system_calls_of(1000), few);
}

/* ---- Accesses ------------------------------------------------------------------------------ */

/* The running thread, and so on until something changes. */
static uint32_t pick_the_same(void *state, struct rdl__view *view)
{
    (void)state;
    if (!rdl__is_enabled(view, view->running))
        return rdl__enabled_from(view, 0);
    view->quiet = UINT64_MAX;
    return view->running;
}

static const struct rdl__strategy stays = {.name = "stays", .pick = pick_the_same};
static uint64_t credit;

static void do_one_operation(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;

    yields = 1;
    pthread_create(&thread, NULL, yielder, NULL);
    pthread_mutex_lock(&mutex);
    credit = rdl__sched.credit;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}

/* A strategy that would let the thread go on is not asked at each access: nothing is called but
 * what the compiler put there. */
TEST(accesses_of_a_thread_that_goes_on_are_counted_and_no_more)
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 16, &error);
    struct rdl__summary *summary = rdl__allocate(sizeof *summary);
    bool was_instrumented = rdl__instrumented;
    struct rdl_case t;

    rdl__case_init(&t, board, NULL);
    board->tape.limit = 1 << 16;
    rdl__instrumented = true;
    begin_exploration(false, 2, 0);
    run_one(&t, &stays, NULL, summary, do_one_operation);
    rdl__instrumented = was_instrumented;
    EXPECT_EQ(t.outcome->verdict, RDL__PASSED);
    EXPECT(credit > 1000);
    free(summary);
}
