/* sequence_words.c -- sequences of calls in words, after those of Brinch Hansen's paper:
 *
 *         {R1, R4: contents = ""}
 *     t1: client 1: receive() -- blocks
 *         {S2, S3: contents = ""; client 1 waits in receive()}
 *     t2: client 0: send("ab") -- returns
 *         {contents = "ab"; client 1 waits in receive()}
 *     t3: client 1: receive() continued -- returns 'a'  */
#include <string.h>

#include "drive/sequence.h"

static const struct rdl__planned *call_of(const struct rdl__sequence *sequence, uint32_t end,
                                          uint32_t client)
{
    const struct rdl__planned *last = NULL;

    for (uint32_t i = 0; i < end; i++)
        if (sequence->steps[i].client == client)
            last = &sequence->steps[i];
    return last && last->expected == RDL__BLOCKS && !(last->let_on && last->let_on <= end) ? last
                                                                                           : NULL;
}

static void add_waiting(struct rdl__text *out, const struct rdl__script *script,
                        const struct rdl__sequence *sequence, uint32_t end)
{
    for (uint32_t client = 0; client < script->clients; client++) {
        const struct rdl__planned *step = call_of(sequence, end, client);

        if (!step)
            continue;
        rdl__text_add(out, "; %s waits in ", script->names[client]);
        rdl__show_call(out, step->op, step->args);
    }
}

static void add_met(struct rdl__text *out, const struct rdl_spec *spec, uint64_t met)
{
    const char *before = "";

    for (; met; met &= met - 1) {
        rdl__text_add(out, "%s%s", before,
                      rdl__precondition(spec, (uint32_t)__builtin_ctzll(met)).name);
        before = ", ";
    }
    rdl__text_add(out, *before ? ": " : "");
}

void rdl__add_assertion(struct rdl__text *out, const struct rdl__script *script,
                        const struct rdl__sequence *sequence, uint32_t i)
{
    const void *state = i < sequence->count ? sequence->steps[i].before : sequence->after;
    struct rdl__text shown = {0};
    bool braced;

    if (!state)
        return;
    rdl__show_state(&shown, script->spec, state);
    braced = shown.count >= 2 && shown.bytes[0] == '{' && shown.bytes[shown.count - 1] == '}';
    rdl__text_add(out, "{");
    add_met(out, script->spec, i < sequence->count ? sequence->steps[i].met : 0);
    rdl__text_add_bytes(out, rdl__text_string(&shown) + braced, shown.count - 2 * (size_t)braced);
    add_waiting(out, script, sequence, i);
    rdl__text_add(out, "}");
    rdl__text_release(&shown);
}

void rdl__add_step(struct rdl__text *out, const struct rdl__script *script,
                   const struct rdl__planned *step)
{
    rdl__text_add(out, "t%d: %s: ", step->time, script->names[step->client]);
    rdl__show_call(out, step->op, step->args);
    rdl__text_add(out, step->continued ? " continued" : "");
}

void rdl__add_expected(struct rdl__text *out, const struct rdl__planned *step)
{
    if (step->expected == RDL__WHATEVER)
        rdl__text_add(out, "does what the spec allows");
    else if (step->expected == RDL__BLOCKS)
        rdl__text_add(out, "blocks");
    else
        rdl__text_add(out, "returns");
    if (step->answer) {
        rdl__text_add(out, " ");
        rdl__show_answer(out, step->op, step->answer);
    }
}

/* Whom the call of this step lets go on, though no step says so. */
static void add_let_on(struct rdl__text *out, const struct rdl__script *script,
                       const struct rdl__sequence *sequence, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (sequence->steps[k].let_on == i + 1)
            rdl__text_add(out, ", and %s is continued", script->names[sequence->steps[k].client]);
}

static void add_sequence(struct rdl__text *out, const struct rdl__script *script,
                         const struct rdl__sequence *sequence)
{
    for (uint32_t i = 0; i <= sequence->count; i++) {
        size_t before = out->count;

        rdl__text_add(out, "        ");
        rdl__add_assertion(out, script, sequence, i);
        if (out->count > before + 8)
            rdl__text_add(out, "\n");
        else
            out->count = before;
        if (i == sequence->count)
            break;
        rdl__text_add(out, "    ");
        rdl__add_step(out, script, &sequence->steps[i]);
        rdl__text_add(out, " -- ");
        rdl__add_expected(out, &sequence->steps[i]);
        add_let_on(out, script, sequence, i);
        rdl__text_add(out, "\n");
    }
}

/* Who is who, where that makes a difference. */
static void add_clients(struct rdl__text *out, const struct rdl__script *script,
                        const struct rdl__sequence *sequence)
{
    size_t size = script->spec->client_size;

    for (uint32_t i = 0; i < script->clients && script->spec->client && !script->is_table; i++) {
        rdl__text_add(out, "    %s: ", script->names[i]);
        rdl__show_client(out, script->spec, (const char *)sequence->clients + i * size);
        rdl__text_add(out, "\n");
    }
}

enum rdl__untried rdl__why_untried(const struct rdl__script *script, uint32_t precondition)
{
    if (script->met >> precondition & 1)
        return RDL__TRIED;
    if (!script->proven)
        return RDL__NOT_FOUND;
    return script->by_luck ? RDL__LEFT_TO_CHANCE : RDL__IMPOSSIBLE;
}

static void add_missing(struct rdl__text *out, const struct rdl__script *script)
{
    for (uint32_t i = 0; i < rdl__precondition_count(script->spec); i++) {
        struct rdl__precondition it = rdl__precondition(script->spec, i);

        if (script->met >> i & 1)
            continue;
        rdl__text_add(out, "    not tried: %s of %s", it.name, it.operation->name);
        if (!script->is_table) {
            rdl__text_add(out, ": ");
            rdl__add_why_untried(out, rdl__why_untried(script, i), script->clients);
        }
        rdl__text_add(out, "\n");
    }
}

void rdl__add_extent(struct rdl__text *out, const struct rdl__script *script)
{
    uint32_t all = rdl__precondition_count(script->spec);
    uint32_t met = (uint32_t)__builtin_popcountll(script->met);

    if (met < all)
        rdl__text_add(out, "%u of ", met);
    else if (all > 1)
        rdl__text_add(out, "all ");
    rdl__text_add_many(out, all, "precondition");
    rdl__text_add(out, " in ");
    rdl__text_add_many(out, script->calls, "call");
    if (script->count > 1)
        rdl__text_add(out, ", %u times from the beginning", script->count);
    else if (!script->is_table)
        rdl__text_add(out, script->shortest ? ", the fewest possible" : ", perhaps not the fewest");
}

void rdl__add_script(struct rdl__text *out, const struct rdl__script *script)
{
    if (rdl__precondition_count(script->spec) > 0) {
        rdl__text_add(out, "%s: ", script->test->name);
        rdl__add_extent(out, script);
        rdl__text_add(out, "\n");
    } else {
        rdl__text_add(out, "%s:\n", script->test->name);
    }
    for (uint32_t i = 0; i < script->count; i++) {
        rdl__text_add(out, i ? "    and again from the beginning:\n" : "");
        add_clients(out, script, &script->sequences[i]);
        add_sequence(out, script, &script->sequences[i]);
    }
    add_missing(out, script);
}
