/* event_log.c -- reading recorded events, in constant memory.
 *
 *     {"port": "net", "dir": "out", "type": "ping", "data": {"id": 3}, "time": 12.5}
 *
 * docs/man/raddle-match.1 is for those who write such lines.  What a line holds is read where
 * it lies, and the event's data into one place, again and again. */
#include "cli/raddle/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 18, NS_DIGITS = 9 };
#define SECONDS_MAX UINT64_C(10000000000)

/* ---- Lines ---------------------------------------------------------------------------------- */

static bool complain(const struct rdl__event_log *log, struct rdl__error *error, const char *what)
{
    return rdl__fail(error, "%s:%llu: %s", log->file, (unsigned long long)log->line, what);
}

/* Read more, behind what there is of the line. */
static bool fill(struct rdl__event_log *log, struct rdl__error *error)
{
    ssize_t count;

    memmove(log->buffer, log->buffer + log->from, log->to - log->from);
    log->to -= log->from;
    log->searched -= log->from;
    log->from = 0;
    do
        count = read(log->fd, log->buffer + log->to, CHUNK);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return rdl__fail(error, "cannot read %s: %s", log->file, strerror(errno));
    log->to += (size_t)count;
    log->at_end = count == 0;
    return true;
}

/* The end of the line, which need not have a newline if it is the last, or as much of it as can be
 * had; NULL: there is none. */
static char *find_end(struct rdl__event_log *log, struct rdl__error *error)
{
    for (;;) {
        char *end = memchr(log->buffer + log->searched, '\n', log->to - log->searched);

        if (end)
            return end;
        log->searched = log->to;
        if (log->at_end)
            return log->from < log->to ? log->buffer + log->to : NULL;
        if (log->to - log->from > RDL__LINE_MAX || !fill(log, error))
            return log->buffer + log->to;
    }
}

