/* mock.c -- tests that mock functions.  Those called wrong_... fail, and those called misuse_...
 * end in error. */
#include <errno.h>
#include <pthread.h>
#include <raddle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store.h"

/* ---- Answers -------- */

RDL_PROPERTY(a_stub_is_mocked)
{
    struct rdl_mock *erase = rdl_mock(t, flash_erase);
    struct rdl_mock *write = rdl_mock(t, flash_write, rdl_returns(0), rdl_sets("written", 7));

    rdl_copies(write, "data", "length");
    rdl_check_eq(store_save("abc"), 7);
    rdl_check_eq(rdl_mock_calls(erase), 1);
    rdl_check_eq(rdl_mock_calls(write), 1);
    rdl_check_eq(rdl_mock_arg(write, 0, "block", int), 3);
    rdl_check_eq(rdl_mock_arg(write, 0, "length", size_t), 3);
    rdl_check_eq(rdl_mock_arg(write, 0, "", int), 0);
    rdl_check_mem(rdl_mock_copy(write, 0, "data", NULL), "abc", 3);
}

RDL_PROPERTY(a_function_is_mocked_by_its_name)
{
    rdl_mock(t, "device_status", rdl_returns(-5));
    rdl_check_eq(store_poll(1), -5);
    rdl_check_eq(device_status(1), -5);
}

RDL_PROPERTY(mocks_are_gone_with_their_case)
{
    rdl_check_eq(store_poll(1), 2);
    rdl_mock(t, device_status, rdl_returns(17));
    rdl_check_eq(store_poll(1), 17);
}

RDL_PROPERTY(a_static_function_of_the_same_file_is_mocked)
{
    rdl_check_eq(store_checked(0), 200);
    rdl_mock(t, "store.c:check", rdl_returns(true));
    rdl_check_eq(store_checked(0), 100);
}

RDL_PROPERTY(all_kinds_of_results)
{
    struct point moved;
    struct box box;

    rdl_mock(t, device_scale, rdl_returns(1.5));
    rdl_mock(t, device_move, rdl_returns(((struct point){7, 8})));
    rdl_mock(t, device_box, rdl_returns(((struct box){1.25, 2.5, 3})));
    rdl_mock(t, device_color, rdl_returns(GREEN));
    rdl_mock(t, device_name, rdl_returns("mocked"));
    rdl_mock(t, device_sum, rdl_returns(1L << 40));
    rdl_mock(t, device_reset);
    rdl_check(device_scale(2, 3) == 1.5);
    moved = device_move((struct point){1, 2}, 3);
    rdl_check_eq(moved.x, 7);
    rdl_check_eq(moved.y, 8);
    box = device_box((struct box){0}, 1);
    rdl_check(box.width == 1.25 && box.height == 2.5 && box.id == 3);
    rdl_check_eq((int)device_color(BLUE, false), (int)GREEN);
    rdl_check_str(device_name(4), "mocked");
    rdl_check_eq(device_sum(1, 2, 3, 4, 5, 6, 7, 8), 1L << 40);
    device_reset();
}

RDL_PROPERTY(numbers_are_converted)
{
    rdl_mock(t, device_scale, rdl_returns(2));
    rdl_check(device_scale(1, 1) == 2.0);
    rdl_mock(t, device_status, rdl_returns(3.0));
    rdl_check_eq(device_status(0), 3);
    rdl_mock(t, device_name, rdl_returns(0));
    rdl_check(!device_name(1));
}

