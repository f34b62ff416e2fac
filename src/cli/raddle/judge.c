/* judge.c -- raddle judge: can a spec explain a recorded history?
 *
 * A history is split by key, where the spec has keys, and each part is judged apart.  In
 * one that is not explained we look for the shortest beginning that is not, either: it ends
 * with the event that is reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/raddle/commands.h"
#include "cli/raddle/history.h"
#include "cli/raddle/spec_library.h"
#include "judge/viable.h"
#include "port/clock.h"
#include "report/progress.h"
#include "report/report.h"

static const char usage[] =
    "Usage: raddle judge --spec LIBRARY [OPTION]... HISTORY\n\n"
    "Looks for an order of all calls of a recorded history that explains their answers\n"
    "by a spec (see raddle/spec.h) and keeps to who was done before whom.  HISTORY is a\n"
    "file, or - for standard input; one event a line, in the order of time:\n\n"
    "  CLIENT call OPERATION ARGUMENTS   CLIENT return ANSWER\n"
    "  CLIENT fail     it had no effect  CLIENT unknown   it may have had, or have it yet\n"
    "  quiet           whoever has not returned waits\n\n"
    "  --spec LIBRARY    a shared library with the spec\n"
    "  --spec-name NAME  which one, if there are several\n"
    "  --policy          calls are served in the order of the spec's policy\n"
    "  --liveness        where it is quiet, nobody waits who could go on\n"
    "  --safety          neither; without these, both if there are quiet lines\n"
    "  --format FORMAT   human (default) or json\n"
    "  --quiet           say nothing if it is explained\n"
    "  --verbose         say how much there was to look at, too\n\n"
    "Exit status 0 if it is explained, 1 if not, 2 if that could not be found out.\n";

struct request {
    const char *library, *spec_name, *history;
    unsigned flags;
    bool safety, json, quiet, verbose, help;
};

/* ---- The command line -------- */

static bool take_flag(struct request *r, const char *option)
{
    if (strcmp(option, "--policy") == 0)
        r->flags |= RDL__WITH_POLICY;
    else if (strcmp(option, "--liveness") == 0)
        r->flags |= RDL__WITH_LIVENESS;
    else if (strcmp(option, "--safety") == 0)
        r->safety = true;
    else if (strcmp(option, "--quiet") == 0)
        r->verbose = !(r->quiet = true);
    else if (strcmp(option, "--verbose") == 0)
        r->quiet = !(r->verbose = true);
    else if (strcmp(option, "--help") == 0)
        r->help = true;
    else
        return false;
    return true;
}

static bool take_argument(struct request *r, int argc, char **argv, int *i,
                          struct rdl__error *error)
{
    const char *option = argv[*i], *value;

    if (take_flag(r, option))
        return true;
    if ((value = rdl__option_value("--spec", argc, argv, i, error)))
        r->library = value;
    else if ((value = rdl__option_value("--spec-name", argc, argv, i, error)))
        r->spec_name = value;
    else if ((value = rdl__option_value("--format", argc, argv, i, error)))
        return *value ? rdl__option_is_json(value, &r->json, error) : false;
    else if (option[0] == '-' && option[1])
        return rdl__option_unknown(option, usage, error);
    else if (r->history)
        return rdl__fail(error, "one history at a time: %s or %s?", r->history, option);
    else
        r->history = option;
    return !value || *value;
}

static bool read_request(struct request *r, int argc, char **argv, struct rdl__error *error)
{
    for (int i = 1; i < argc && !r->help; i++)
        if (!take_argument(r, argc, argv, &i, error))
            return false;
    if (r->help)
        return true;
    if (!r->library)
        return rdl__fail(error, "which spec?  raddle judge --spec LIBRARY HISTORY");
    if (!r->history)
        return rdl__fail(error, "which history?  raddle judge --spec LIBRARY HISTORY");
    if (r->safety && r->flags)
        return rdl__fail(error,
                         "--safety means neither --policy nor --liveness: leave it out, or them");
    return true;
}

/* ---- Judging -------- */

/* A part of the history: what has to do with one key. */
struct part {
    const struct rdl__told **events;
    size_t count;
    int64_t key;
};

