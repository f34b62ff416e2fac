/* test_memory.c -- wrong uses of the heap: what is reported, and what is not.
 *
 * Random programs of a few threads use blocks, now and then wrongly, under a lock.  A map of the
 * blocks that is nothing but a list says what has to be reported, to the word; and that all else is
 * not. */
#include "instrumented/memory.h"

#include <malloc.h>
#include <sys/syscall.h>

#include "control/sched/memory.h"
#include "explore.h"
#include "port/heap.h"
#include "port/kernel.h"

__attribute__((constructor)) static void have_a_heap(void)
{
    rdl__heap_begin();
}

static int pipe_end;

static void have_input(void)
{
    int ends[2];

    if (memory_stream)
        return;
    memory_stream = tmpfile();
    EXPECT(memory_stream && fputs("sixteen letters.", memory_stream) >= 0);
    EXPECT_EQ(fflush(memory_stream), 0);
    EXPECT_EQ(pipe(ends), 0);
    memory_pipe = ends[0];
    pipe_end = ends[1];
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void expect_error(void (*body)(void), const char *headline, const char *story)
{
    EXPECT_CONTAINS(outcomes_of(body), "memory");
    EXPECT_CONTAINS(exploration->failure, headline);
    EXPECT_CONTAINS(exploration->details, story);
}

TEST(a_lock_does_not_excuse_the_use_of_freed_memory)
{
    EXPECT_STR(outcomes_of(memory_ordered), "done | memory");
    EXPECT_CONTAINS(exploration->failure, "use after free: thread 1 reads 1 byte at ");
    EXPECT_CONTAINS(exploration->failure, " of a block of 24 bytes");
    EXPECT_CONTAINS(exploration->details, "main allocated it at ");
    EXPECT_CONTAINS(exploration->details, ", main freed it at ");
}

TEST(memory_that_was_freed_is_not_raced_for)
{
    EXPECT_STR(outcomes_of(memory_racing), "memory | race");
}

TEST(a_block_is_freed_once)
{
    EXPECT_STR(outcomes_of(memory_freed_by_both), "memory");
    EXPECT_CONTAINS(exploration->failure, "double free: thread ");
    EXPECT_CONTAINS(exploration->failure, " a block of 24 bytes");
    EXPECT_CONTAINS(exploration->details, "main allocated it at ");
    EXPECT_CONTAINS(exploration->details, " freed it at ");
}

TEST(only_blocks_are_freed)
{
    expect_error(memory_in_the_middle, "invalid free: main frees at ", "main allocated it at ");
    EXPECT_CONTAINS(exploration->failure,
                    " what is 16 bytes behind the start of a block of 40 bytes");
    EXPECT_LACKS(exploration->details, "freed it");
    expect_error(memory_on_a_stack, " a variable on a stack", "");
    expect_error(memory_static, " a static variable", "");
}

TEST(a_block_that_is_resized_is_another_one)
{
    expect_error(memory_resized, " of a block of 100 bytes", ", main freed it at ");
}

TEST(freed_blocks_are_not_given_again_at_once)
{
    expect_error(memory_reused, "use after free: main reads 8 bytes at ", "freed it");
}

TEST(a_block_is_as_large_as_it_was_asked_for)
{
    expect_error(memory_usable, " of a block of 8388608 bytes", "freed it");
}

TEST(blocks_of_the_c_library_s_calls_are_fine)
{
    have_input();
    EXPECT_STR(outcomes_of(memory_of_calls), "done");
    EXPECT_STR(outcomes_of(memory_in_a_child), "done");
    expect_error(memory_of_strdup, ", 1 byte after the end of a block of 6 bytes", "allocated it");
}

TEST(what_may_be_filled_need_not_be)
{
    have_input();
    EXPECT_STR(outcomes_of(memory_bounds), "done");
}

TEST(blocks_in_use_are_counted)
{
    size_t bytes = mallinfo2().uordblks, large = mallinfo2().hblks;
    void *small = rdl__heap_get(1000, 16, false, 0), *block = rdl__heap_get(1 << 20, 16, false, 0);

    EXPECT_EQ(mallinfo2().uordblks, bytes + 1000);
    EXPECT_EQ(mallinfo2().hblks, large + 1);
    rdl__heap_put(block, 0);
    rdl__heap_put(small, 0);
    EXPECT_EQ(mallinfo2().uordblks, bytes);
    EXPECT_EQ(mallinfo2().hblks, large);
}

TEST(errors_are_none_if_nobody_wants_them)
{
    rdl__memory_fails = false;
    EXPECT_STR(outcomes_of(memory_ordered), "done");
    rdl__memory_fails = true;
}

TEST(the_first_byte_that_may_not_be_accessed_is_found)
{
    for (size_t size = 0; size < 40; size++) {
        char *block = rdl__heap_get(size, 16, false, 0);

        for (int from = -9; from < (int)size + 9; from++)
            for (int length = 1; length < 20; length++) {
                uintptr_t at = (uintptr_t)block + (uintptr_t)from;
                uintptr_t wanted = from < 0                          ? at
                                   : (size_t)(from + length) <= size ? 0
                                   : (size_t)from < size             ? (uintptr_t)block + size
                                                                     : at;

                EXPECT_EQ(rdl__shadow_find(at, (uintptr_t)length), wanted);
                if (length <= 16)
                    EXPECT(!rdl__shadow_is_clear(at, (uintptr_t)length) || wanted == 0);
            }
        rdl__heap_put(block, 0);
        if (size)
            EXPECT_EQ(rdl__shadow_find((uintptr_t)block, 1), (uintptr_t)block);
    }
}

TEST(the_heap_is_put_back_with_its_shadow)
{
    char *kept = rdl__heap_get(50, 16, false, 0), *freed = rdl__heap_get(70, 16, false, 0);
    char *start, *end, *later, *copy;

    rdl__heap_put(freed, 0);
    rdl__heap_save(&start, &end);
    copy = rdl__allocate((size_t)(end - start));
    memcpy(copy, start, (size_t)(end - start));
    for (int round = 0; round < 3; round++) {
        later = rdl__heap_get(200, 16, false, 0);
        EXPECT_EQ(rdl__shadow_find((uintptr_t)later, 200), 0);
        rdl__heap_put(kept, 0);
        EXPECT(rdl__shadow_find((uintptr_t)kept, 1) != 0);
        for (int i = 0; i < 40000; i++)
            rdl__heap_put(rdl__heap_get(300, 16, false, 0), 0);
        rdl__heap_restore();
        memcpy(start, copy, (size_t)(end - start));
        EXPECT_EQ(rdl__shadow_find((uintptr_t)kept, 50), 0);
        EXPECT_EQ(rdl__shadow_find((uintptr_t)kept, 51), (uintptr_t)kept + 50);
        EXPECT_EQ(rdl__shadow_find((uintptr_t)freed, 1), (uintptr_t)freed);
        EXPECT_EQ(rdl__shadow_find((uintptr_t)later, 1), (uintptr_t)later);
    }
    free(copy);
}

/* ---- The map --------------------------------------------------------------------------------- */

enum { BLOCKS = 24, STEPS = 12, TEXT = 16 };

struct block {
    char *start;
    size_t size;
    bool is_freed;
    int allocated_by, freed_by;
};

static struct {
    struct rdl__random random;
    struct block blocks[BLOCKS];
    int count;
    char expected[600]; /* "": nothing */
    bool missed;
    int steps[DOINGS], errors[DOINGS];
} map;

static uint64_t upto(uint64_t most)
{
    return rdl__random_upto(&map.random, most);
}

static const char *name(int thread)
{
    static const char *const names[] = {"main", "thread 1", "thread 2"};

    return names[thread];
}

static bool may_be_accessed(const char *byte)
{
    for (int i = 0; i < map.count; i++)
        if (byte >= map.blocks[i].start && byte < map.blocks[i].start + map.blocks[i].size)
            return !map.blocks[i].is_freed;
    return false;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
    size_t used = strlen(map.expected);
    va_list args;

    va_start(args, format);
    vsnprintf(map.expected + used, sizeof map.expected - used, format, args);
    va_end(args);
}

static void expect_story(const struct block *block)
{
    add("\n%s allocated it at @", name(block->allocated_by));
    if (block->is_freed)
        add(", %s freed it at @", name(block->freed_by));
    add("\n");
}

static void expect_position(const struct block *block, const char *at, size_t size)
{
    ptrdiff_t from = at - block->start, over = from + (ptrdiff_t)(size - block->size);
    ptrdiff_t behind = from - (ptrdiff_t)block->size + 1;

    if (behind > 0)
        add(", %td byte%s after the end of", behind, plural((size_t)behind));
    else if (from >= 0 && over == 1)
        add(", the last of them after the end of");
    else if (from >= 0)
        add(", the last %td of them after the end of", over);
    else if (from + (ptrdiff_t)size <= 0)
        add(", %td byte%s before", -from, plural((size_t)-from));
    else if (from == -1)
        add(", the first of them before");
    else
        add(", the first %td of them before", -from);
}

/* An access of memory that is in or next to this block. */
static void expect_access(int thread, const struct block *block, const char *at, size_t size,
                          const char *verb, const char *manner)
{
    const char *bad = at;
    bool is_freed;

    while (bad < at + size && may_be_accessed(bad))
        bad++;
    if (bad == at + size || map.expected[0])
        return;
    is_freed = block->is_freed && bad >= block->start && bad < block->start + block->size;
    add("%s: %s %s %zu byte%s%s at @",
        is_freed                            ? "use after free"
        : bad >= block->start + block->size ? "heap overflow"
                                            : "heap underflow",
        name(thread), verb, size, plural(size), manner);
    if (is_freed)
        add(" of");
    else
        expect_position(block, at, size);
    add(" a %sblock of %zu byte%s", block->is_freed && !is_freed ? "freed " : "", block->size,
        plural(block->size));
    expect_story(block);
}

static void expect_free(int thread, const struct block *block, const char *at)
{
    bool is_twice = at == block->start && block->is_freed;
    ptrdiff_t from = at - block->start;

    if (from == 0 && !is_twice)
        return;
    add("%s: %s frees at @ ", is_twice ? "double free" : "invalid free", name(thread));
    if (from > 0)
        add("what is %td byte%s behind the start of ", from, plural((size_t)from));
    if (from < 0)
        add("what is %td byte%s before ", -from, plural((size_t)-from));
    add("a %sblock of %zu byte%s", block->is_freed && !is_twice ? "freed " : "", block->size,
        plural(block->size));
    expect_story(block);
}

/* The memory of an earlier block may be that of this one. */
static void note_block(int thread, char *start, size_t size)
{
    int kept = 0;

    for (int i = 0; i < map.count; i++)
        if (map.blocks[i].start + map.blocks[i].size + 32 <= start ||
            start + size + 32 <= map.blocks[i].start)
            map.blocks[kept++] = map.blocks[i];
    map.count = kept;
    map.blocks[map.count++] = (struct block){.start = start, .size = size, .allocated_by = thread};
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Somewhere in the block; or now and then, partly outside of it. */
static char *place(const struct block *block, size_t size, bool is_wrong, bool may_be_before)
{
    size_t last = block->size >= size ? block->size - size : 0;

    if (!is_wrong)
        return block->start + upto(last);
    if (may_be_before && upto(1) == 0)
        return block->start - 1 - upto(7);
    return block->start + last + 1 + upto(6);
}

static void fill(const struct block *block, bool is_wrong)
{
    if (block->is_freed || block->size == 0)
        return;
    memset(block->start, 'x', block->size);
    if (!is_wrong)
        block->start[upto(block->size - 1)] = '\0';
}

static void expect_step(int thread, const struct step *step, const struct block *block,
                        const struct block *other)
{
    size_t size = step->size, length;

    switch (step->doing) {
    case FREE:
    case RESIZE:
        expect_free(thread, block, step->at);
        break;
    case READ:
        expect_access(thread, block, step->at, size, "reads", "");
        break;
    case WRITE:
    case SET:
        expect_access(thread, block, step->at, size, "writes", "");
        break;
    case COPY:
    case MOVE:
        expect_access(thread, other, step->other, size, "reads", "");
        expect_access(thread, block, step->at, size, "writes", "");
        break;
    case COMPARE:
        expect_access(thread, block, step->at, size, "reads", "");
        expect_access(thread, other, step->other, size, "reads", "");
        break;
    case COPY_TEXT:
        length = strlen(step->other) + 1;
        expect_access(thread, other, step->other, length, "reads", "");
        expect_access(thread, block, step->at, length, "writes", "");
        break;
    case MEASURE:
        expect_access(thread, block, step->at, strlen(step->at) + 1, "reads", "");
        break;
    case PRINT:
        expect_access(thread, block, step->at, size + 1, "writes", "");
        break;
    case RECEIVE:
        expect_access(thread, block, step->at, size, "writes", "");
        break;
    case READ_BLOCK:
        expect_access(thread, block, step->at, size < TEXT ? size : TEXT, "writes", "");
        break;
    case EXCHANGE:
        expect_access(thread, block, step->at, 4, "writes", " atomically");
        break;
    default:
        break;
    }
}

static size_t draw_size(const struct block *block, enum doing doing)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16};
    size_t most = block->size < 40 ? block->size : 40;

    if (doing == READ || doing == WRITE)
        return sizes[upto(4)];
    return most ? 1 + upto(most - 1) : 1;
}