RDL_PROPERTY(all_kinds_of_arguments_are_kept)
{
    struct rdl_mock *scale = rdl_spy(t, device_scale), *move = rdl_spy(t, device_move),
                    *box = rdl_spy(t, device_box), *sum = rdl_spy(t, device_sum),
                    *color = rdl_spy(t, device_color);
    struct point moved = device_move((struct point){1, 2}, 3);
    struct box larger = device_box((struct box){1, 2, 3}, 2);

    rdl_check(device_scale(3, 0.5F) == 1.5);
    rdl_check(rdl_mock_arg(scale, 0, "value", double) == 3.0);
    rdl_check(rdl_mock_arg(scale, 0, "factor", float) == 0.5F);
    rdl_check(rdl_mock_arg(scale, 0, "", double) == 1.5);
    rdl_check_eq(moved.x, 4);
    rdl_check_eq(rdl_mock_arg(move, 0, "from", struct point).y, 2);
    rdl_check_eq(rdl_mock_arg(move, 0, "", struct point).y, 5);
    rdl_check(larger.height == 4 && larger.id == 4);
    rdl_check(rdl_mock_arg(box, 0, "box", struct box).height == 2);
    rdl_check(rdl_mock_arg(box, 0, "", struct box).height == 4);
    rdl_check_eq(device_sum(1, 2, 3, 4, 5, 6, 7, 8), 36);
    rdl_check_eq(rdl_mock_arg(sum, 0, "g", int), 7);
    rdl_check_eq(rdl_mock_arg(sum, 0, "h", long), 8);
    rdl_check_eq((int)device_color(RED, true), (int)BLUE);
    rdl_check_eq(rdl_mock_arg(color, 0, "bright", bool), true);
}

/* ---- Which calls -------- */

static bool is_even(int number)
{
    return number % 2 == 0;
}

RDL_PROPERTY(the_last_mock_that_fits_answers)
{
    rdl_mock(t, device_status, rdl_returns(-1));
    rdl_mock(t, device_status, rdl_arg(4), rdl_returns(-4));
    rdl_mock(t, device_status, rdl_arg(5), rdl_at_call(2), rdl_returns(-5));
    rdl_mock(t, device_status, rdl_where("unit", 6), rdl_runs);
    rdl_check_eq(store_poll(1), -1);
    rdl_check_eq(store_poll(4), -4);
    rdl_check_eq(store_poll(5), -1);
    rdl_check_eq(store_poll(5), -5);
    rdl_check_eq(store_poll(5), -1);
    rdl_check_eq(store_poll(6), 7);
}

RDL_PROPERTY(functions_say_which_calls)
{
    rdl_mock(t, device_status, rdl_returns(1));
    rdl_mock(t, device_status, rdl_that(is_even), rdl_returns(2));
    rdl_check_eq(store_poll(7), 1);
    rdl_check_eq(store_poll(8), 2);
}

RDL_PROPERTY(texts_and_bytes_say_which_calls)
{
    rdl_mock(t, flash_erase);
    rdl_mock(t, flash_write, rdl_returns(1));
    rdl_mock(t, flash_write, RDL_ANYTHING, rdl_str("abc"), rdl_sets("written", 1));
    rdl_mock(t, flash_write, RDL_ANYTHING, rdl_points_to("xy", 2), rdl_sets("written", 2));
    rdl_check_eq(store_save("abc"), 1);
    rdl_check_eq(store_save("xyz"), 2);
    rdl_check_eq(store_save("abcd"), -1);
}

RDL_PROPERTY(wrong_argument, .cases = 5)
{
    rdl_mock(t, flash_erase);
    rdl_mock(t, flash_write, rdl_arg(4), RDL_ANYTHING, rdl_arg(3));
    store_save("abc");
}

/* ---- Replacements -------- */

static int replaced(unsigned char unit)
{
    return unit < 10 ? 1000 + rdl_real(device_status)(unit) : store_poll(unit - 10);
}

RDL_PROPERTY(a_function_stands_in)
{
    struct rdl_mock *status = rdl_replace(t, device_status, replaced);

    rdl_check_eq(store_poll(3), 1004);
    rdl_check_eq(store_poll(13), 1004);
    rdl_check_eq(rdl_mock_calls(status), 3);
    rdl_check_eq(rdl_mock_arg(status, 1, "", int), 1004);
}

static int checked;

static int note_check(int unit)
{
    checked = unit;
    return true;
}

