/* specs.c -- specs of streams for tests/run_match.sh. */
#include <raddle/events.h>

enum colour { RED, GREEN = 5, BLUE };

struct point {
    int8_t x;
    int64_t y;
};

struct mixed {
    char name[8];
    enum colour colour;
    struct point corner;
    bool on;
    double real;
    uint16_t list[3];
};

struct request {
    int id;
};

struct response {
    char padded;
    int twice;
};

struct nothing {
};

RDL_EVENT(mixed, struct mixed);
RDL_EVENT(request, struct request);
RDL_EVENT(response, struct response);
RDL_EVENT(tick, int);
RDL_EVENT(end, struct nothing);

static struct rdl_port net = {.name = "net"}, side = {.name = "side"};

static bool answer_positive(const struct request *request, struct response *out)
{
    out->padded = 'x';
    out->twice = 2 * request->id;
    return request->id > 0;
}

static void make_tick(int *out)
{
    *out = 7;
}

static void act(void) {}

static bool is_fine(const int *it)
{
    return *it == 0;
}

static const int component;

#define REQUEST rdl_out(&net, rdl_any(request))
#define ANSWER  rdl_answer(REQUEST, request, answer_positive, &net, response)
#define END     rdl_expect(rdl_out(&side, rdl_any(end)))

/* All kinds of values. */
RDL_STREAM_SPEC(values,
                rdl_star(rdl_expect(rdl_in(&net, rdl_is(mixed, .name = "abcdefgh", .colour = BLUE,
                                                        .corner = {-3, INT64_MIN}, .on = true,
                                                        .real = 0.1, .list = {1, 65535})))));

/* What the test does stands in the log. */
RDL_STREAM_SPEC(acts, rdl_sequence(rdl_trigger(&net, tick, 3), rdl_do(act),
                                   rdl_trigger_by(&net, tick, make_tick),
                                   rdl_inspect(is_fine, &component),
                                   rdl_either(rdl_do(act), rdl_expect(REQUEST)),
                                   rdl_repeat(2, rdl_do(act)), END));

/* Answers, one by one, with something in between. */
RDL_STREAM_SPEC(
    answers,
    rdl_sequence(rdl_star(ANSWER, rdl_optional(rdl_expect(rdl_in(&net, rdl_any(tick))))), END));
RDL_STREAM_SPEC(unordered,
                rdl_sequence(rdl_unordered(ANSWER, ANSWER, rdl_expect(rdl_in(&net, rdl_any(tick)))),
                             END));
RDL_STREAM_SPEC(at_end, rdl_sequence(rdl_unordered_at_end(ANSWER, ANSWER), END));
RDL_STREAM_SPEC(in_a_row, rdl_sequence(rdl_answers(ANSWER, ANSWER), END));

/* Bytes. */
RDL_STREAM_SPEC(frames, rdl_star(rdl_expect(rdl_out(&net, rdl_text("GET *\r\n"))),
                                 rdl_expect(rdl_in(&net, rdl_text("+OK*")))));

/* Rules and time. */
RDL_STREAM_SPEC(rules, rdl_sequence(rdl_drop(rdl_in(&net, rdl_any(tick))),
                                    rdl_disallow(rdl_in(&net, rdl_is(tick, 5))),
                                    rdl_star(rdl_within(1500, rdl_expect(REQUEST), END))));