struct judging {
    const struct rdl_spec *spec;
    const struct rdl__history *h;
    const void *initial;
    unsigned flags;
    struct rdl__viable *v;

    /* What was found: */
    size_t keys;
    const struct rdl__told *culprit; /* of all parts, the one that comes first */
    int64_t culprit_key;
    enum rdl__blame blame;
    struct rdl__text explanation;
    uint32_t undecided_line; /* 0: all was decided */
    uint32_t full_line;      /* where too many calls were in progress; 0: nowhere */
    uint64_t looked;         /* at configurations */

    /* How far it is: */
    struct rdl__progress_line line;
    uint64_t started_ns;
    size_t events, before; /* of all parts, and of those that have been judged */
    bool is_tracing_back;  /* to the first event that is not explained */
};

/* ---- How far it is -------- */

static struct judging *watched;

static void show_progress(const struct rdl__viable *v)
{
    struct judging *j = watched;

    if (v != j->v || !rdl__progress_is_due(&j->line))
        return;
    rdl__progress_show(&j->line,
                       &(struct rdl__work){
                           .who = j->h->file,
                           .doing = j->is_tracing_back ? "looking for where it begins" : "judging",
                           .noun = "event",
                           .count = j->before + rdl__viable_judged(v),
                           .goal = j->is_tracing_back ? 0 : j->events,
                           .seconds = (double)(rdl__now_ns() - j->started_ns) * 1e-9,
                       });
}

static void watch(struct judging *j, const struct request *r)
{
    j->line.on = rdl__progress_wanted(r->quiet);
    j->started_ns = rdl__now_ns();
    watched = j;
    rdl__viable_watch = j->line.on ? show_progress : NULL;
}

/* ---- Verdicts -------- */

static const struct rdl__recorded *call_of(const struct judging *j, const struct rdl__told *e)
{
    return &j->h->calls[e->call];
}

/* How the first `count` events of the part are judged.  Calls that return later only, or not
 * at all, may have had their effect or not. */
static enum rdl__judgement judge_beginning(struct judging *j, const struct part *part, size_t count)
{
    enum rdl__judgement judgement = RDL__EXPLAINED;

    rdl__viable_reset(j->v, j->initial, j->flags | RDL__PENDING_FREE);
    for (size_t i = 0; i < count && judgement == RDL__EXPLAINED; i++) {
        const struct rdl__told *e = part->events[i];

        if (e->kind == RDL__TOLD_CALL && !rdl__viable_has_room(j->v)) {
            j->full_line = e->line;
            return RDL__UNDECIDED;
        }
        if (e->kind == RDL__TOLD_CALL)
            rdl__viable_begin(j->v, &call_of(j, e)->call);
        else if (e->kind == RDL__TOLD_RETURN)
            rdl__viable_return(j->v, call_of(j, e)->call.number, call_of(j, e)->answer);
        else
            judgement = rdl__viable_quiet(j->v);
    }
    return judgement == RDL__EXPLAINED ? rdl__viable_end(j->v) : judgement;
}

/* The whole part is not explained: from which event on?  The judge got stuck after so many
 * of them.  It may have been earlier, in the same row of returns; or later, if it knew the
 * answer of a call that had not yet returned. */
static const struct rdl__told *find_culprit(struct judging *j, const struct part *part)
{
    size_t at = rdl__viable_judged(j->v);

    while (at > 0 && part->events[at - 1]->kind != RDL__TOLD_CALL)
        at--;
    for (; at < part->count; at++)
        if (part->events[at]->kind != RDL__TOLD_CALL &&
            judge_beginning(j, part, at + 1) == RDL__UNEXPLAINED)
            return part->events[at];
    return NULL;
}

static void note_culprit(struct judging *j, const struct part *part)
{
    const struct rdl__told *culprit = find_culprit(j, part);

    if (!culprit) /* it takes the whole of it, and more than can be looked at to say where */
        culprit = part->events[part->count - 1];
    if (j->culprit && j->culprit->line <= culprit->line)
        return;
    j->culprit = culprit;
    j->culprit_key = part->key;
    j->blame = rdl__viable_blame(j->v);
    rdl__text_clear(&j->explanation);
    rdl__viable_explain(j->v, &j->explanation);
}