RDL_PROPERTY(a_function_stands_in_for_a_static_one)
{
    rdl_replace(t, "store.c:check", note_check);
    rdl_check_eq(store_checked(0), 100);
    rdl_check_eq(store_checked(7), 100);
    rdl_check_eq(checked, 7);
}

/* ---- Copies -------- */

RDL_PROPERTY(lengths_are_expressions)
{
    struct ring ring = {.item_size = 4, .items = &ring};
    struct rdl_mock *push = rdl_mock(t, ring_push);
    size_t size;

    rdl_copies(push, "item", "ring->item_size");
    rdl_copies(push, "ring");
    ring_push(&ring, "12345678");
    ring.item_size = 2;
    ring_push(&ring, "abcd");
    rdl_check_mem(rdl_mock_copy(push, 0, "item", &size), "1234", 4);
    rdl_check_eq(size, 4);
    rdl_check_mem(rdl_mock_copy(push, 1, "item", &size), "ab", 2);
    rdl_check_eq(size, 2);
    rdl_check_eq(((const struct ring *)rdl_mock_copy(push, 0, "ring", NULL))->item_size, 4);
}

/* ---- The C library -------- */

RDL_PROPERTY(malloc_fails)
{
    rdl_mock(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM));
    rdl_check(!store_copy("abc"));
    rdl_check_eq(errno, ENOMEM);
    rdl_note("%200d", 3);
    rdl_check_eq(rdl_int(t, 3, 3), 3);
}

RDL_PROPERTY(strings_are_not_copied_where_malloc_fails)
{
    char *volatile copy; /* or the compiler would need no memory */

    rdl_mock(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM));
    copy = strdup("abc");
    rdl_check(!copy);
    rdl_check_eq(errno, ENOMEM);
}

/* What the C library allocates for us is not meant, and what it does for the test is, wherever
 * malloc is. */
RDL_PROPERTY(files_are_not_opened_where_malloc_fails)
{
    struct rdl_mock *mock = rdl_mock(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM));
    FILE *volatile file = fopen("/dev/null", "r");

    rdl_check(!file);
    rdl_check_eq(rdl_mock_calls(mock), 1);
}

RDL_PROPERTY(malloc_fails_by_name)
{
    rdl_mock(t, "malloc", rdl_returns(0));
    rdl_check(!store_copy("abc"));
}

RDL_PROPERTY(reads_are_mocked)
{
    char bytes[4] = "";

    rdl_mock(t, read, rdl_returns(3), rdl_sets_bytes("2", "xyz", 3));
    rdl_check_eq(read(77, bytes, 4), 3);
    rdl_check_str(bytes, "xyz");
}

RDL_PROPERTY(locks_are_mocked)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    rdl_mock(t, pthread_mutex_lock, rdl_returns(EINVAL));
    rdl_check_eq(pthread_mutex_lock(&mutex), EINVAL);
}

RDL_PROPERTY(copies_are_harmless)
{
    rdl_spy(t, write);
    rdl_spy(t, free);
    rdl_spy(t, realloc);
    free(store_copy("abc"));
    rdl_check_eq(write(-1, "", 0), -1);
    rdl_check_eq(errno, EBADF);
}

/* ---- Faults -------- */

RDL_PROPERTY(wrong_second_allocation, .cases = 1000)
{
    rdl_inject(t, malloc, rdl_returns(NULL), rdl_percent(20));
    for (int i = 0; i < 4; i++) {
        char *copy = store_copy("abc");

        rdl_check(copy || i != 1);
        free(copy);
    }
}

RDL_PROPERTY(the_third_call_fails)
{
    rdl_inject(t, device_status, rdl_returns(-1), rdl_at_call(3));
    rdl_check_eq(store_poll(1), 2);
    rdl_check_eq(store_poll(1), 2);
    rdl_check_eq(store_poll(1), -1);
    rdl_check_eq(store_poll(1), 2);
}

