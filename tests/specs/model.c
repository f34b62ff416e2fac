/* model.c -- code that is called from one thread, right and wrong, each with a spec.
 *
 * tests/test_drive_model.c says what is to come of each test.  What is called is counted
 * in the file that $RECORD names, if any, where the test that started us finds it. */
#include <fcntl.h>
#include <raddle.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    long calls;
} nowhere, *record = &nowhere;

__attribute__((constructor)) static void open_record(void)
{
    const char *path = getenv("RECORD");
    int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;

    if (file < 0 || ftruncate(file, sizeof *record) < 0)
        return;
    record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
}

/* ---- A ring that looks empty when it is full ----------------------------------------------- */

enum { RING = 3 };

struct ring {
    int items[RING], first, end, size;
};
struct items {
    rdl_fifo(int, RING) fifo;
};
struct item {
    int value;
};

static void put_args(struct rdl_case *t, const struct items *s, struct item *a)
{
    (void)s;
    a->value = (int)rdl_int(t, 0, 99);
}

static bool put_cpre(const struct items *s, const struct item *a)
{
    (void)a;
    return !getenv("STRICT") && !rdl_is_full(&s->fifo);
}

static void put_post(struct items *s, const struct item *a)
{
    rdl_fifo_put(&s->fifo, a->value);
}

static void put_call(struct ring *o, const struct item *a)
{
    record->calls++;
    if (o->size == RING)
        abort(); /* it would have to wait */
    o->items[o->end] = a->value;
    o->end = (o->end + 1) % RING;
    o->size++;
}

static bool get_cpre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return !rdl_is_empty(&s->fifo);
}

static void get_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = rdl_fifo_get(&s->fifo);
}

static void get_call(struct ring *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    record->calls++;
    if (o->size == 0)
        abort();
    *r = o->items[o->first];
    o->first = (o->first + 1) % RING;
    o->size--;
}

static void size_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = (int)s->fifo.count;
}

static void size_call(struct ring *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    record->calls++;
    *r = (o->end - o->first + RING) % RING;
}

static void true_size_call(struct ring *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = o->size;
}

static struct ring *create_ring(struct rdl_case *t, const struct items *s)
{
    (void)t, (void)s;
    return calloc(1, sizeof(struct ring));
}

static void destroy_ring(struct ring *o)
{
    free(o);
}

RDL_TYPES(ring, struct items, struct ring);
RDL_OP(ring, put, struct item, .args = put_args, .cpre = put_cpre, .post = put_post,
       .call = put_call, .weight = 6);
RDL_OP_RETURNS(ring, get, struct rdl_nothing, int, .cpre = get_cpre, .post = get_post,
               .call = get_call, .weight = 3);
RDL_OP_RETURNS(ring, size, struct rdl_nothing, int, .post = size_post, .call = size_call);
RDL_OP_RETURNS(ring, true_size, struct rdl_nothing, int, .post = size_post, .call = true_size_call);
RDL_SPEC(ring, RDL_OPS(ring, put, get, size), .create = create_ring, .destroy = destroy_ring);
RDL_TEST_MODEL(looks_empty_when_full, ring);

#define SAME_TYPES(spec, of)                                                                       \
    typedef rdl_state_##of rdl_state_##spec;                                                       \
    typedef rdl_object_##of rdl_object_##spec;                                                     \
    typedef rdl_client_##of rdl_client_##spec

SAME_TYPES(whole_ring, ring);
RDL_SPEC(whole_ring, RDL_OPS(ring, put, get, true_size), .create = create_ring,
         .destroy = destroy_ring);
RDL_TEST_MODEL(wraps, whole_ring);
RDL_TEST_MODEL(twenty_to_thirty, whole_ring, .calls = {20, 30});
RDL_TEST_MODEL(seven_each, whole_ring, .calls = {7, 7});
RDL_TEST_MODEL(of_itself, ring, .reference = true);

/* The same, looked at from outside; with a state that must not be. */
static bool is_never_full(const struct items *s)
{
    return s->fifo.count < RING;
}

static bool has_the_same_first(struct ring *o, const struct items *s)
{
    return rdl_is_empty(&s->fifo) || s->fifo.items[0] == o->items[o->first];
}

static void put_askew(struct ring *o, const struct item *a)
{
    put_call(o, &(struct item){a->value > 50 ? 50 : a->value});
}