static void judge_part(struct judging *j, const struct part *part)
{
    j->keys++;
    switch (judge_beginning(j, part, part->count)) {
    case RDL__UNEXPLAINED:
        j->is_tracing_back = true;
        note_culprit(j, part);
        j->is_tracing_back = false;
        break;
    case RDL__UNDECIDED:
        if (!j->undecided_line)
            j->undecided_line =
                j->full_line ? j->full_line : part->events[rdl__viable_judged(j->v) - 1]->line;
        break;
    default:
        break;
    }
}

/* ---- Parts -------- */

struct keyed {
    int64_t key;
    const struct rdl__told *event;
};

/* By key; events of the same key in the order of time. */
static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* Events of calls, sorted. */
static struct keyed *sorted_events(const struct rdl__history *h, size_t *out_count)
{
    struct keyed *all = rdl__allocate((h->event_count + 1) * sizeof *all);
    size_t count = 0;

    for (size_t i = 0; i < h->event_count; i++)
        if (h->events[i].kind != RDL__TOLD_QUIET)
            all[count++] = (struct keyed){h->calls[h->events[i].call].key, &h->events[i]};
    qsort(all, count, sizeof *all, compare_keyed);
    *out_count = count;
    return all;
}

static const struct rdl__told **quiet_events(const struct rdl__history *h)
{
    const struct rdl__told **quiet = rdl__allocate((h->quiet_count + 1) * sizeof *quiet);
    size_t count = 0;

    for (size_t i = 0; i < h->event_count; i++)
        if (h->events[i].kind == RDL__TOLD_QUIET)
            quiet[count++] = &h->events[i];
    return quiet;
}

/* Put these events into the part, and where something has happened since it was quiet last,
 * that it is quiet: for every key. */
static void fill_part(struct part *part, const struct keyed *from, size_t count,
                      const struct rdl__told *const *quiet, size_t quiet_count)
{
    size_t q = 0;

    *part = (struct part){.events = part->events, .key = from->key};
    for (size_t i = 0; i < count; i++) {
        const struct rdl__told *next = i + 1 < count ? from[i + 1].event : NULL;

        part->events[part->count++] = from[i].event;
        while (q < quiet_count && quiet[q] < from[i].event)
            q++;
        if (q < quiet_count && (!next || quiet[q] < next))
            part->events[part->count++] = quiet[q];
    }
}

static void judge_parts(struct judging *j)
{
    const struct rdl__history *h = j->h;
    size_t count;
    struct keyed *all = sorted_events(h, &count);
    const struct rdl__told **quiet = quiet_events(h);
    struct part part = {.events = rdl__allocate((2 * count + 1) * sizeof *part.events)};

    j->v = rdl__viable_new(j->spec, j->initial, j->flags);
    j->events = count;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && all[to].key == all[from].key;)
            to++;
        fill_part(&part, all + from, to - from, quiet, h->quiet_count);
        judge_part(j, &part);
        j->before += to - from;
    }
    j->looked = rdl__viable_looked(j->v);
    rdl__viable_free(j->v);
    free(part.events);
    free(quiet);
    free(all);
}

/* ---- In words -------- */

enum { CONCURRENT_SHOWN = 10 };

static void add_call(struct rdl__text *out, const struct rdl__recorded *call)
{
    rdl__text_add(out, "%s ", call->client);
    rdl__show_call(out, call->call.operation, call->call.args);
    if (call->fate == RDL__CALL_RETURNED && call->call.operation->answer_size) {
        rdl__text_add(out, " = ");
        rdl__show_answer(out, call->call.operation, call->answer);
    }
}

static void add_lines(struct rdl__text *out, const struct rdl__recorded *call)
{
    if (call->fate == RDL__CALL_RETURNED)
        rdl__text_add(out, ", lines %u to %u", call->began, call->ended);
    else
        rdl__text_add(out, ", from line %u on, %s", call->began,
                      call->fate == RDL__CALL_UNKNOWN ? "unknown" : "has not returned");
}

