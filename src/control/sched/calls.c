/* calls.c -- the table of calls: its rows as data, patterns for other libraries, lookup. */
#include "control/sched/calls.h"

#include <fnmatch.h>
#include <string.h>

#include "base/hash.h"
#include "port/modules.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

enum {
    SILENT = RDL__CALL_SILENT,
    OURS = RDL__CALL_OURS,
    POINT = RDL__CALL_POINT,
    VAGUE = RDL__CALL_VAGUE,
    VAGUE_POINT = RDL__CALL_VAGUE_POINT,
};

__extension__ enum {
    NONE = 0,
#define STATE(name) name = UINT64_C(1) << RDL__STATE_##name,
    RDL__STATES(STATE)
#undef STATE
};

#define NOTHING          RDL__ON_NO_ARGUMENT, 0
#define FD(n)            RDL__ON_FD, n
#define STREAM(n)        RDL__ON_FILE, n
#define STREAM_OR_ALL(n) RDL__ON_FILE_OR_ALL, n
#define PATH(n)          RDL__ON_PATH, n
#define AT(n)            RDL__ON_PATH_AT, n
#define IN               RDL__ON_STDIN, 0
#define OUT              RDL__ON_STDOUT, 0
#define ERR              RDL__ON_STDERR, 0
#define ALL              RDL__ON_ALL_STREAMS, 0

#define R(n, ...)                                                                                  \
    {                                                                                              \
        .argument = (n), __VA_ARGS__                                                               \
    }
#define W(n, ...)                                                                                  \
    {                                                                                              \
        .argument = (n), .writes = true, __VA_ARGS__                                               \
    }
#define M(n, ...)                                                                                  \
    {                                                                                              \
        .argument = (n), .writes = true, .is_bound = true, __VA_ARGS__                             \
    }
#define CALLS(n)                                                                                   \
    {                                                                                              \
        .argument = (n), .length = RDL__CODE                                                       \
    }
#define KEEPS(n)                                                                                   \
    {                                                                                              \
        .argument = (n), .length = RDL__KEPT                                                       \
    }
#define BYTES(n)                           .length = RDL__BYTES, .value = (n)
#define SIZE(n)                            .length = RDL__SIZE, .value = (n)
#define TIMES(bytes, n)                    .length = RDL__TIMES, .factor = (bytes), .value = (n)
#define PRODUCT(n, other)                  .length = RDL__PRODUCT, .value = (n), .factor = (other)
#define TEXT                               .length = RDL__TEXT
#define TEXT_UP_TO(n)                      .length = RDL__TEXT_UP_TO, .value = (n)
#define WIDE_TEXT                          .length = RDL__WIDE_TEXT
#define WIDE_UP_TO(n)                      .length = RDL__WIDE_UP_TO, .value = (n)
#define WIDE_APPENDED(n)                   .length = RDL__WIDE_APPENDED, .value = (n)
#define WIDENED(n)                         .length = RDL__WIDENED, .value = (n)
#define NARROWED(n)                        .length = RDL__NARROWED, .value = (n)
#define TEXT_TO_CHAR(n)                    .length = RDL__TEXT_TO_CHAR, .value = (n)
#define TEXT_TO(n)                         .length = RDL__TEXT_TO, .value = (n)
#define TEXT_BEFORE(n)                     .length = RDL__TEXT_BEFORE, .value = (n)
#define SPAN(n)                            .length = RDL__SPAN, .value = (n)
#define BYTES_TO(n, size)                  .length = RDL__BYTES_TO, .value = (n), .factor = (size)
#define NUMBER                             .length = RDL__NUMBER
#define PIECES(n)                          .length = RDL__PIECES_OF, .value = (n)
#define STREAM_OBJECT                      .length = RDL__STREAM_OBJECT
#define STREAM_AND_BUFFER                  .length = RDL__STREAM_AND_BUFFER
#define TOKEN(n)                           .length = RDL__TOKEN, .value = (n)
#define MESSAGE                            .length = RDL__MESSAGE
#define MESSAGES(n)                        .length = RDL__MESSAGES, .value = (n)
#define SIZE_AT(n)                         .length = RDL__SIZE_AT, .value = (n)
#define BLOCK_AT(n)                        .length = RDL__BLOCK_AT, .value = (n)
#define WORD_AT(n)                         .length = RDL__WORD_AT, .value = (n)
#define ADDRESS(n)                         .length = RDL__ADDRESS, .value = (n)
#define CHARACTER(n)                       .length = RDL__CHARACTER, .value = (n)
#define ENCODED(n)                         .length = RDL__ENCODED, .value = (n)
#define LOCK_OF(n)                         .length = RDL__LOCK_OF, .value = (n)
#define LINK                               .length = RDL__LINK
#define STRING                             .length = RDL__STRING
#define RING                               .length = RDL__RING
#define BRANCH(n)                          .length = RDL__TREE_BRANCH, .value = (n)
#define NEIGHBOURS                         .length = RDL__NEIGHBOURS
#define LIKE(n)                            .length = RDL__LIKE, .value = (n)
#define APPENDED(n)                        .length = RDL__APPENDED, .value = (n)

