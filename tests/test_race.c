/* test_race.c -- the race detector against one that is slow and simple.
 *
 * Random programs of a few threads are fed to both, operation by operation.  The
 * simple one knows, of every operation, all that happened before it, as a set; it
 * looks at all pairs.  Both have to find races at the same operations, before and after others. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "harness.h"

enum { OPERATIONS = 64, THREADS = 8, BYTES = 24, OBJECTS = 3, NOBODY = 99 };

enum kind { ACCESS, ATOMIC, FENCE, ACQUIRE, RELEASE, CREATE, END, JOIN, FRESH };

struct operation {
    enum kind kind;
    int thread, life; /* a thread's number may have several lives */
    int from, size;   /* bytes */
    bool reads, writes, acquires, releases, free;
    bool is_volatile; /* and counts as what its kind says */
    int object, other;
    uintptr_t pc;
    uint64_t before; /* the operations that happened before it: bits */
};

/* What an acquiring load of an atomic object learns: operations, each released by a
 * thread's life; and whose release sequences they are. */
struct sequence {
    uint64_t sources;
    uint32_t lives;
};

struct program {
    struct operation operations[OPERATIONS];
    int count;

    /* The simple detector */
    uint64_t released[OBJECTS]; /* by primitives */
    struct sequence atomics[BYTES];
    uint64_t last[THREADS]; /* what happened before a thread's next operation */
    uint64_t fence_released[THREADS], pending[THREADS];
    bool has_fence[THREADS];
    int fresh_at[BYTES]; /* operation after which the byte is as good as new */

    uint32_t volatiles; /* what accesses to volatile variables mean */

    /* Careful threads take and give something around every access, except for lapses. */
    int lapses_percent; /* 100: they do not care */
    int careful;        /* the thread that is at it; NOBODY */
    int steps;          /* what it has done of taking, accessing, giving */

    int state[THREADS]; /* 0: not there, 1: runs, 2: ended */
    int life[THREADS], lives;
    struct rdl__random random;
};

static struct rdl__thread threads[THREADS];
static _Alignas(4096) char memory[4096];
static struct program program;
static struct rdl__summary summary;

static int upto(int max)
{
    return (int)rdl__random_upto(&program.random, (uint64_t)max);
}

/* ---- The simple detector --------------------------------------------------------------- */

static bool overlaps(const struct operation *a, const struct operation *b)
{
    for (int byte = a->from; byte < a->from + a->size; byte++)
        if (byte >= b->from && byte < b->from + b->size &&
            program.fresh_at[byte] <= (int)(a - program.operations))
            return true;
    return false;
}

/* Does the later one, b, race with a? */
static bool races(const struct operation *a, const struct operation *b)
{
    if (a->kind > ATOMIC || b->kind > ATOMIC || (a->kind == ATOMIC && b->kind == ATOMIC) ||
        !(a->writes || b->writes) || !overlaps(a, b))
        return false;
    return !(b->before >> (a - program.operations) & 1);
}

static bool is_race(const struct operation *b)
{
    for (const struct operation *a = program.operations; a < b; a++)
        if (races(a, b))
            return true;
    return false;
}

static void learn(struct operation *operation, uint64_t sources)
{
    for (int i = 0; i < OPERATIONS; i++)
        if (sources >> i & 1)
            operation->before |= UINT64_C(1) << i | program.operations[i].before;
}

/* C17 5.1.2.4: release sequences go on with read-modify-writes of anybody, and with
 * stores of the thread that began them; where several threads have begun one, all
 * go on (see order.c). */
static void write_byte(const struct operation *operation, struct sequence *sequence)
{
    uint64_t self = UINT64_C(1) << (operation - program.operations);
    int thread = operation->thread;
    uint32_t mine = UINT32_C(1) << operation->life;

    if (!operation->reads &&
        (operation->releases || sequence->lives == 0 ||
         ((sequence->lives & (sequence->lives - 1)) == 0 && sequence->lives != mine)))
        *sequence = (struct sequence){0};
    if (operation->releases) {
        sequence->sources |= self;
        sequence->lives |= mine;
    } else if (program.has_fence[thread]) {
        sequence->sources |= program.fence_released[thread];
        sequence->lives |= mine;
    }
}

/* Each byte has a sequence of its own, since operations may have different sizes. */
static void do_atomic(struct operation *operation)
{
    struct sequence *first = &program.atomics[operation->from], *end = first + operation->size;

    if (rdl__alone) /* it comes before all that others will do, and begins no sequence */
        return;
    for (struct sequence *sequence = first; sequence < end && operation->reads; sequence++)
        if (operation->acquires)
            learn(operation, sequence->sources);
        else
            program.pending[operation->thread] |= sequence->sources;
    for (struct sequence *sequence = first; sequence < end && operation->writes; sequence++)
        write_byte(operation, sequence);
}