static struct block *any_block(bool may_be_freed)
{
    struct block *block = &map.blocks[upto((uint64_t)map.count - 1)];

    for (int i = 0; i < 50 && block->is_freed && !may_be_freed; i++)
        block = &map.blocks[upto((uint64_t)map.count - 1)];
    return block;
}

/* The system itself writes there, and then only a little may be wrong. */
static bool is_written_at_once(enum doing doing)
{
    return doing == RECEIVE || doing == READ_BLOCK;
}

/* Texts that fit, or do not by a little. */
static bool is_sensible(const struct step *step, const struct block *block)
{
    ptrdiff_t room = block->start + block->size - step->at;
    ptrdiff_t length = step->doing == COPY_TEXT ? (ptrdiff_t)strlen(step->other) + 1
                       : step->doing == PRINT   ? (ptrdiff_t)step->size + 1
                                                : (ptrdiff_t)step->size;

    if (step->doing == MEASURE && (step->at < block->start || room <= 0))
        return false;
    if (step->doing == READ_BLOCK && length > TEXT)
        length = TEXT;
    if (step->doing == EXCHANGE && (uintptr_t)step->at % 4 != 0)
        return false;
    return length <= room + 8;
}

static bool is_allocation(enum doing doing)
{
    return doing == ALLOCATE || doing == ALLOCATE_ZEROED || doing == ALLOCATE_ALIGNED;
}

