/* match.c -- raddle match: is a log of events one of the streams that a spec describes?
 *
 * The log is read line by line, and each event is offered to the matcher at once: what has been
 * read is forgotten, but for the last few events, which a report shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/raddle/commands.h"
#include "cli/raddle/event_log.h"
#include "cli/raddle/spec_library.h"
#include "port/clock.h"
#include "report/progress.h"

static const char usage[] =
    "Usage: raddle match [OPTION]... LIBRARY EVENTS\n\n"
    "Checks a log of events against a spec of streams (see raddle/events.h) that a shared\n"
    "library has by RDL_STREAM_SPEC.  EVENTS is a file, or - for standard input; each line is\n"
    "an event, in the order of time:\n\n"
    "  {\"port\": \"net\", \"dir\": \"out\", \"type\": \"ping\", \"data\": {\"id\": 3}, "
    "\"time\": 12.5}\n\n"
    "  --spec-name NAME  which spec, if there are several\n"
    "  --format FORMAT   human (default) or json\n"
    "  --quiet           say nothing if the log is as specified\n"
    "  --verbose         say how many events there were of each type, too\n\n"
    "Exit status 0 if the log is as specified, 1 if not, 2 if that could not be found out.\n";

struct request {
    const char *library, *spec_name, *events;
    bool json, quiet, verbose, help;
};

/* ---- The command line -------- */

static bool take_argument(struct request *r, int argc, char **argv, int *i,
                          struct rdl__error *error)
{
    const char *option = argv[*i], *value;

    if (strcmp(option, "--help") == 0)
        r->help = true;
    else if (strcmp(option, "--quiet") == 0)
        r->verbose = !(r->quiet = true);
    else if (strcmp(option, "--verbose") == 0)
        r->quiet = !(r->verbose = true);
    else if ((value = rdl__option_value("--spec-name", argc, argv, i, error)))
        return *(r->spec_name = value) != '\0';
    else if ((value = rdl__option_value("--format", argc, argv, i, error)))
        return *value ? rdl__option_is_json(value, &r->json, error) : false;
    else if (option[0] == '-' && option[1])
        return rdl__option_unknown(option, usage, error);
    else if (!r->library)
        r->library = option;
    else if (!r->events)
        r->events = option;
    else
        return rdl__fail(error, "one log at a time: %s or %s?", r->events, option);
    return true;
}

static bool read_request(struct request *r, int argc, char **argv, struct rdl__error *error)
{
    for (int i = 1; i < argc && !r->help; i++)
        if (!take_argument(r, argc, argv, &i, error))
            return false;
    if (r->help)
        return true;
    if (!r->library)
        return rdl__fail(error, "which library?  raddle match LIBRARY LOG");
    return r->events || rdl__fail(error, "which log of events?  raddle match LIBRARY LOG");
}

/* ---- The spec -------- */

static const struct rdl_stream_spec *find_spec(const struct request *r, struct rdl__error *error)
{
    size_t count;
    const struct rdl_stream_spec *const *specs;
    struct rdl__text names = {0};

    if (!rdl__load_library(r->library, error))
        return NULL;
    specs = rdl__stream_specs(&count);
    for (size_t i = 0; i < count; i++)
        if (r->spec_name ? strcmp(specs[i]->name, r->spec_name) == 0 : count == 1)
            return specs[i];
    for (size_t i = 0; i < count; i++)
        rdl__text_add(&names, "%s%s", i ? ", " : "", specs[i]->name);
    if (count == 0)
        rdl__fail(error, "there is no spec of streams in %s; RDL_STREAM_SPEC makes one",
                  r->library);
    else if (r->spec_name)
        rdl__fail(error, "no spec in %s is called %s; there are: %s", r->library, r->spec_name,
                  names.bytes);
    else
        rdl__fail(error, "%s has several specs; choose with --spec-name: %s", r->library,
                  names.bytes);
    rdl__text_release(&names);
    return NULL;
}

/* ---- The last events -------- */

enum { LAST = 20 };

struct past {
    uint64_t line;
    struct rdl_event event;
    void *data;
    size_t room;
};

/* Its data will be overwritten, so it is copied: to where that of the oldest was. */
static void remember(struct past *past, const struct rdl__event_log *log)
{
    size_t size = log->event.size + 1; /* of a frame, the NUL after it as well */

    if (past->room < size) {
        past->room = size;
        past->data = rdl__reallocate(past->data, size);
    }
    past->line = log->line;
    past->event = log->event;
    past->event.data = memcpy(past->data, log->event.data, size);
}

/* ---- Matching -------- */

enum verdict { PASS, BAD_EVENT, LATE, INCOMPLETE, TOO_MANY, UNREADABLE };

