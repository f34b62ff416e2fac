/* shelf.c -- a shelf with room for forty books: which states do tests come to, and how many bugs
 * are there?  With -DRIGHT there are none; with -DWEIGHED, books are put more often than taken. */
#include <raddle.h>
#include <stdlib.h>

/* ---- The code under test ---------------------------------------------------------------- */

enum { ROOM = 40 };

#ifdef RIGHT
enum { FITS = ROOM, NONE = -1 };
#else
enum { FITS = ROOM - 1, NONE = 0 };
#endif

struct shelf {
    int books[ROOM];
    int count;
};

/* False: there is no room. */
static bool shelf_put(struct shelf *shelf, int book)
{
    if (shelf->count >= FITS)
        return false;
    shelf->books[shelf->count++] = book;
    return true;
}

/* The one that was put last; -1: there is none. */
static int shelf_take(struct shelf *shelf)
{
    return shelf->count > 0 ? shelf->books[--shelf->count] : NONE;
}

/* ---- The spec --------------------------------------------------------------------------- */

struct books {
    rdl_vec(int, ROOM) on_it;
};

struct book {
    int number;
};

RDL_TYPES(shelf, struct books, struct shelf);
RDL_EXTERN_OP_RETURNS(shelf, put, struct book, bool);
RDL_EXTERN_OP_RETURNS(shelf, take, struct rdl_nothing, int);

#ifdef WEIGHED
RDL_WEIGH(shelf, put, 4);
#else
RDL_WEIGH(shelf, put, 1);
#endif
RDL_ARGS(shelf, put, a->number = (int)rdl_int(t, 1, 9));
RDL_DO_RETURNS(shelf, put, *r = shelf_put(o, a->number));

RDL_REQUIREMENT("SHELF_1", "A shelf takes forty books.");
RDL_REQUIREMENT("SHELF_2", "A full shelf refuses.");
RDL_REQUIREMENT("SHELF_3", "Of an empty shelf nothing can be taken, which is told.");

static void put_post(struct books *s, const struct book *a, bool *r)
{
    *r = s->on_it.count < ROOM;
    if (!*r) {
        rdl_requirement("SHELF_2");
        return;
    }
    rdl_vec_push(&s->on_it, a->number);
}

RDL_DO_RETURNS(shelf, take, *r = shelf_take(o));

static void take_post(struct books *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    if (s->on_it.count == 0) {
        rdl_requirement("SHELF_3");
        *r = -1;
        return;
    }
    *r = rdl_vec_pop(&s->on_it);
}

static bool is_full(const struct books *s)
{
    return s->on_it.count == ROOM;
}

static bool is_empty(const struct books *s)
{
    return s->on_it.count == 0;
}

static struct shelf *create(struct rdl_case *t, const struct books *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(struct shelf));
}

RDL_OP_RETURNS(shelf, put, struct book, bool, .requirements = "SHELF_1", .weigh = shelf_put_weigh,
               .args = shelf_put_args, .post = put_post, .call = shelf_put_call);
RDL_OP_RETURNS(shelf, take, struct rdl_nothing, int, .post = take_post, .call = shelf_take_call);
RDL_SPEC(shelf, RDL_OPS(shelf, put, take), .create = create,
         .interesting = {{"full", is_full}, {"empty", is_empty}});

RDL_TEST_MODEL(a_shelf, shelf);

RDL_MAIN