static struct step draw_step(bool is_wrong, struct block **out_block, struct block **out_other)
{
    bool uses_freed = is_wrong && upto(1);
    struct step step = {.doing = map.count ? (enum doing)upto(DOINGS - 1) : ALLOCATE};

    if (map.count == BLOCKS && (is_allocation(step.doing) || step.doing == RESIZE))
        step.doing = READ;
    step.size = upto(3) ? upto(60) : upto(300);
    *out_block = *out_other = NULL;
    if (is_allocation(step.doing))
        return step;
    *out_block = any_block(uses_freed);
    *out_other = any_block(uses_freed);
    if (step.doing == FREE || step.doing == RESIZE) {
        step.at = (*out_block)->start;
        step.size++;
        if (is_wrong && !uses_freed)
            step.at += (ptrdiff_t)upto((*out_block)->size + 20) - 8;
        return step;
    }
    step.size = draw_size(*out_block, step.doing);
    is_wrong &= !uses_freed;
    step.at = place(*out_block, step.size, is_wrong, !is_written_at_once(step.doing));
    if (step.doing == EXCHANGE)
        step.at = (char *)((uintptr_t)step.at & ~(uintptr_t)3);
    step.other = place(*out_other, step.size, is_wrong, true);
    if (step.doing == COPY_TEXT && *out_other == *out_block)
        step.doing = MEASURE;
    if (step.doing == MEASURE)
        fill(*out_block, is_wrong);
    if (step.doing == COPY_TEXT) {
        fill(*out_other, is_wrong);
        step.other = (*out_other)->start;
    }
    return step;
}