/* Calls that were in progress at the same time as this one, or when it was quiet. */
static void add_concurrent(struct rdl__text *out, const struct judging *j)
{
    const struct rdl__told *at = j->culprit;
    const struct rdl__recorded *self = at->kind == RDL__TOLD_QUIET ? NULL : call_of(j, at);
    uint32_t began = self ? self->began : at->line;
    size_t count = 0;

    for (size_t i = 0; i < j->h->call_count; i++) {
        const struct rdl__recorded *other = &j->h->calls[i];
        bool has_ended = other->fate == RDL__CALL_RETURNED && other->ended < began;

        if (other == self || other->fate == RDL__CALL_FAILED || other->began > at->line ||
            has_ended || other->key != j->culprit_key || ++count > CONCURRENT_SHOWN)
            continue;
        rdl__text_add(out, count > 1 ? "    "
                           : self    ? "  at the same time:\n    "
                                     : "  in progress:\n    ");
        add_call(out, other);
        add_lines(out, other);
        rdl__text_add(out, "\n");
    }
    if (count > CONCURRENT_SHOWN)
        rdl__text_add(out, "    and %zu more\n", count - CONCURRENT_SHOWN);
}

static const char *words_for(const struct judging *j)
{
    if (j->blame == RDL__BLAME_WAITS)
        return "a call waits that has to go on";
    if (j->blame == RDL__BLAME_POLICY)
        return "not in the order of the policy";
    return j->h->quiet_count ? "not possible" : "not linearizable";
}

static void add_failure(struct rdl__text *out, const struct judging *j)
{
    const struct rdl__recorded *call = call_of(j, j->culprit);

    rdl__text_add(out, "%s:%u: %s", j->h->file, j->culprit->line, words_for(j));
    if (j->culprit->kind == RDL__TOLD_RETURN) {
        rdl__text_add(out, ": ");
        add_call(out, call);
        rdl__text_add(out, ", called in line %u", call->began);
    }
    if (j->h->is_split)
        rdl__text_add(out, " (key %lld)", (long long)j->culprit_key);
    rdl__text_add(out, "\n");
    add_concurrent(out, j);
    for (const char *line = rdl__text_string(&j->explanation), *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        rdl__text_add(out, "  %.*s", (int)(end - line), line);
    }
}

static size_t judged_calls(const struct rdl__history *h)
{
    size_t count = 0;

    for (size_t i = 0; i < h->call_count; i++)
        count += h->calls[i].fate != RDL__CALL_FAILED;
    return count;
}

static void add_summary(struct rdl__text *out, const struct judging *j, double seconds)
{
    if (j->culprit) {
        add_failure(out, j);
        return;
    }
    if (j->undecided_line) {
        rdl__text_add(out, "%s:%u: undecided: %s\n", j->h->file, j->undecided_line,
                      j->full_line == j->undecided_line
                          ? "more than 64 calls are in progress at once"
                          : "there are more orders than can be looked at");
        return;
    }
    rdl__text_add(out, j->h->quiet_count ? "explained: " : "linearizable: ");
    rdl__text_add_many(out, judged_calls(j->h), "call");
    if (j->h->is_split) {
        rdl__text_add(out, ", ");
        rdl__text_add_many(out, j->keys, "key");
    }
    rdl__text_add(out, ", %.2f s\n", seconds);
}

static void add_json_failure(struct rdl__text *out, const struct judging *j)
{
    static const char *const blames[] = {"none", "answer", "policy", "waits"};
    struct rdl__text words = {0};

    rdl__text_add(out, ",\"line\":%u,\"blame\":\"%s\",\"explanation\":", j->culprit->line,
                  blames[j->blame]);
    add_failure(&words, j);
    rdl__add_json_string(out, words.bytes);
    rdl__text_clear(&words);
    if (j->culprit->kind == RDL__TOLD_RETURN) {
        rdl__text_add(out, ",\"call\":");
        add_call(&words, call_of(j, j->culprit));
        rdl__add_json_string(out, words.bytes);
    }
    rdl__text_release(&words);
    if (j->h->is_split)
        rdl__text_add(out, ",\"key\":%lld", (long long)j->culprit_key);
}

