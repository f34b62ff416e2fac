/* any_order.c -- orders that are left open, where threads keep each other out. */
#include <pthread.h>
#include <raddle.h>
#include <setjmp.h>

static pthread_mutex_t guard;
static int taken;
static char story[16];
static int story_length;
static char name_a[] = "a", name_b[] = "b";

__attribute__((noinline)) static void come_in(char who)
{
    story[story_length++] = who;
}

__attribute__((noinline)) static void go_out(char who)
{
    story[story_length++] = who;
}

static void within_the_lock(void *who)
{
    pthread_mutex_lock(&guard);
    come_in(*(char *)who);
    go_out(*(char *)who);
    pthread_mutex_unlock(&guard);
}

/* Who is first goes one way, and who is second another. */
static void as_it_is_their_turn(void *who)
{
    bool is_first;

    pthread_mutex_lock(&guard);
    is_first = taken++ == 0;
    pthread_mutex_unlock(&guard);
    if (is_first)
        come_in(*(char *)who);
    else
        go_out(*(char *)who);
}

static void without_a_lock(void *who)
{
    come_in(*(char *)who);
    go_out(*(char *)who);
}

static void let_two(struct rdl_case *t, void (*run)(void *who))
{
    struct rdl_thread *a, *b;

    guard = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    taken = story_length = 0;
    rdl_any_order(t, "a:come_in", "a:go_out", "b:come_in", "b:go_out");
    a = rdl_spawn(t, "a", run, name_a);
    b = rdl_spawn(t, "b", run, name_b);
    rdl_join(a);
    rdl_join(b);
    story[story_length] = '\0';
    rdl_label(t, "%s.", story);
}

RDL_SCHEDULE(any_order_within_a_lock)
{
    let_two(t, within_the_lock);
}

RDL_SCHEDULE(any_order_as_it_is_their_turn)
{
    let_two(t, as_it_is_their_turn);
}

RDL_SCHEDULE(any_order_one_at_a_time)
{
    rdl_one_at_a_time(t, "come_in", "go_out");
    let_two(t, without_a_lock);
}

RDL_SCHEDULE(wrong_b_is_first_free, .free_threads = true)
{
    let_two(t, without_a_lock);
    rdl_check_eq(story[0], 'a');
}

RDL_SCHEDULE(wrong_nobody_called_c)
{
    rdl_any_order(t, "a:come_in", "c:come_in");
    story_length = 0;
    rdl_join(rdl_spawn(t, "a", without_a_lock, name_a));
}

RDL_SCHEDULE(wrong_held_at_a_line_free, .free_threads = true)
{
    struct rdl_gate *gate = rdl_gate_at_each_line(t, "come_in", .thread = "a");
    struct rdl_thread *a = rdl_spawn(t, "a", without_a_lock, name_a);

    story_length = 0;
    rdl_gate_reached(gate);
    rdl_gate_open_for_all(gate);
    rdl_join(a);
    rdl_check(false);
}

RDL_SCHEDULE(wrong_no_line_is_come_to)
{
    struct rdl_gate *gate = rdl_gate_at_each_line(t, "come_in", .thread = "c");
    struct rdl_thread *a = rdl_spawn(t, "a", without_a_lock, name_a);

    story_length = 0;
    rdl_gate_is_reached(gate);
    rdl_join(a);
}

/* ---- One at a time -------------------------------------------------------------------------- */

__attribute__((noinline)) static void leave_early(jmp_buf *out)
{
    if (out)
        longjmp(*out, 1);
    taken++;
}

static void come_and_leave_early(void *unused)
{
    jmp_buf out;

    (void)unused;
    if (setjmp(out) == 0)
        leave_early(&out);
}

static void come_and_stay(void *unused)
{
    (void)unused;
    leave_early(NULL);
}

/* It never returns from there, but it ends. */
static void have_one_leave_early(struct rdl_case *t)
{
    struct rdl_thread *early, *late;

    taken = 0;
    rdl_one_at_a_time(t, "leave_early", "leave_early:return");
    early = rdl_spawn(t, "early", come_and_leave_early, NULL);
    late = rdl_spawn(t, "late", come_and_stay, NULL);
    rdl_join(early);
    rdl_join(late);
    rdl_check_eq(taken, 1);
}

RDL_SCHEDULE(who_has_ended_is_out)
{
    have_one_leave_early(t);
}

RDL_SCHEDULE(who_has_ended_is_out_free, .free_threads = true, .cases = 20)
{
    have_one_leave_early(t);
}

RDL_SCHEDULE(wrong_way_to_the_same_place)
{
    rdl_one_at_a_time(t, "leave_early", "leave_early");
}