/* All but races; those are looked for by the caller. */
static void follow(struct operation *operation)
{
    int thread = operation->thread;
    uint64_t self = UINT64_C(1) << (operation - program.operations);

    operation->before = program.last[thread];
    switch (operation->kind) {
    case ATOMIC:
        do_atomic(operation);
        break;
    case FENCE:
        if (operation->acquires) {
            learn(operation, program.pending[thread]);
            program.pending[thread] = 0;
        }
        if (operation->releases) {
            program.fence_released[thread] = self;
            program.has_fence[thread] = true;
        }
        break;
    case ACQUIRE:
        learn(operation, program.released[operation->object]);
        break;
    case RELEASE:
        program.released[operation->object] |= self;
        break;
    case CREATE:
        program.last[operation->other] = operation->before | self;
        program.has_fence[operation->other] = false;
        program.pending[operation->other] = 0;
        break;
    case JOIN:
        operation->before |= program.last[operation->other];
        break;
    case FRESH:
        for (int byte = operation->from; byte < operation->from + operation->size; byte++)
            program.fresh_at[byte] = (int)(operation - program.operations);
        break;
    default:
        break;
    }
    program.last[thread] |= operation->before | self;
}

/* ---- Ours ---------------------------------------------------------------------------------- */

static unsigned how_of(const struct operation *operation)
{
    unsigned how = (operation->writes ? RDL__HOW_WRITE : 0) | (operation->free ? RDL__HOW_FREE : 0);

    if (operation->is_volatile)
        return how | rdl__volatile_how((uintptr_t)memory + (uintptr_t)operation->from,
                                       (uintptr_t)operation->size);
    return how | (operation->kind == ATOMIC ? RDL__HOW_ATOMIC : 0);
}

static bool known(const struct rdl__track *track, const struct operation *operation)
{
    uintptr_t address = (uintptr_t)memory + (uintptr_t)operation->from;
    unsigned how = how_of(operation);

    switch (operation->free ? 0 : operation->size) {
    case 1:
        return rdl__race_known(track, address, 1, how);
    case 2:
        return rdl__race_known(track, address, 2, how);
    case 4:
        return rdl__race_known(track, address, 4, how);
    case 8:
        return rdl__race_known(track, address, 8, how);
    default:
        return false;
    }
}

/* How many earlier accesses it races with. */
static uint32_t find_races(const struct operation *operation, struct rdl__access *earlier)
{
    struct rdl__track *track = threads[operation->thread].track;

    if (rdl__alone || known(track, operation))
        return 0;
    return rdl__race_find(track, (uintptr_t)memory + (uintptr_t)operation->from,
                          (uintptr_t)operation->size, how_of(operation), operation->pc, earlier);
}

static void order(const struct operation *operation)
{
    struct rdl__track *track = threads[operation->thread].track;
    uintptr_t address = (uintptr_t)memory + (uintptr_t)operation->from;
    uintptr_t size = (uintptr_t)operation->size;

    if (rdl__alone)
        return;
    if (operation->is_volatile)
        rdl__volatile_order(track, address, size, how_of(operation));
    else if (operation->reads && operation->writes)
        rdl__order_update(track, address, size, operation->acquires, operation->releases);
    else if (operation->reads)
        rdl__order_load(track, address, size, operation->acquires);
    else
        rdl__order_store(track, address, size, operation->releases);
}

static void perform(const struct operation *operation)
{
    struct rdl__thread *self = &threads[operation->thread], *other = &threads[operation->other];

    switch (operation->kind) {
    case ATOMIC:
        order(operation);
        break;
    case FENCE:
        if (!rdl__alone)
            rdl__order_fence(self->track, operation->acquires, operation->releases);
        break;
    case ACQUIRE:
        rdl__hb_acquire(self, (uintptr_t)(operation->object + 1) * 8);
        break;
    case RELEASE:
        rdl__hb_release(self, (uintptr_t)(operation->object + 1) * 8);
        break;
    case CREATE:
        rdl__sched.alive++;
        other->state = RDL__ALIVE;
        rdl__hb_created(self, other);
        break;
    case END:
        rdl__sched.alive--;
        self->state = RDL__ENDED;
        break;
    case JOIN:
        rdl__hb_joined(self, other);
        break;
    case FRESH:
        if (!rdl__alone)
            rdl__race_fresh((uintptr_t)memory + (uintptr_t)operation->from,
                            (uintptr_t)operation->size);
        break;
    default:
        break;
    }
}