#define CALL(name, way, on, reads, writes) {#name, way, on, false, reads, writes, {{0}}},
#define WRAP(name, way, on, reads, writes) {#name, way, on, true, reads, writes, {{0}}},
#define MEMO(name, way, on, reads, writes, ...)                                                    \
    {#name, way, on, true, reads, writes, {__VA_ARGS__}},

const struct rdl__call_row rdl__call_rows[] = {
#include "control/sched/calls.def"
#include "control/sched/calls_cxx.def"
};
const uint32_t rdl__call_row_count = sizeof rdl__call_rows / sizeof *rdl__call_rows;

/* ---- Lookup ---------------------------------------------------------------------------------- */

enum { SLOTS = 8192 };
_Static_assert(sizeof rdl__call_rows / sizeof *rdl__call_rows < SLOTS / 2, "room for all rows");

static uint16_t slots[SLOTS]; /* number of a row, plus 1; 0: free */

#define COMPARED(name)    #name,
#define SAME(name, other) #name,
#define LIMITED(name)     #name,
#define OBJECT(name)      #name,
#define NUMBERS(name)     #name, #name "f", #name "l",
static const char *const compared[] = {
#include "control/sched/compared.def"
};

enum { COMPARED_SLOTS = 4096 };
_Static_assert(sizeof compared / sizeof *compared < COMPARED_SLOTS / 2, "room for all names");
static uint16_t compared_slots[COMPARED_SLOTS]; /* number of a name, plus 1; 0: free */

static void fill_slots(void)
{
    for (uint32_t row = 0; row < rdl__call_row_count; row++) {
        uint64_t at = rdl__hash_text(rdl__call_rows[row].name);

        while (slots[at % SLOTS])
            at++;
        slots[at % SLOTS] = (uint16_t)(row + 1);
    }
}

const struct rdl__call_row *rdl__call_row(const char *name)
{
    static bool filled;

    if (!filled)
        fill_slots();
    filled = true;
    for (uint64_t at = rdl__hash_text(name); slots[at % SLOTS]; at++) {
        const struct rdl__call_row *row = &rdl__call_rows[slots[at % SLOTS] - 1];

        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

static void fill_compared(void)
{
    for (uint32_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        uint64_t at = rdl__hash_text(compared[i]);

        while (compared_slots[at % COMPARED_SLOTS])
            at++;
        compared_slots[at % COMPARED_SLOTS] = (uint16_t)(i + 1);
    }
}

bool rdl__call_is_compared(const char *name)
{
    static bool filled;

    if (!filled)
        fill_compared();
    filled = true;
    for (uint64_t at = rdl__hash_text(name); compared_slots[at % COMPARED_SLOTS]; at++)
        if (strcmp(compared[compared_slots[at % COMPARED_SLOTS] - 1], name) == 0)
            return true;
    return false;
}

/* ---- Other libraries -------------------------------------------------------------------------
 *
 * The first pattern that fits counts.  Functions of C++'s library that are left out here work
 * on objects of the caller's (texts, trees, streams): they have rows. */
static const struct pattern {
    const char *module, *name;
    enum rdl__call_effect effect;
} patterns[] = {
    {"libm.so", "*", RDL__EFFECT_KNOWN}, /* but for those with rows: numbers only */
    {"libmvec.so", "*", RDL__EFFECT_KNOWN},
    {"libgcc_s.so", "*", RDL__EFFECT_KNOWN}, /* numbers; exceptions, which are a thread's own */
    {"libgomp.so", "GOMP_*", RDL__EFFECT_KNOWN},
    {"libgomp.so", "omp_*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "__cxa_*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "__gxx_personality_v0", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "__dynamic_cast", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_Zn[wa]m*", RDL__EFFECT_KNOWN}, /* operators new and delete */
    {"libstdc++.so", "_Zd[la]Pv*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZNSaI[cw]E[CD][0-9]*", RDL__EFFECT_KNOWN}, /* allocators: have no state */
    {"libstdc++.so", "_ZSt*__throw_*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZSt9terminatev",
     RDL__EFFECT_KNOWN}, /* handlers are set, and got, by others */
    {"libstdc++.so", "_ZSt10unexpectedv", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZSt*uncaught_exception*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZSt*current_exception*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZSt*rethrow_exception*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN[0-9K]*St*exception*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*St*exception*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*St*_error[CD][0-9]*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*St12out_of_range*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*St16invalid_argument*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*4whatEv", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*St*bad_*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*St9type_info*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZN*St3_V2*", RDL__EFFECT_KNOWN}, /* error categories, clocks */
    {"libstdc++.so", "_ZNSt6chrono*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZNSt6thread*", RDL__EFFECT_KNOWN}, /* they call pthread_... */
    {"libstdc++.so", "_ZNSt11this_thread*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZNSt18condition_variable*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZNSt28__atomic_futex_unsigned_base*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZNSt13__future_base*", RDL__EFFECT_KNOWN},
    {"libstdc++.so", "_ZSt25notify_all_at_thread_exit*", RDL__EFFECT_KNOWN},
    {"ld-linux-x86-64.so", "*", RDL__EFFECT_KNOWN},
    {"libasan.so", "__[aus]*", RDL__EFFECT_KNOWN}, /* what compilers call */
    {"libubsan.so", "__[aus]*", RDL__EFFECT_KNOWN},
};

static enum rdl__call_effect effect_by_pattern(const char *name, const char *module)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if ((!module || rdl__module_is_named(module, patterns[i].module)) &&
            (module || strcmp(patterns[i].name, "*") != 0) &&
            fnmatch(patterns[i].name, name, 0) == 0)
            return patterns[i].effect;
    return RDL__EFFECT_UNKNOWN;
}

enum rdl__call_effect rdl__call_effect(const char *name, const char *module)
{
    const struct rdl__call_row *row = rdl__call_row(name);

    if (!row)
        return effect_by_pattern(name, module);
    if (row->way == RDL__CALL_VAGUE || row->way == RDL__CALL_VAGUE_POINT)
        return RDL__EFFECT_UNKNOWN;
    return row->wrapped ? RDL__EFFECT_MEMORY : RDL__EFFECT_KNOWN;
}
