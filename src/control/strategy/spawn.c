/* spawn.c -- does the creator of a thread run on, or may the thread go at once? */
#include "control/strategy/spawn.h"

#include <string.h>

void rdl__spawn_begin(struct rdl__spawn *spawn, struct rdl__view *view)
{
    spawn->first = rdl__random_next(&view->random) >> 63;
    if (spawn->first)
        memset(spawn->past, 0, sizeof spawn->past);
}

/* A thread that has begun, or whose creator had to wait, is past being held back,
 * and stays so.  The creator itself has begun, so somebody is always left. */
static bool is_past(const struct rdl__view *view, uint32_t thread)
{
    uint32_t creator = view->creator[thread];

    return view->ops[thread].kind != RDL__OP_START || creator == thread ||
           !rdl__is_enabled(view, creator) || view->ops[creator].kind == RDL__OP_START ||
           rdl__is_polite(view, creator);
}

struct rdl__set rdl__hold_back(struct rdl__spawn *spawn, const struct rdl__view *view)
{
    struct rdl__set set = {view->enabled, (view->threads + 63) / 64, view->enabled_count};

    for (uint32_t word = 0; word < set.word_count; word++) {
        uint64_t fresh = view->enabled[word] & ~spawn->past[word];
        uint64_t held = 0;

        for (; fresh; fresh &= fresh - 1) {
            uint64_t bit = fresh & -fresh;

            if (is_past(view, word * 64 + (uint32_t)__builtin_ctzll(fresh)))
                spawn->past[word] |= bit;
            else
                held |= bit;
        }
        spawn->eligible[word] = view->enabled[word] & ~held;
        if (held)
            set.count -= (uint32_t)__builtin_popcountll(held);
    }
    set.words = spawn->eligible;
    return set;
}

uint32_t rdl__set_nth(const struct rdl__set *set, uint32_t n)
{
    uint32_t word = 0;
    uint64_t bits;

    for (; word + 1 < set->word_count; word++) {
        uint32_t here = (uint32_t)__builtin_popcountll(set->words[word]);

        if (n < here)
            break;
        n -= here;
    }
    for (bits = set->words[word]; n > 0; n--)
        bits &= bits - 1;
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

uint32_t rdl__set_from(const struct rdl__set *set, uint32_t from)
{
    uint32_t word = from / 64;

    if (word < set->word_count) {
        uint64_t bits = set->words[word] & UINT64_MAX << (from % 64);

        while (bits == 0 && ++word < set->word_count)
            bits = set->words[word];
        if (bits)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    for (word = 0; set->words[word] == 0;)
        word++;
    return word * 64 + (uint32_t)__builtin_ctzll(set->words[word]);
}