static bool is_bad;
static bool is_bad_now(void)
{
    return is_bad;
}

RDL_PROPERTY(calls_fail_under_a_condition)
{
    rdl_inject(t, device_status, rdl_returns(-1), rdl_when(is_bad_now));
    is_bad = false;
    rdl_check_eq(store_poll(1), 2);
    is_bad = true;
    rdl_check_eq(store_poll(1), -1);
}

/* ---- Expected calls -------- */

RDL_SLOT(int, the_block);

RDL_PROPERTY(calls_as_expected)
{
    rdl_expect_calls(t, rdl_plus(rdl_call_to(flash_erase, rdl_keeps(the_block)),
                                 rdl_call_to(flash_write, rdl_same_as(the_block), rdl_str("abc"),
                                             rdl_returns(1), rdl_sets("written", 3))));
    rdl_check_eq(store_save_twice("abc"), -1);
    rdl_calls_done(t);
    rdl_mock(t, flash_erase, rdl_returns(1));
    rdl_expect_calls(t, rdl_call_to("flash_erase", rdl_arg(3)));
    rdl_check_eq(store_save("abc"), -2);
}

RDL_PROPERTY(wrong_missing_call, .cases = 5)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_erase, rdl_returns(1)),
                                     rdl_call_to(flash_write, rdl_arg(3), rdl_str("abc"))));
    store_save("abc");
    rdl_calls_done(t);
}

RDL_PROPERTY(wrong_missing_call_at_the_end, .cases = 5)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_erase), rdl_call_to(flash_erase)));
    flash_erase(4);
}

RDL_PROPERTY(wrong_expected_argument, .cases = 5)
{
    rdl_expect_calls(t, rdl_either(rdl_call_to(flash_write, rdl_arg(3)),
                                   rdl_call_to(flash_erase, rdl_arg(4), rdl_returns(0))));
    store_save("abc");
}

RDL_PROPERTY(wrong_unexpected_call, .cases = 5)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(device_status), rdl_call_to(flash_erase)));
    store_poll(1);
    flash_erase(1);
    flash_erase(2);
}

RDL_PROPERTY(wrong_alternative, .cases = 5)
{
    rdl_mock(t, flash_write);
    rdl_expect_calls(t, rdl_either(rdl_call_to(flash_erase), rdl_call_to(flash_write)));
    store_save("abc");
}

RDL_PROPERTY(wrong_order, .cases = 5)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_write), rdl_call_to(flash_erase)));
    store_save("abc");
}

/* Steps live for ever outside of functions. */
static const struct rdl_step *const any_saving =
    rdl_star(rdl_call_to("flash_erase", rdl_arg(3)), rdl_call_to("flash_write", RDL_ANYTHING));

RDL_PROPERTY(expected_calls_are_no_expression_of_a_function)
{
    rdl_expect_calls(t, any_saving);
    rdl_check_eq(store_save("abc"), 0);
    rdl_check_eq(store_save("def"), 0);
    rdl_calls_done(t);
}

/* Without a name, parameters are numbers. */
RDL_PROTOTYPE(labs, number);

RDL_PROPERTY(a_prototype_gives_names)
{
    struct rdl_mock *mock = rdl_mock(t, "labs", rdl_where("number", 3), rdl_returns(4));
    long (*volatile absolute)(long) = labs;

    rdl_check_eq(absolute(3), 4);
    rdl_check_eq(rdl_mock_arg(mock, 0, "1", long), 3);
}

RDL_PROPERTY(calls_are_mixed, .cases = 50)
{
    rdl_expect_calls(t, rdl_interleaved(rdl_repeat(2, rdl_call_to(flash_erase)),
                                        rdl_repeat(2, rdl_call_to(device_status))));
    for (int erased = 0, polled = 0; erased + polled < 4;)
        if (polled == 2 || (erased < 2 && rdl_bool(t)))
            erased += flash_erase(1) == 0;
        else
            polled += device_status(1) == 0;
    rdl_calls_done(t);
}