static void give_input(const struct step *step)
{
    static const char bytes[64];

    if (step->doing == RECEIVE)
        rdl__kernel(SYS_write, pipe_end, (long)bytes, (long)step->size, 0, 0, 0);
    if (step->doing == READ_BLOCK)
        rewind(memory_stream);
}

static void take_step(int thread)
{
    bool is_wrong = upto(20) == 0;
    struct block *block, *other;
    struct step step = draw_step(is_wrong, &block, &other);
    char *got;

    if (block && step.doing != FREE && step.doing != RESIZE && !is_sensible(&step, block))
        return;
    if (block)
        expect_step(thread, &step, block, other);
    if (map.expected[0] && !is_wrong) { /* there was no block that would do */
        map.expected[0] = '\0';
        return;
    }
    map.steps[step.doing]++;
    map.errors[step.doing] += map.expected[0] != '\0';
    give_input(&step);
    if (!map.expected[0] && (step.doing == FREE || step.doing == RESIZE)) {
        block->is_freed = true;
        block->freed_by = thread;
    }
    got = memory_do(&step);
    map.missed |= map.expected[0] != '\0';
    if (got)
        note_block(thread, got, step.size);
}

static pthread_mutex_t steps = PTHREAD_MUTEX_INITIALIZER;

static void *take_steps(void *argument)
{
    for (int i = 0; i < STEPS; i++) {
        pthread_mutex_lock(&steps);
        if (!map.missed)
            take_step((int)(intptr_t)argument);
        pthread_mutex_unlock(&steps);
    }
    return NULL;
}