/* How many events there were of a type at a port. */
enum { KINDS_MAX = 256 };

struct kind {
    const struct rdl_port *port;
    enum rdl_direction direction;
    const struct rdl_event_type *type;
    uint64_t count;
};

struct matching {
    const struct rdl_stream_spec *spec;
    struct rdl__event_log log;
    struct rdl__matcher *m; /* made with the first event, which says what time it is */
    uint64_t events;
    uint64_t over; /* when time ran out for one way to go on; of the last event, or 0 */
    struct past last[LAST];
    double seconds;

    bool counts; /* kinds of events */
    struct kind kinds[KINDS_MAX];
    size_t kind_count;

    struct rdl__progress_line line;
    uint64_t started_ns;
    uint64_t bytes; /* of the log; 0: not known */
};

/* ---- How far it is -------- */

enum { LOOKED_AT_EVERY = 256 };

/* How long it will take is guessed from the bytes that have been read. */
static void show_progress(struct matching *m)
{
    double seconds = (double)(rdl__now_ns() - m->started_ns) * 1e-9;
    uint64_t read = rdl__event_log_read(&m->log);
    struct rdl__work work = {.who = m->log.file,
                             .doing = "matching",
                             .noun = "event",
                             .count = m->events,
                             .seconds = seconds,
                             .guessed = true};

    if (read > 0 && m->bytes > read)
        work.left = seconds * (double)(m->bytes - read) / (double)read;
    rdl__progress_show(&m->line, &work);
}

static void count_kind(struct matching *m)
{
    const struct rdl_event *event = &m->log.event;
    size_t i = 0;

    while (i < m->kind_count &&
           (m->kinds[i].port != event->port || m->kinds[i].direction != event->direction ||
            m->kinds[i].type != event->type))
        i++;
    if (i == KINDS_MAX)
        return;
    if (i == m->kind_count)
        m->kinds[m->kind_count++] = (struct kind){event->port, event->direction, event->type, 0};
    m->kinds[i].count++;
}

/* ---- Event by event -------- */

static enum verdict take_event(struct matching *m)
{
    struct rdl__effect effect;

    m->over = rdl__matcher_deadline(m->m);
    if (m->over >= m->log.now)
        m->over = 0;
    if (!rdl__matcher_time(m->m, m->log.now))
        return LATE;
    switch (rdl__matcher_event(m->m, &m->log.event, &effect)) {
    case RDL__TAKEN:
        remember(&m->last[m->events++ % LAST], &m->log);
        return PASS;
    case RDL__TOO_MANY:
        return TOO_MANY;
    default:
        return BAD_EVENT;
    }
}

static enum verdict match(struct matching *m, const struct rdl__program *program,
                          struct rdl__error *error)
{
    enum rdl__log_next next;

    while ((next = rdl__event_log_next(&m->log, error)) == RDL__LOG_EVENT) {
        enum verdict verdict;

        if (!m->m)
            m->m = rdl__matcher_new(program, m->log.now, 0);
        if (m->counts)
            count_kind(m);
        verdict = take_event(m);
        if (m->events % LOOKED_AT_EVERY == 0 && rdl__progress_is_due(&m->line))
            show_progress(m);
        if (verdict != PASS)
            return verdict;
    }
    if (next == RDL__LOG_WRONG)
        return UNREADABLE;
    if (!m->m)
        m->m = rdl__matcher_new(program, 0, 0);
    return rdl__matcher_is_complete(m->m) ? PASS : INCOMPLETE;
}

/* ---- In words -------- */

/* Each line of a text, with this before it. */
static void add_indented(struct rdl__text *out, const char *before, const struct rdl__text *text)
{
    for (const char *line = rdl__text_string(text), *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        rdl__text_add(out, "%s%.*s\n", before, (int)(end - line), line);
        end += *end == '\n';
    }
}

static void add_time(struct rdl__text *out, uint64_t ns)
{
    rdl__text_add(out, "%llu.%06llu s", (unsigned long long)(ns / 1000000000),
                  (unsigned long long)(ns / 1000 % 1000000));
}

static void add_why(struct rdl__text *out, const struct matching *m, enum verdict verdict)
{
    if (verdict == INCOMPLETE)
        return;
    if (m->over) {
        rdl__text_add(out, "it came at ");
        add_time(out, m->log.now);
        rdl__text_add(out, verdict == LATE ? ", but rdl_within ended at "
                                           : ", and for some of what was expected before "
                                             "rdl_within ended at ");
        add_time(out, m->over);
        rdl__text_add(out, "\n");
    }
    if (verdict == BAD_EVENT)
        rdl__matcher_explain(m->m, out);
}