/* ---- Random programs ------------------------------------------------------------------------- */

static int any_in_state(int state, int except)
{
    int found = NOBODY, seen = 0;

    for (int i = 0; i < THREADS; i++)
        if (program.state[i] == state && i != except && upto(seen++) == 0)
            found = i;
    return found;
}

static void draw_access(struct operation *operation)
{
    static const int sizes[] = {1, 2, 4, 8, 3, 16};

    operation->size = sizes[upto(upto(3) ? 3 : 5)];
    operation->from = upto(BYTES - operation->size);
    if (upto(3))
        operation->from -= operation->from % (operation->size > 8 ? 8 : operation->size);
    operation->writes = upto(2) == 0;
    operation->reads = !operation->writes;
    operation->free = operation->writes && upto(9) == 0;
}

/* Atomic objects are where their size divides their place; some operations are about a part of
 * one, or about several. */
static void draw_atomic(struct operation *operation)
{
    static const struct {
        int from, size;
    } objects[] = {{0, 8}, {8, 4}, {13, 1}, {0, 4}, {4, 2}, {8, 8}, {0, 16}, {12, 2}};
    int which = upto(2) ? upto(2) : upto(sizeof objects / sizeof *objects - 1), what = upto(2);

    operation->kind = ATOMIC;
    operation->from = objects[which].from;
    operation->size = objects[which].size;
    operation->reads = what != 1;
    operation->writes = what != 0;
    operation->acquires = operation->reads && upto(1);
    operation->releases = operation->writes && upto(1);
}

/* What it means: an atomic access if it can be one, by its place and the setting. */
static void draw_volatile(struct operation *operation)
{
    bool orders = program.volatiles == RDL__VOLATILE_ACQ_REL;

    do
        draw_access(operation);
    while (operation->size == 3); /* no compiler tells of such ones */
    operation->is_volatile = true;
    operation->free = false;
    if (program.volatiles == RDL__VOLATILE_PLAIN || operation->size > 8 ||
        operation->from % operation->size != 0)
        return;
    operation->kind = ATOMIC;
    operation->acquires = operation->reads && orders;
    operation->releases = operation->writes && orders;
}

static void draw_fence(struct operation *operation)
{
    operation->kind = FENCE;
    operation->acquires = upto(1);
    operation->releases = upto(1) || !operation->acquires;
}

/* What a careful thread does: take, access, give. */
static bool draw_careful(struct operation *operation)
{
    if (program.careful == NOBODY) {
        if (upto(99) < program.lapses_percent)
            return false;
        program.careful = operation->thread;
        program.steps = 0;
    }
    operation->thread = program.careful;
    operation->life = program.life[operation->thread];
    switch (program.steps++) {
    case 0:
        operation->kind = ACQUIRE;
        operation->object = 0;
        break;
    case 1:
        draw_access(operation);
        break;
    default:
        operation->kind = RELEASE;
        operation->object = 0;
        program.careful = NOBODY;
    }
    return true;
}

static void draw(struct operation *operation, int sync_percent, int places)
{
    int other;

    *operation = (struct operation){.kind = ACCESS, .pc = (uintptr_t)(0x1000 + upto(places))};
    operation->thread = any_in_state(1, NOBODY);
    operation->life = program.life[operation->thread];
    operation->object = upto(OBJECTS - 1);
    if (program.count >= 2 && draw_careful(operation))
        return;
    if (program.count < 2 || upto(9) == 0) {
        if ((other = any_in_state(0, NOBODY)) != NOBODY) {
            operation->kind = CREATE;
            operation->other = other;
            return;
        }
    }
    if (upto(7) == 0 && (other = any_in_state(2, NOBODY)) != NOBODY) {
        operation->kind = JOIN;
        operation->other = other;
    } else if (upto(15) == 0 && operation->thread != 0) {
        operation->kind = END;
    } else if (upto(29) == 0) {
        draw_access(operation);
        operation->kind = FRESH;
    } else if (upto(99) < sync_percent) {
        int what = upto(program.lapses_percent % 2 ? 9 : 7);

        if (what < 5 && upto(1))
            draw_volatile(operation);
        else if (what < 5)
            draw_atomic(operation);
        else if (what <= 6)
            draw_fence(operation);
        else
            operation->kind = what < 8 ? ACQUIRE : RELEASE;
    } else {
        draw_access(operation);
    }
}