SAME_TYPES(never_full, ring);
RDL_SPEC(never_full, RDL_OPS(ring, put, get), .create = create_ring, .destroy = destroy_ring,
         .invariant = is_never_full);
RDL_TEST_MODEL(breaks_the_invariant, never_full);
RDL_OP(ring, put_cut, struct item, .args = put_args, .cpre = put_cpre, .post = put_post,
       .call = put_askew);
SAME_TYPES(looked_at, ring);
RDL_SPEC(looked_at, RDL_OPS(ring, put_cut, true_size), .create = create_ring,
         .destroy = destroy_ring, .agrees = has_the_same_first);
RDL_TEST_MODEL(does_not_agree, looked_at);
SAME_TYPES(looked_at_well, ring);
RDL_SPEC(looked_at_well, RDL_OPS(ring, put, get), .create = create_ring, .destroy = destroy_ring,
         .agrees = has_the_same_first);
RDL_TEST_MODEL(agrees, looked_at_well);

/* ---- How often what is called ------------------------------------------------------------ */

struct tally {
    int count;
};
struct pupil {
    int number, calls;
};

static void number_pupil(struct rdl_case *t, int number, struct pupil *me)
{
    (void)t;
    me->number = number;
}

static void count_post(struct tally *s, const struct item *a)
{
    (void)a;
    s->count++;
}

static unsigned only_below_five(const struct tally *s)
{
    return s->count < 5 ? 4 : 0;
}

static bool is_odd(const struct pupil *me)
{
    return me->number % 2;
}

static void name_pupil(struct rdl_case *t, const struct pupil *me, struct item *a)
{
    (void)t;
    a->value = 100 * me->number + me->calls;
}

static void count_call(struct pupil *me, const struct item *a)
{
    (void)a;
    me->calls++;
}

static void is_below_five(int *count, const struct item *a)
{
    (void)a;
    if (++*count > 5)
        abort();
}

static void is_called_by_odd(int *count, const struct item *a)
{
    ++*count;
    if (a->value / 100 % 2 == 0)
        abort();
}

static void is_called(int *count, const struct item *a)
{
    (void)a;
    ++*count;
}

static int *create_count(struct rdl_case *t, const struct tally *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(int));
}

RDL_TYPES(tally, struct tally, int, struct pupil);
RDL_OP(tally, early, struct item, .weigh = only_below_five, .post = count_post,
       .call = is_below_five);
RDL_OP(tally, odd, struct item, .may = is_odd, .client_args = name_pupil, .post = count_post,
       .call = is_called_by_odd, .returned = count_call);
RDL_OP(tally, often, struct item, .weight = 9, .post = count_post, .call = is_called);
RDL_OP(tally, seldom, struct item, .post = count_post, .call = is_called);
RDL_SPEC(tally, RDL_OPS(tally, early, odd), .create = create_count, .client = number_pupil);
RDL_TEST_MODEL(some_may_not, tally, .clients = 4, .calls = {0, 10});
SAME_TYPES(weighted, tally);
RDL_SPEC(weighted, RDL_OPS(tally, often, seldom), .create = create_count);
RDL_TEST_MODEL(nine_to_one, weighted, .calls = {10, 10});

static bool third_call_is_wrong(const struct tally *s)
{
    return s->count < 3;
}

SAME_TYPES(thrice, tally);
RDL_SPEC(thrice, RDL_OPS(tally, odd), .create = create_count, .client = number_pupil,
         .invariant = third_call_is_wrong);
RDL_TEST_MODEL(who_calls_is_told, thrice, .clients = 4);

/* ---- Handles ----------------------------------------------------------------------------- */

enum { FILES = 4 };

typedef struct file {
    int writes;
} * file;
struct open_files {
    rdl_vec(rdl_ref, FILES) files;
    int writes[100]; /* by call */
};
struct handle {
    rdl_ref file;
};

static void handle_args(struct rdl_case *t, const struct open_files *s, struct handle *a)
{
    if (s->files.count)
        a->file = rdl_vec_at(&s->files, rdl_int(t, 0, s->files.count - 1));
}

static bool is_open(const struct open_files *s, const struct handle *a)
{
    for (uint32_t i = 0; i < s->files.count; i++)
        if (s->files.items[i] == a->file)
            return true;
    return false;
}