static void add_headline(struct rdl__text *out, const struct matching *m, enum verdict verdict)
{
    if (verdict == INCOMPLETE) {
        rdl__text_add(out, "%s: the log ends after ", m->log.file);
        rdl__text_add_many(out, m->events, "event");
        rdl__text_add(out, ", but more was expected\n");
        return;
    }
    rdl__text_add(out, "%s:%llu: %s: ", m->log.file, (unsigned long long)m->log.line,
                  verdict == LATE ? "too late" : "not as specified");
    rdl__event_show(out, &m->log.event);
    rdl__text_add(out, "\n");
}

static void add_last(struct rdl__text *out, const struct matching *m)
{
    uint64_t count = m->events < LAST ? m->events : LAST;

    if (count > 0)
        rdl__text_add(out, "  the last events before:\n");
    for (uint64_t i = m->events - count; i < m->events; i++) {
        rdl__text_add(out, "    line %llu: ", (unsigned long long)m->last[i % LAST].line);
        rdl__event_show(out, &m->last[i % LAST].event);
        rdl__text_add(out, "\n");
    }
}

static void add_failure(struct rdl__text *out, const struct matching *m, enum verdict verdict)
{
    struct rdl__text expected = {0}, why = {0};

    rdl__matcher_expected(m->m, &expected);
    add_why(&why, m, verdict);
    add_headline(out, m, verdict);
    add_indented(out, "  ", &why);
    rdl__text_add(out, "  expected:\n");
    add_indented(out, "  ", &expected);
    add_last(out, m);
    rdl__text_release(&expected);
    rdl__text_release(&why);
}

static void add_summary(struct rdl__text *out, const struct matching *m, enum verdict verdict)
{
    if (verdict == PASS) {
        rdl__text_add_many(out, m->events, "event");
        rdl__text_add(out, ": as specified\n");
    } else if (verdict == TOO_MANY) {
        rdl__text_add(out, "%s:%llu: undecided: there are too many ways to understand it\n",
                      m->log.file, (unsigned long long)m->log.line);
    } else {
        add_failure(out, m, verdict);
    }
}

/* ---- In JSON -------- */

static void add_json_event(struct rdl__text *out, const struct rdl_event *event)
{
    struct rdl__text words = {0};

    rdl__event_show(&words, event);
    rdl__add_json_string(out, words.bytes);
    rdl__text_release(&words);
}

/* The lines of a text, without what they are indented by. */
static void add_json_lines(struct rdl__text *out, char *lines)
{
    bool first = true;

    rdl__text_add(out, "[");
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"), first = false) {
        rdl__text_add(out, first ? "" : ",");
        rdl__add_json_string(out, line + strspn(line, " "));
    }
    rdl__text_add(out, "]");
}

static void add_json_texts(struct rdl__text *out, const struct matching *m, enum verdict verdict)
{
    struct rdl__text lines = {0};

    rdl__matcher_expected(m->m, &lines);
    rdl__text_add(out, ",\"expected\":");
    add_json_lines(out, lines.bytes);
    rdl__text_clear(&lines);
    add_why(&lines, m, verdict);
    rdl__text_add(out, ",\"why\":");
    rdl__add_json_string(out, rdl__text_string(&lines));
    rdl__text_release(&lines);
}