/* Which of the two sequences a call is of stays open, which does not matter. */
RDL_PROPERTY(steps_may_be_alike)
{
    rdl_expect_calls(
        t, rdl_interleaved(rdl_sequence(rdl_call_to(flash_erase, rdl_arg(3), rdl_returns(1)),
                                        rdl_call_to(device_status, rdl_arg(3), rdl_returns(2))),
                           rdl_sequence(rdl_call_to(flash_erase, rdl_arg(3), rdl_returns(1)),
                                        rdl_call_to(device_status, rdl_arg(4), rdl_returns(2)))));
    rdl_check_eq(flash_erase(3), 1);
    rdl_check_eq(flash_erase(3), 1);
    rdl_check_eq(device_status(4), 2);
    rdl_check_eq(device_status(3), 2);
    rdl_calls_done(t);
}

RDL_PROPERTY(wrong_steps_that_answer_differently, .cases = 5)
{
    rdl_expect_calls(t, rdl_either(rdl_sequence(rdl_call_to(flash_erase, rdl_returns(1)),
                                                rdl_call_to(device_status)),
                                   rdl_call_to(flash_erase, rdl_returns(2))));
    flash_erase(3);
}

RDL_PROPERTY(wrong_when_it_fails, .cases = 100)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_erase, rdl_returns(0), rdl_or_fails(-1)),
                                     rdl_optional(rdl_call_to(flash_write))));
    rdl_check_eq(store_save("abc"), 0);
}

/* ---- Threads -------- */

enum { THREADS = 4, CALLS = 500 };

static void *poll_often(void *it)
{
    for (int i = 0; i < CALLS; i++)
        rdl_check_eq(store_poll(i % 200), -1);
    return it;
}