static bool can_open(const struct open_files *s, const struct rdl_nothing *a)
{
    (void)a;
    return !rdl_is_full(&s->files) && s->writes[99] == 0;
}

static void open_post(struct open_files *s, const struct rdl_nothing *a, file *r)
{
    (void)a;
    rdl_vec_push(&s->files, rdl_this());
    *r = NULL;
}

static bool any_but_null(const file *model, const file *real)
{
    (void)model;
    return *real != NULL;
}

/* Where it lies is different each time. */
static void show_file(FILE *out, const file *r)
{
    fprintf(out, *r ? "a file" : "none");
}

static void open_call(void *o, const struct rdl_nothing *a, file *r)
{
    (void)o, (void)a;
    *r = calloc(1, sizeof **r);
}

static void close_post(struct open_files *s, const struct handle *a)
{
    uint32_t i = 0;

    while (s->files.items[i] != a->file)
        i++;
    rdl_vec_remove(&s->files, i);
}

static void close_call(void *o, const struct handle *a)
{
    (void)o;
    free(rdl_result(a->file, file));
}

static void write_post(struct open_files *s, const struct handle *a, int *r)
{
    *r = ++s->writes[a->file];
}

static void write_call(void *o, const struct handle *a, int *r)
{
    file it = rdl_result(a->file, file);

    (void)o;
    *r = ++it->writes == 3 ? 0 : it->writes;
}

static void true_write_call(void *o, const struct handle *a, int *r)
{
    (void)o;
    *r = ++rdl_result(a->file, file)->writes;
}

static void *create_nothing(struct rdl_case *t, const struct open_files *s)
{
    (void)s;
    return rdl_alloc(t, 1);
}

RDL_TYPES(files, struct open_files, void);
RDL_OP_RETURNS(files, open, struct rdl_nothing, file, .pre = can_open, .post = open_post,
               .same = any_but_null, .show_answer = show_file, .call = open_call);
RDL_OP(files, close, struct handle, .args = handle_args, .pre = is_open, .post = close_post,
       .call = close_call);
RDL_OP_RETURNS(files, write, struct handle, int, .args = handle_args, .pre = is_open,
               .post = write_post, .call = write_call);
RDL_OP_RETURNS(files, true_write, struct handle, int, .args = handle_args, .pre = is_open,
               .post = write_post, .call = true_write_call);
RDL_SPEC(files, RDL_OPS(files, open, close, write), .create = create_nothing);
RDL_TEST_MODEL(third_write_fails, files, .calls = {0, 90});
SAME_TYPES(whole_files, files);
RDL_SPEC(whole_files, RDL_OPS(files, open, close, true_write), .create = create_nothing);
RDL_TEST_MODEL(writes_well, whole_files, .calls = {0, 90});

/* Answers that nobody gave, or of another size. */
static void later_args(struct rdl_case *t, const struct open_files *s, struct handle *a)
{
    (void)t, (void)s;
    a->file = 99;
}

static void nothing_post(struct open_files *s, const struct handle *a)
{
    (void)s, (void)a;
}

static void shorter_call(void *o, const struct handle *a)
{
    (void)o;
    (void)rdl_result(a->file, short);
}

RDL_OP(files, no_such_file, struct handle, .args = later_args, .post = nothing_post,
       .call = close_call);
SAME_TYPES(lost, files);
RDL_SPEC(lost, RDL_OPS(files, no_such_file), .create = create_nothing);
RDL_TEST_MODEL(asks_for_a_call_that_never_was, lost);
RDL_OP(files, shorter, struct handle, .args = handle_args, .pre = is_open, .post = nothing_post,
       .call = shorter_call);
SAME_TYPES(short_answers, files);
RDL_SPEC(short_answers, RDL_OPS(files, open, shorter), .create = create_nothing);
RDL_TEST_MODEL(asks_for_another_type, short_answers);

/* ---- Answers that cannot be foretold ------------------------------------------------------- */

struct given {
    rdl_set(int, 200) numbers;
};
struct dispenser {
    int calls, factor;
    bool repeats;
};

static bool is_new(struct given *s, const struct rdl_nothing *a, const int *r)
{
    (void)a;
    if (rdl_set_has(&s->numbers, *r))
        return false;
    rdl_set_add(&s->numbers, *r);
    return true;
}