static void add_json_failure(struct rdl__text *out, const struct matching *m, enum verdict verdict)
{
    static const char *const reasons[] = {
        [BAD_EVENT] = "event", [LATE] = "late", [INCOMPLETE] = "end"};
    uint64_t count = m->events < LAST ? m->events : LAST;

    rdl__text_add(out, ",\"reason\":\"%s\"", reasons[verdict]);
    if (verdict != INCOMPLETE) {
        rdl__text_add(out, ",\"line\":%llu,\"event\":", (unsigned long long)m->log.line);
        add_json_event(out, &m->log.event);
    }
    add_json_texts(out, m, verdict);
    rdl__text_add(out, ",\"last\":[");
    for (uint64_t i = m->events - count; i < m->events; i++) {
        rdl__text_add(out, "%s{\"line\":%llu,\"event\":", i > m->events - count ? "," : "",
                      (unsigned long long)m->last[i % LAST].line);
        add_json_event(out, &m->last[i % LAST].event);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_json(struct rdl__text *out, const struct matching *m, enum verdict verdict)
{
    const char *word = verdict == PASS ? "pass" : verdict == TOO_MANY ? "undecided" : "fail";

    rdl__text_add(out, "{\"spec\":");
    rdl__add_json_string(out, m->spec->name);
    rdl__text_add(out, ",\"verdict\":\"%s\",\"events\":%llu,\"seconds\":%.3f", word,
                  (unsigned long long)m->events, m->seconds);
    if (verdict == TOO_MANY)
        rdl__text_add(out, ",\"line\":%llu", (unsigned long long)m->log.line);
    else if (verdict != PASS)
        add_json_failure(out, m, verdict);
    rdl__text_add(out, "}\n");
}

/* "  net out ping 12, net in pong 12, in 0.02 s" */
static void add_kinds(struct rdl__text *out, const struct matching *m)
{
    rdl__text_add(out, "  ");
    for (size_t i = 0; i < m->kind_count; i++) {
        const struct kind *kind = &m->kinds[i];

        rdl__text_add(out, "%s %s %s ", kind->port->name, kind->direction == RDL_IN ? "in" : "out",
                      kind->type->name);
        rdl__text_add_count(out, kind->count);
        rdl__text_add(out, ", ");
    }
    rdl__text_add(out, "in %.2f s\n", m->seconds);
}

/* ---- The command -------- */

static int report(const struct request *r, const struct matching *m, enum verdict verdict)
{
    struct rdl__text out = {0};

    if (r->json)
        add_json(&out, m, verdict);
    else if (verdict != PASS || !r->quiet)
        add_summary(&out, m, verdict);
    if (r->verbose && !r->json)
        add_kinds(&out, m);
    fputs(rdl__text_string(&out), stdout);
    rdl__text_release(&out);
    if (fflush(stdout) != 0 || verdict == TOO_MANY)
        return RDL__EXIT_SETUP;
    return verdict == PASS ? RDL__EXIT_PASS : RDL__EXIT_FAIL;
}

/* What the user may not know about the spec, or of this log. */
static void add_notes(const struct request *r, const struct rdl__recorded *recorded,
                      const struct rdl__program *program)
{
    if (r->quiet)
        return;
    fputs(rdl__program_warnings(program), stderr);
    if (recorded->passed_over > 0)
        fprintf(stderr,
                "raddle match: note: rdl_do and rdl_inspect are passed over: nobody acts in a "
                "log\n");
}

static void add_note_of_times(const struct request *r, const struct rdl__recorded *recorded,
                              const struct matching *m)
{
    if (!r->quiet && recorded->has_deadlines && m->events > 0 && !m->log.has_times)
        fprintf(stderr, "raddle match: note: the log has no times, so rdl_within is not checked\n");
}

static int match_log(const struct request *r, const struct rdl_stream_spec *spec,
                     const struct rdl__recorded *recorded, const struct rdl__program *program,
                     struct rdl__error *error)
{
    struct matching m = {.spec = spec,
                         .counts = r->verbose,
                         .line.on = rdl__progress_wanted(r->quiet),
                         .started_ns = rdl__now_ns()};
    enum verdict verdict;
    int status = -1;

    if (!rdl__event_log_open(&m.log, r->events, recorded, error))
        return -1;
    m.bytes = rdl__event_log_size(&m.log);
    verdict = match(&m, program, error);
    rdl__progress_wipe(&m.line);
    m.seconds = (double)(rdl__now_ns() - m.started_ns) / 1e9;
    if (verdict != UNREADABLE) {
        add_note_of_times(r, recorded, &m);
        status = report(r, &m, verdict);
    }
    for (int i = 0; i < LAST; i++)
        free(m.last[i].data);
    if (m.m)
        rdl__matcher_free(m.m);
    rdl__event_log_close(&m.log);
    return status;
}

static int match_spec(const struct request *r, const struct rdl_stream_spec *spec,
                      struct rdl__error *error)
{
    struct rdl__recorded recorded;
    struct rdl__program *program = NULL;
    int status = -1;

    if (rdl__recorded_init(&recorded, spec->step, error))
        program = rdl__program_new(recorded.spec, error);
    if (program) {
        rdl__events_learn(recorded.types, recorded.type_count);
        add_notes(r, &recorded, program);
        status = match_log(r, spec, &recorded, program, error);
        rdl__program_free(program);
    }
    rdl__recorded_release(&recorded);
    return status;
}

int rdl__command_match(int argc, char **argv)
{
    struct request r = {0};
    struct rdl__error error = {0};
    const struct rdl_stream_spec *spec;
    int status = -1;

    if (read_request(&r, argc, argv, &error)) {
        if (r.help)
            return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
        spec = find_spec(&r, &error);
        status = spec ? match_spec(&r, spec, &error) : -1;
    }
    if (status >= 0)
        return status;
    fprintf(stderr, "raddle match: %s\n", error.text);
    return RDL__EXIT_SETUP;
}