static void begin(uint64_t seed)
{
    memset(&program, 0, sizeof program);
    rdl__random_seed(&program.random, seed);
    program.state[0] = 1;
    program.lives = 1;
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i].id = i;
        threads[i].state = RDL__UNUSED;
        threads[i].donor = (struct rdl__donor *)memory; /* its stack is not ours */
        threads[i].stack_low = (i + 1) << 16;
        threads[i].stack_high = (i + 2) << 16;
        rdl__sched.threads[i] = &threads[i];
    }
    rdl__sched.view.threads = THREADS;
    rdl__sched.alive = 1;
    threads[0].state = RDL__ALIVE;
    rdl__instrumented = rdl__see_all = true;
    program.volatiles = (uint32_t)upto(RDL__VOLATILE_PLAIN);
    rdl__sched.summary = &summary;
    rdl__volatile_begin(program.volatiles);
    rdl__hb_begin(&threads[0]);
}

static void keep_account(const struct operation *operation)
{
    if (operation->kind == CREATE) {
        program.state[operation->other] = 1;
        program.life[operation->other] = program.lives++;
    }
    if (operation->kind == END)
        program.state[operation->thread] = 2;
    if (operation->kind == JOIN)
        program.state[operation->other] = 0;
}

static void describe(uint64_t seed)
{
    static const char *const names[] = {"access", "atomic", "fence", "acquire", "release",
                                        "create", "end",    "join",  "fresh"};

    printf("program %ju, volatile accesses: %u\n", (uintmax_t)seed, program.volatiles);
    for (int i = 0; i < program.count; i++) {
        const struct operation *o = &program.operations[i];

        printf("%3d thread %d %s%s %d+%d %s%s%s%s%s object %d other %d before %jx\n", i, o->thread,
               o->is_volatile ? "volatile " : "", names[o->kind], o->from, o->size,
               o->reads ? "r" : "", o->writes ? "w" : "", o->acquires ? "A" : "",
               o->releases ? "R" : "", o->free ? "F" : "", o->object, o->other,
               (uintmax_t)o->before);
    }
}

static bool is_one_of_the_racing(const struct operation *now, const struct rdl__access *earlier)
{
    for (const struct operation *a = program.operations; a < now; a++)
        if (races(a, now) && a->pc == earlier->pc && how_of(a) == earlier->how)
            return true;
    return false;
}

static void compare(const struct operation *operation, uint64_t seed)
{
    struct rdl__access earlier[RDL__RACING_MAX];
    uint32_t found = find_races(operation, earlier);
    bool agrees = (found > 0) == is_race(operation);

    for (uint32_t i = 0; i < found; i++)
        agrees = agrees && is_one_of_the_racing(operation, &earlier[i]);
    if (!agrees) {
        program.count++;
        describe(seed);
        test_fail(__FILE__, __LINE__, "races found: %u, expected: %s", found,
                  is_race(operation) ? "some" : "none");
    }
}

/* One program, to its end.  True: it has a race. */
static bool run_program(uint64_t seed)
{
    int sync_percent, places, length;
    bool racy = false;

    begin(seed);
    sync_percent = 20 + upto(60);
    places = upto(1) ? 3 : 1000;
    program.careful = NOBODY;
    program.lapses_percent = upto(3) == 0 ? 100 : upto(40);
    length = 8 + upto(OPERATIONS - 9);
    for (; program.count < length && program.lives < 30; program.count++) {
        struct operation *operation = &program.operations[program.count];

        draw(operation, sync_percent, places);
        operation->before = program.last[operation->thread];
        if (operation->kind <= ATOMIC) {
            compare(operation, seed);
            racy |= is_race(operation);
        }
        perform(operation);
        follow(operation);
        keep_account(operation);
    }
    return racy;
}

static long resident_kilobytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, resident;

    EXPECT(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(races_are_found_when_and_only_when_there_are_some)
{
    uint64_t programs = soak() ? 20000000 : 400000, racy = 0;

    for (uint64_t i = 0; i < programs; i++)
        racy += run_program(test_seed() * 1000000007 + i);
    printf("%ju of %ju programs have a race\n", (uintmax_t)racy, (uintmax_t)programs);
    EXPECT(racy > programs / 5);
    EXPECT(racy < programs / 5 * 4);
}

TEST(memory_does_not_grow_with_executions)
{
    long after_some;

    for (uint64_t i = 0; i < 20000; i++)
        run_program(i);
    after_some = resident_kilobytes();
    for (uint64_t i = 0; i < 400000; i++)
        run_program(i);
    EXPECT(resident_kilobytes() <= after_some + 512);
}