static void new_call(struct dispenser *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = (o->repeats ? o->calls % 4 : o->calls) * o->factor;
    o->calls++;
}

static bool toss_any(struct given *s, const struct rdl_nothing *a, unsigned which, int *r)
{
    (void)a;
    *r = (int)which;
    if (rdl_set_has(&s->numbers, 1)) /* after a one, there is no other */
        return which == 1;
    return rdl_set_add(&s->numbers, (int)which), true;
}

static void toss_call(struct dispenser *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = o->repeats ? o->calls == 2 : o->calls >= 2;
    o->calls++;
}

static struct dispenser *create_dispenser(struct rdl_case *t, const struct given *s)
{
    struct dispenser *o = rdl_alloc(t, sizeof *o);

    (void)s;
    o->factor = 7;
    return o;
}

static struct dispenser *create_repeating(struct rdl_case *t, const struct given *s)
{
    struct dispenser *o = create_dispenser(t, s);

    o->repeats = true;
    return o;
}

RDL_TYPES(given, struct given, struct dispenser);
RDL_OP_RETURNS(given, new, struct rdl_nothing, int, .judge = is_new, .call = new_call);
RDL_OP_RETURNS(given, toss, struct rdl_nothing, int, .alternatives = 2, .post_any = toss_any,
               .call = toss_call);
RDL_SPEC(given, RDL_OPS(given, new), .create = create_dispenser);
RDL_TEST_MODEL(never_twice_the_same, given);
SAME_TYPES(repeating, given);
RDL_SPEC(repeating, RDL_OPS(given, new), .create = create_repeating);
RDL_TEST_MODEL(fifth_is_the_first_again, repeating);
SAME_TYPES(tosses, given);
RDL_SPEC(tosses, RDL_OPS(given, toss), .create = create_dispenser);
RDL_TEST_MODEL(ones_after_noughts, tosses);
SAME_TYPES(bad_tosses, given);
RDL_SPEC(bad_tosses, RDL_OPS(given, toss), .create = create_repeating);
RDL_TEST_MODEL(nought_after_a_one, bad_tosses);

/* ---- Full one too early ---------------------------------------------------------------------- */

/* The last place cannot be used.  A case that fails because of that is full when it does, so that
 * one take less asks for more than there is room for. */
enum { PLACES = 80 };

struct rack {
    int used;
};

RDL_TYPES(rack, struct rack, int);
RDL_EXTERN_OP_RETURNS(rack, put, struct item, bool);
RDL_EXTERN_OP(rack, take, struct rdl_nothing);
RDL_ARGS(rack, put, a->value = rdl_int(t, 0, 9));
RDL_WEIGH(rack, put, s->used < PLACES ? 4 : 0);
RDL_PRE(rack, put, s->used < PLACES);
RDL_POST_RETURNS(rack, put, s->used++; *r = true);
RDL_DO_RETURNS(rack, put, *r = *o < PLACES - 1; *o += *r);
RDL_PRE(rack, take, s->used > 0);
RDL_POST(rack, take, s->used--);
RDL_DO(rack, take, --*o);

static int *create_rack(struct rdl_case *t, const struct rack *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(int));
}

RDL_OP_RETURNS(rack, put, struct item, bool, .weigh = rack_put_weigh, .args = rack_put_args,
               .pre = rack_put_pre, .post = rack_put_post, .call = rack_put_call);
RDL_OP(rack, take, struct rdl_nothing, .pre = rack_take_pre, .post = rack_take_post,
       .call = rack_take_call);
RDL_SPEC(rack, RDL_OPS(rack, put, take), .create = create_rack);
RDL_TEST_MODEL(a_rack_whose_last_place_is_lost, rack, .calls = {0, 400});

/* ---- A model that is too small --------------------------------------------------------------- */

static bool always(const struct items *s, const struct item *a)
{
    (void)s, (void)a;
    return true;
}

static void ignore_call(struct ring *o, const struct item *a)
{
    (void)o, (void)a;
}

RDL_OP(ring, stuff, struct item, .args = put_args, .pre = always, .post = put_post,
       .call = ignore_call);
SAME_TYPES(overfull, ring);
RDL_SPEC(overfull, RDL_OPS(ring, stuff), .create = create_ring, .destroy = destroy_ring);
RDL_TEST_MODEL(puts_too_many_into_its_model, overfull);

RDL_MAIN