/* The next line as a string.  NULL: there is none, or error says why not. */
static char *next_line(struct rdl__event_log *log, size_t *out_length, struct rdl__error *error)
{
    char *end, *line;

    log->line++;
    end = find_end(log, error);
    if (!end || error->text[0])
        return NULL;
    line = log->buffer + log->from;
    if (end - line > RDL__LINE_MAX) {
        complain(log, error, "the line is longer than 1 MiB: an event is one line");
        return NULL;
    }
    *end = '\0';
    *out_length = (size_t)(end - line);
    log->from = log->searched = (size_t)(end - log->buffer) + 1;
    if (log->from > log->to) /* the last, without a newline */
        log->from = log->searched = log->to;
    return line;
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Most differ in how they begin, and there are millions. */
static bool are_same(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static void add_name(struct rdl__text *out, const char *name)
{
    rdl__text_add(out, "%s%s", out->count ? ", " : "", name);
}

static bool is_unknown(struct rdl__error *error, const char *what, const char *name,
                       struct rdl__text *names)
{
    rdl__fail(error, "there is no %s '%.60s', but %s", what, name,
              names->count ? names->bytes : "none at all");
    rdl__text_release(names);
    return false;
}

static bool find_port(struct rdl__event_log *log, const char *name, struct rdl__error *error)
{
    struct rdl__text names = {0};

    for (size_t i = 0; i < log->known->port_count; i++)
        if (are_same(log->known->ports[i]->name, name)) {
            log->event.port = log->known->ports[i];
            return true;
        }
    for (size_t i = 0; i < log->known->port_count; i++)
        add_name(&names, log->known->ports[i]->name);
    return is_unknown(error, "port", name, &names);
}

static bool find_type(struct rdl__event_log *log, const char *name, struct rdl__error *error)
{
    struct rdl__text names = {0};

    for (size_t i = 0; i < log->known->type_count; i++)
        if (are_same(log->known->types[i]->name, name)) {
            log->event.type = log->known->types[i];
            return true;
        }
    for (size_t i = 0; i < log->known->type_count; i++)
        add_name(&names, log->known->types[i]->name);
    return is_unknown(error, "type", name, &names);
}

static bool find_direction(struct rdl__event_log *log, const char *name, struct rdl__error *error)
{
    if (strcmp(name, "in") != 0 && strcmp(name, "out") != 0)
        return rdl__fail(error, "'%.60s' is no direction: in or out", name);
    log->event.direction = name[0] == 'i' ? RDL_IN : RDL_OUT;
    return true;
}

/* ---- Events --------------------------------------------------------------------------------- */

enum key { PORT, DIR, TYPE, DATA, TIME, KEYS };

static const char *const key_names[KEYS] = {"port", "dir", "type", "data", "time"};

struct parse {
    struct rdl__event_log *log;
    struct rdl__json_scan scan;
    struct rdl__error *error;
    bool has[KEYS];
    enum key next; /* it comes, if keys come in their order */
    char *later;   /* data whose type was not known yet; NULL: none */
    uint64_t time;
};

static bool is_no_json(struct parse *p)
{
    return rdl__fail(p->error, "%s, at column %d", p->scan.wrong,
                     (int)(p->scan.at - p->scan.text) + 1);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Seconds, as nanoseconds: digits are counted, since a double has too few for times of today.
 * False: out of range. */
static bool read_seconds(const char *number, uint64_t *out)
{
    const char *at = number;
    double value;

    for (*out = 0; is_digit(*at) && *out < SECONDS_MAX; at++)
        *out = *out * 10 + (uint64_t)(*at - '0');
    if (*out >= SECONDS_MAX)
        return false;
    at += *at == '.';
    for (int i = 0; i < NS_DIGITS; i++)
        *out = *out * 10 + (is_digit(*at) ? (uint64_t)(*at++ - '0') : 0);
    while (is_digit(*at))
        at++;
    if (*at != 'e' && *at != 'E')
        return true;
    value = rdl__scan_value(number);
    *out = value < (double)SECONDS_MAX ? (uint64_t)(value * 1e9) : 0;
    return value < (double)SECONDS_MAX;
}

static bool read_time(struct parse *p)
{
    const char *number;
    size_t length;

    rdl__scan_peek(&p->scan);
    if (!rdl__scan_number(&p->scan, &number, &length))
        return rdl__fail(p->error, "time must be a number of seconds");
    return (number[0] != '-' && read_seconds(number, &p->time)) ||
           rdl__fail(p->error, "time %.*s is out of range", (int)length, number);
}

static bool read_name(struct parse *p, enum key key)
{
    const char *name;
    size_t length;

    if (rdl__scan_peek(&p->scan) != '"')
        return rdl__fail(p->error, "%s must be a string", key_names[key]);
    if (!rdl__scan_string(&p->scan, &name, &length))
        return is_no_json(p);
    if (key == PORT)
        return find_port(p->log, name, p->error);
    return key == DIR ? find_direction(p->log, name, p->error) : find_type(p->log, name, p->error);
}

static bool read_data(struct parse *p)
{
    const struct rdl_event_type *type = p->log->event.type;
    struct rdl__error why;

    if (rdl__data_read(type, &p->scan, p->log->data, &why))
        return true;
    return rdl__fail(p->error, "data of %s: %s", type->name, why.text);
}

/* KEYS: there is none. */
static enum key key_named(enum key first, const char *name)
{
    enum key key = first;

    do
        if (are_same(key_names[key], name))
            return key;
    while ((key = (key + 1) % KEYS) != first);
    return KEYS;
}

static bool read_key(struct parse *p, enum key *out)
{
    const char *name;
    size_t length;

    if (!rdl__scan_key(&p->scan, &name, &length))
        return is_no_json(p);
    *out = key_named(p->next, name);
    p->next = (*out + 1) % KEYS;
    if (*out == KEYS)
        return rdl__fail(p->error, "there is no key '%.60s', but port, dir, type, data, time",
                         name);
    if (p->has[*out])
        return rdl__fail(p->error, "%s is there twice", name);
    p->has[*out] = true;
    return true;
}

static bool read_member(struct parse *p)
{
    enum key key = KEYS;

    if (!read_key(p, &key))
        return false;
    if (key == TIME)
        return read_time(p);
    if (key != DATA)
        return read_name(p, key);
    if (p->has[TYPE])
        return read_data(p);
    p->later = p->scan.at;
    return rdl__scan_skip(&p->scan) || is_no_json(p);
}

static bool read_object(struct parse *p)
{
    if (!rdl__scan_accept(&p->scan, '{'))
        return rdl__fail(p->error, "expected an object, {\"port\": ...}");
    if (!rdl__scan_accept(&p->scan, '}')) {
        do
            if (!read_member(p))
                return false;
        while (rdl__scan_accept(&p->scan, ','));
        if (!rdl__scan_accept(&p->scan, '}'))
            return rdl__scan_refuse(&p->scan, "here should be , or }") || is_no_json(p);
    }
    return rdl__scan_is_over(&p->scan) || rdl__scan_refuse(&p->scan, "something follows") ||
           is_no_json(p);
}

/* What is left to be read when all keys have been seen. */
static bool complete(struct parse *p)
{
    char *end;

    for (enum key key = PORT; key <= TYPE; key++)
        if (!p->has[key])
            return rdl__fail(p->error, "%s is missing", key_names[key]);
    if (!p->has[DATA])
        memset(p->log->data, 0, p->log->event.type->size + 1);
    if (!p->later)
        return true;
    p->scan.at = p->later;
    if (!read_data(p))
        return false;
    end = p->scan.at;
    return rdl__scan_peek(&p->scan) == ',' || *p->scan.at == '}' ||
           (p->scan.at = end, rdl__scan_refuse(&p->scan, "here should be , or }")) || is_no_json(p);
}

/* An event without a time comes when the one before it did. */
static bool take_time(struct parse *p)
{
    struct rdl__event_log *log = p->log;

    if (!p->has[TIME])
        return true;
    if (log->had_event && !log->has_times)
        return rdl__fail(p->error, "it is the first event to have a time: all have one, or none");
    if (p->time < log->now)
        return rdl__fail(
            p->error,
            "its time is before that of the event before it: a log is in the order of time");
    log->has_times = true;
    log->now = p->time;
    return true;
}

static bool read_event(struct rdl__event_log *log, char *line, size_t length,
                       struct rdl__error *error)
{
    struct rdl__error why;
    struct parse p = {
        .log = log, .scan = {.text = line, .at = line, .end = line + length}, .error = &why};

    if (!read_object(&p) || !complete(&p) || !take_time(&p))
        return complain(log, error, why.text);
    log->had_event = true;
    log->event.data = log->data;
    log->event.size = rdl__data_size(log->event.type, log->data);
    return true;
}

/* ---- The log -------------------------------------------------------------------------------- */

static bool is_blank(const char *line, size_t length)
{
    return strspn(line, " \t\r") == length;
}

enum rdl__log_next rdl__event_log_next(struct rdl__event_log *log, struct rdl__error *error)
{
    size_t length;
    char *line;

    error->text[0] = '\0';
    do
        line = next_line(log, &length, error);
    while (line && is_blank(line, length));
    if (!line)
        return error->text[0] ? RDL__LOG_WRONG : RDL__LOG_END;
    return read_event(log, line, length, error) ? RDL__LOG_EVENT : RDL__LOG_WRONG;
}

/* Room for the largest: a frame, which is no longer than its line. */
static size_t room_for_data(const struct rdl__recorded *known)
{
    size_t room = sizeof(struct rdl_frame) + RDL__LINE_MAX + CHUNK;

    for (size_t i = 0; i < known->type_count; i++)
        if (known->types[i]->size > room)
            room = known->types[i]->size;
    return room + 1;
}

bool rdl__event_log_open(struct rdl__event_log *log, const char *file,
                         const struct rdl__recorded *known, struct rdl__error *error)
{
    bool is_input = strcmp(file, "-") == 0;

    *log = (struct rdl__event_log){.file = is_input ? "standard input" : file, .known = known};
    log->fd = is_input ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (log->fd < 0)
        return rdl__fail(error, "cannot open %s: %s", file, strerror(errno));
    log->buffer = rdl__allocate(RDL__LINE_MAX + 2 * CHUNK);
    log->data = rdl__allocate(room_for_data(known));
    return true;
}

uint64_t rdl__event_log_size(const struct rdl__event_log *log)
{
    struct stat file;

    return fstat(log->fd, &file) == 0 && S_ISREG(file.st_mode) ? (uint64_t)file.st_size : 0;
}

uint64_t rdl__event_log_read(const struct rdl__event_log *log)
{
    off_t at = lseek(log->fd, 0, SEEK_CUR);

    return at > 0 ? (uint64_t)at - (log->to - log->from) : 0;
}

void rdl__event_log_close(struct rdl__event_log *log)
{
    if (log->fd > STDIN_FILENO)
        close(log->fd);
    free(log->buffer);
    free(log->data);
}