static void random_program(void)
{
    pthread_t threads[2];

    pthread_mutex_init(&steps, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take_steps, (void *)(intptr_t)(i + 1));
    take_steps(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* Places in the code, as they stand in outcomes, become "@". */
static void without_places(char *text)
{
    char *to = text;

    for (; *text; text++)
        if (*text == RDL__AT[0] || *text == RDL__AT_STACK[0]) {
            *to++ = '@';
            text = strchr(text, RDL__AT_END[0]);
        } else {
            *to++ = *text;
        }
    *to = '\0';
}

/* 2 if an error was reported, as it had to be; 0 if none was; 1: something else happened. */
static int compare_outcome(const struct rdl__outcome *outcome, uint64_t seed)
{
    static char seen[sizeof outcome->check + sizeof outcome->text + 1];

    seen[0] = '\0';
    if (outcome->verdict == RDL__FAILED)
        snprintf(seen, sizeof seen, "%s\n%s", outcome->check, outcome->text);
    without_places(seen);
    if (strcmp(seen, map.expected) == 0)
        return seen[0] ? 2 : 0;
    fprintf(stderr, "program %ju\nexpected: %s\n    seen: %s\n", (uintmax_t)seed, map.expected,
            seen);
    return 1;
}

/* In a process of its own: programs that fail leave their threads behind. */
static void run_programs(uint64_t first, int count, int *errors)
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 16, &error);
    struct rdl__summary *summary = rdl__allocate(sizeof *summary);
    struct rdl_case t;

    alarm(20);
    rdl__case_init(&t, board, NULL);
    board->tape.limit = 1 << 16;
    for (int i = 0; i < count; i++) {
        int seen;

        memset(&map, 0, offsetof(typeof(map), steps));
        rdl__random_seed(&map.random, first + (uint64_t)i);
        rdl__random_seed(&rdl__sched.view.random, first + (uint64_t)i);
        memset(summary, 0, offsetof(struct rdl__summary, log));
        run_one(&t, &depth_first, NULL, summary, random_program);
        seen = compare_outcome(t.outcome, first + (uint64_t)i);
        if (seen == 1)
            _exit(1);
        *errors += seen == 2;
    }
    for (int i = 0; i < DOINGS; i++) {
        errors[1 + i] += map.steps[i];
        errors[1 + DOINGS + i] += map.errors[i];
    }
    _exit(0);
}

TEST(what_is_wrong_is_reported_and_nothing_else_is)
{
    enum { AT_ONCE = 25 };
    int programs = soak() ? 2000000 : 5000;
    int *errors = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    have_input();
    begin_exploration(true, 1, 0);
    for (int i = 0; i < programs; i += AT_ONCE) {
        pid_t child = fork();
        const char *how;

        if (child == 0)
            run_programs(test_seed() * 1000000007 + (uint64_t)i, AT_ONCE, errors);
        how = await_child(child);
        if (how)
            test_fail(__FILE__, __LINE__, "programs %d to %d: %s", i, i + AT_ONCE - 1, how);
    }
    printf("%d of %d programs have an error\n", errors[0], programs);
    EXPECT(errors[0] > programs / 5);
    EXPECT(errors[0] < programs / 5 * 4);
    for (int i = 0; i < DOINGS; i++) {
        EXPECT(errors[1 + i] > 0);
        if (!is_allocation((enum doing)i))
            EXPECT(errors[1 + DOINGS + i] > 0 && errors[1 + DOINGS + i] < errors[1 + i] / 2);
    }
}