RDL_PROPERTY(free_threads_call, .cases = 20)
{
    struct rdl_mock *status = rdl_mock(t, device_status, rdl_returns(-1));
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        rdl_check_eq(pthread_create(&threads[i], NULL, poll_often, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    rdl_check_eq(rdl_mock_calls(status), THREADS * CALLS);
}

static int taken;

static int take_slowly(int block)
{
    int seen = taken;

    rdl_yield();
    taken = seen + 1;
    return block;
}

static void take(void *it)
{
    flash_erase(*(int *)it);
}

RDL_EXPLORE(wrong_lost_update, .cases = 100)
{
    static int blocks[2] = {1, 2};
    struct rdl_thread *threads[2];

    taken = 0;
    rdl_replace(t, flash_erase, take_slowly);
    for (int i = 0; i < 2; i++)
        threads[i] = rdl_spawn(t, i ? "two" : "one", take, &blocks[i]);
    for (int i = 0; i < 2; i++)
        rdl_join(threads[i]);
    rdl_check_eq(taken, 2);
}

RDL_EXPLORE(controlled_threads_call, .cases = 50)
{
    static int blocks[2] = {1, 2};
    struct rdl_mock *erase;
    struct rdl_thread *threads[2];

    erase = rdl_mock(t, flash_erase, rdl_returns(0));
    for (int i = 0; i < 2; i++)
        threads[i] = rdl_spawn(t, "taker", take, &blocks[i]);
    for (int i = 0; i < 2; i++)
        rdl_join(threads[i]);
    rdl_check_eq(rdl_mock_calls(erase), 2);
}

static void poll(void *it)
{
    rdl_check_ge(store_poll(*(int *)it), 0);
}

RDL_EXPLORE(wrong_fault_in_a_thread, .cases = 200)
{
    static int units[2] = {1, 2};
    struct rdl_thread *threads[2];

    rdl_inject(t, device_status, rdl_arg(2), rdl_returns(-1), rdl_percent(30));
    for (int i = 0; i < 2; i++)
        threads[i] = rdl_spawn(t, i ? "two" : "one", poll, &units[i]);
    for (int i = 0; i < 2; i++)
        rdl_join(threads[i]);
}

/* ---- Stories -------- */

RDL_PROPERTY(wrong_story, .cases = 5)
{
    struct ring ring = {.item_size = 4, .items = NULL};
    struct rdl_mock *push = rdl_mock(t, ring_push, rdl_returns(-1));

    rdl_copies(push, "item", "ring->item_size");
    rdl_copies(push, "ring", 1);
    rdl_mock(t, flash_erase);
    rdl_mock(t, flash_write, rdl_sets("written", 5));
    rdl_spy(t, device_move);
    rdl_spy(t, device_color);
    rdl_spy(t, device_name);
    rdl_spy(t, device_scale);
    store_save("a\nb");
    device_move((struct point){1, 2}, 3);
    device_color(GREEN, false);
    device_name(0);
    device_scale(2, 1.5F);
    ring.items = &ring;
    ring_push(&ring, "1234");
    ring_push(&ring, NULL);
    rdl_fail("to be told");
}

/* ---- What is refused -------- */

RDL_PROPERTY(misuse_stub)
{
    (void)t;
    store_save("abc");
}

RDL_PROPERTY(misuse_misspelt)
{
    rdl_mock(t, "flash_wrote");
}

RDL_PROPERTY(misuse_inlined)
{
    rdl_mock(t, "always_inlined");
}

RDL_PROPERTY(a_function_is_mocked_in_part)
{
    rdl_mock(t, store_half, rdl_returns(5), rdl_partly);
    rdl_check_eq(store_half(1), 5);
    rdl_check_eq(store_calls_half(1), 7);
}

RDL_PROPERTY(misuse_half)
{
    rdl_mock(t, store_half, rdl_returns(5));
}

RDL_PROPERTY(misuse_alias)
{
    rdl_mock(t, store_other_half, rdl_returns(5));
}

/* ---- Functions that never return -------- */

static jmp_buf back;

static void leave(int code)
{
    longjmp(back, code);
}

RDL_PROPERTY(who_never_returns_is_left)
{
    struct rdl_mock *stop = rdl_replace(t, device_stop, leave);
    int code = setjmp(back);

    if (code == 0)
        store_stop(7);
    rdl_check_eq(code, 7);
    rdl_check_eq(rdl_mock_calls(stop), 1);
}

RDL_PROPERTY(wrong_return, .cases = 5)
{
    rdl_mock(t, device_stop);
    store_stop(7);
}

RDL_PROPERTY(wrong_exit, .cases = 5)
{
    rdl_mock(t, exit);
    store_stop(7);
}

/* ---- Further misuse -------- */

RDL_PROPERTY(misuse_percent)
{
    rdl_inject(t, device_status, rdl_percent(101));
}

RDL_PROPERTY(misuse_call_zero)
{
    rdl_inject(t, device_status, rdl_at_call(0));
}

RDL_PROPERTY(misuse_spy)
{
    rdl_spy(t, device_status, rdl_returns(3));
}

RDL_PROPERTY(misuse_variadic)
{
    rdl_mock(t, flash_log, rdl_str("%d"), rdl_arg(3));
}

RDL_PROPERTY(misuse_range)
{
    rdl_mock(t, device_status, rdl_arg(300));
}

RDL_PROPERTY(misuse_result)
{
    rdl_mock(t, device_status, rdl_returns(1.5));
}

RDL_PROPERTY(misuse_struct)
{
    rdl_mock(t, device_move, rdl_returns(((struct box){0})));
}

RDL_PROPERTY(misuse_parameter)
{
    rdl_mock(t, device_status, rdl_where("units", 3));
}

RDL_PROPERTY(misuse_too_many)
{
    rdl_mock(t, device_status, rdl_arg(1), rdl_arg(2));
}

RDL_PROPERTY(misuse_nothing_returned)
{
    rdl_mock(t, device_reset, rdl_returns(1));
}

RDL_PROPERTY(misuse_own)
{
    rdl_mock(t, "rdl_note");
}

RDL_MAIN