static void add_json(struct rdl__text *out, const struct judging *j, double seconds)
{
    const char *verdict = j->culprit ? "fail" : j->undecided_line ? "undecided" : "pass";

    rdl__text_add(out, "{\"spec\":");
    rdl__add_json_string(out, j->spec->name);
    rdl__text_add(out, ",\"verdict\":\"%s\",\"calls\":%zu,\"keys\":%zu,\"seconds\":%.3f", verdict,
                  judged_calls(j->h), j->keys, seconds);
    if (j->culprit)
        add_json_failure(out, j);
    else if (j->undecided_line)
        rdl__text_add(out, ",\"line\":%u", j->undecided_line);
    rdl__text_add(out, "}\n");
}

/* ---- How much there was to look at -------- */

/* The most calls that were in progress at once. */
static size_t most_at_once(const struct rdl__history *h)
{
    size_t now = 0, most = 0;

    for (size_t i = 0; i < h->event_count; i++) {
        now += h->events[i].kind == RDL__TOLD_CALL;
        now -= h->events[i].kind == RDL__TOLD_RETURN;
        most = now > most ? now : most;
    }
    return most;
}

/* "  put 512, get 498" */
static void add_operations(struct rdl__text *out, const struct judging *j)
{
    const char *before = "  ";

    for (size_t i = 0; i < j->spec->operation_count; i++) {
        const struct rdl_operation *operation = j->spec->operations[i];
        uint64_t calls = 0;

        for (size_t k = 0; k < j->h->call_count; k++)
            calls += j->h->calls[k].call.operation == operation;
        rdl__text_add(out, "%s%s ", before, operation->name);
        rdl__text_add_count(out, calls);
        before = ", ";
    }
    rdl__text_add(out, *before == ',' ? "\n" : "");
}

static void add_statistics(struct rdl__text *out, const struct judging *j)
{
    rdl__text_add(out, "  ");
    rdl__text_add_many(out, j->h->event_count, "event");
    rdl__text_add(out, ", at most ");
    rdl__text_add_many(out, most_at_once(j->h), "call");
    rdl__text_add(out, " in progress at once, ");
    rdl__text_add_many(out, j->looked, "configuration");
    rdl__text_add(out, " looked at\n");
    add_operations(out, j);
}

/* ---- The command -------- */

static unsigned flags_for(const struct request *r, const struct rdl__history *h)
{
    bool by_default = !r->safety && !r->flags && h->quiet_count > 0;

    return by_default ? RDL__WITH_POLICY | RDL__WITH_LIVENESS : r->flags;
}

static int judge_history(const struct request *r, const struct rdl_spec *spec,
                         const struct rdl__history *h, const void *initial)
{
    struct judging j = {.spec = spec, .h = h, .initial = initial, .flags = flags_for(r, h)};
    uint64_t before = rdl__now_ns();
    struct rdl__text out = {0};
    double seconds;

    watch(&j, r);
    judge_parts(&j);
    rdl__progress_wipe(&j.line);
    seconds = (double)(rdl__now_ns() - before) / 1e9;
    if (r->json)
        add_json(&out, &j, seconds);
    else if (j.culprit || j.undecided_line || !r->quiet)
        add_summary(&out, &j, seconds);
    if (r->verbose && !r->json)
        add_statistics(&out, &j);
    fputs(rdl__text_string(&out), stdout);
    rdl__text_release(&out);
    rdl__text_release(&j.explanation);
    if (fflush(stdout) != 0)
        return RDL__EXIT_SETUP;
    return j.culprit ? RDL__EXIT_FAIL : j.undecided_line ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
}

static int judge(const struct request *r, struct rdl__error *error)
{
    const struct rdl_spec *spec = rdl__load_spec(r->library, r->spec_name, error);
    struct rdl__history h = {0};
    void *initial = spec ? rdl__initial_state(spec, error) : NULL;
    int status = -1;

    if (initial && rdl__history_read(&h, r->history, spec, error))
        status = judge_history(r, spec, &h, initial);
    rdl__history_release(&h);
    free(initial);
    return status;
}

int rdl__command_judge(int argc, char **argv)
{
    struct request r = {0};
    struct rdl__error error = {0};
    int status = -1;

    if (read_request(&r, argc, argv, &error)) {
        if (r.help)
            return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
        status = judge(&r, &error);
    }
    if (status >= 0)
        return status;
    fprintf(stderr, "raddle judge: %s\n", error.text);
    return RDL__EXIT_SETUP;
}
