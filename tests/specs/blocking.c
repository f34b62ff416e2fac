/* blocking.c -- neighbours that keep their callers waiting: a client that waits for answers from a
 * net that is mocked, and a driver that waits for interrupts which a spec plays; right and wrong.
 * tests/test_blocking.c says what is to come of each test. */
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>

enum { MOST = 12, CLIENTS = 4 }; /* all of them may call at the same time */

struct number {
    int number;
};

static int manner_of(const char *name)
{
    const char *manner = getenv(name);

    return manner ? atoi(manner) : 0;
}

/* What is mocked is not really done.  (Arguments that a function does not look at, compilers need
 * not pass to it if they see that.) */
static volatile int really_done;

/* ---- The net: nobody plays it --------------------------------------------------------------- */

void net_send(int number);
int net_receive(int channel);
void net_done(int number);

__attribute__((noinline)) void net_send(int number)
{
    really_done += number;
}

__attribute__((noinline)) int net_receive(int channel)
{
    return really_done += channel;
}

__attribute__((noinline)) void net_done(int number)
{
    really_done -= number;
}

struct channel {
    int channel;
};
struct net {
    int unused;
};

RDL_TYPES(net, struct net, struct net);
RDL_OP(net, send, struct number, .mocks = "net_send");
RDL_OP_RETURNS(net, receive, struct channel, int, .mocks = "net_receive");
RDL_OP(net, done, struct number, .mocks = "net_done");
RDL_SPEC(net, RDL_OPS(net, send, receive, done));

/* ---- The client ------------------------------------------------------------------------------ */

enum client_manner {
    RIGHT,
    RETURNS_BEFORE_THE_ANSWER,
    RECEIVES_TWICE,
    FORGETS_WHAT_COMES_AFTER,
    ANSWERS_SOMETHING_ELSE,
    SENDS_SOMETHING_ELSE,
    RECEIVES_FIRST,
};

static int ask(int number)
{
    enum client_manner manner = (enum client_manner)manner_of("CLIENT");
    int answer;

    if (manner == RECEIVES_FIRST && number > 9) {
        answer = net_receive(0);
        net_send(number);
        return answer;
    }
    net_send(manner == SENDS_SOMETHING_ELSE && number == 7 ? 8 : number);
    if (manner == RETURNS_BEFORE_THE_ANSWER && number > 5)
        return 0;
    answer = net_receive(0);
    if (manner == RECEIVES_TWICE && answer > 3)
        answer = net_receive(0);
    if (manner != FORGETS_WHAT_COMES_AFTER || answer != 2)
        net_done(answer);
    return manner == ANSWERS_SOMETHING_ELSE && answer == 4 ? 5 : answer;
}

/* Answers that nobody has got yet. */
struct answers {
    rdl_vec(int, MOST) answers;
};
struct client {
    int unused;
};

static void number_args(struct rdl_case *t, const struct answers *s, struct number *a)
{
    (void)s;
    a->number = (int)rdl_int(t, 0, 20);
}

static bool ask_cpre(const struct answers *s, const struct number *a)
{
    (void)a;
    return s->answers.count > 0;
}

static void ask_post(struct answers *s, const struct number *a, int *r)
{
    (void)a;
    *r = rdl_vec_remove(&s->answers, 0);
}

static void hasty_post(struct answers *s, const struct number *a, int *r)
{
    (void)s;
    (void)a;
    *r = 0;
}

static void ask_callouts(const struct answers *s, const struct number *a)
{
    (void)s;
    rdl_callouts(rdl_sequence(rdl_call(net, send, a->number), rdl_call_blocks(net, receive, 0),
                              rdl_call_like(net, done, rdl_any(net_done))));
}

static void ask_call(struct client *o, const struct number *a, int *r)
{
    (void)o;
    *r = ask(a->number);
}

static bool respond_pre(const struct answers *s, const struct number *a)
{
    (void)a;
    return s->answers.count < MOST - CLIENTS;
}

static void respond_post(struct answers *s, const struct number *a)
{
    rdl_vec_push(&s->answers, a->number);
}

static void respond_callouts(const struct answers *s, const struct number *a)
{
    (void)s;
    rdl_callouts(rdl_releases(net, receive, a->number));
}

static void respond_call(struct client *o, const struct number *a)
{
    (void)o;
    (void)a;
}

static struct client *client_create(struct rdl_case *t, const struct answers *s)
{
    (void)s;
    return rdl_new(t, struct client);
}

RDL_TYPES(client, struct answers, struct client);
RDL_OP_RETURNS(client, ask, struct number, int, .args = number_args, .cpre = ask_cpre,
               .post = ask_post, .callouts = ask_callouts, .call = ask_call);
RDL_OP(client, respond, struct number, .args = number_args, .pre = respond_pre,
       .post = respond_post, .callouts = respond_callouts, .call = respond_call);
RDL_SPEC(client, RDL_OPS(client, ask, respond), .create = client_create, .policy = RDL_FIFO);

RDL_TEST_RESOURCE(a_client, client, .mocked = RDL_SPECS(net));
RDL_TEST_RESOURCE(a_free_client, client, .mocked = RDL_SPECS(net), .free_threads = true,
                  .cases = 30);
RDL_TEST_MODEL(a_client_alone, client, .mocked = RDL_SPECS(net));

/* One call at a time: what is released is there before it is waited for. */
RDL_CLUSTER(clients, RDL_SPECS(client));
RDL_TEST_CLUSTER(clients_that_are_played, clients);

/* Its cpre is not there to say that it waits. */
RDL_TYPES(hasty, struct answers, struct client);
RDL_OP_RETURNS(hasty, ask, struct number, int, .args = number_args, .post = hasty_post,
               .callouts = ask_callouts, .call = ask_call);
RDL_SPEC(hasty, RDL_OPS(hasty, ask), .create = client_create);
RDL_TEST_MODEL(nobody_ends_the_wait, hasty, .mocked = RDL_SPECS(net));

/* ---- A client whose questions are told apart ------------------------------------------------- */

/* It waits for an answer on the channel of its question, and gets that of no other. */
struct channels {
    bool has[2];
    int number[2];
};
struct message {
    int channel, number;
};

static void message_args(struct rdl_case *t, const struct channels *s, struct message *a)
{
    (void)s;
    a->channel = (int)rdl_int(t, 0, 1);
    a->number = (int)rdl_int(t, 0, 20);
}

static void channel_args(struct rdl_case *t, const struct channels *s, struct channel *a)
{
    (void)s;
    a->channel = (int)rdl_int(t, 0, 1);
}

static bool listen_cpre(const struct channels *s, const struct channel *a)
{
    return s->has[a->channel];
}

static void listen_post(struct channels *s, const struct channel *a, int *r)
{
    *r = s->number[a->channel];
    s->has[a->channel] = false;
    s->number[a->channel] = 0;
}

static void listen_callouts(const struct channels *s, const struct channel *a)
{
    (void)s;
    rdl_callouts(rdl_call_blocks(net, receive, a->channel));
}

static void listen_call(struct client *o, const struct channel *a, int *r)
{
    (void)o;
    *r = net_receive(a->channel);
}

static bool tell_pre(const struct channels *s, const struct message *a)
{
    return !s->has[a->channel];
}

static void tell_post(struct channels *s, const struct message *a)
{
    s->has[a->channel] = true;
    s->number[a->channel] = a->number;
}

static void tell_callouts(const struct channels *s, const struct message *a)
{
    (void)s;
    rdl_callouts(
        rdl_releases_like(net, receive, a->number, rdl_field(net_receive, channel, a->channel)));
}

static void tell_call(struct client *o, const struct message *a)
{
    (void)o;
    (void)a;
}

static struct client *listener_create(struct rdl_case *t, const struct channels *s)
{
    (void)s;
    return rdl_new(t, struct client);
}

RDL_TYPES(listener, struct channels, struct client);
RDL_OP_RETURNS(listener, listen, struct channel, int, .args = channel_args, .cpre = listen_cpre,
               .post = listen_post, .callouts = listen_callouts, .call = listen_call);
RDL_OP(listener, tell, struct message, .args = message_args, .pre = tell_pre, .post = tell_post,
       .callouts = tell_callouts, .call = tell_call);
RDL_SPEC(listener, RDL_OPS(listener, listen, tell), .create = listener_create);

/* What tell is allowed to do depends on the order of calls: one at a time. */
RDL_TEST_RESOURCE(a_listener, listener, .mocked = RDL_SPECS(net), .rounds = 2);

/* ---- One whose neighbour's answers depend on the order of calls ------------------------------ */

struct total {
    int total;
};

static void count_callouts(const struct total *s, const struct rdl_nothing *a)
{
    (void)a;
    rdl_callouts(rdl_call_returns(net, receive, s->total, 1));
}

static void total_post(struct total *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->total++;
}

static void total_call(struct client *o, const struct rdl_nothing *a, int *r)
{
    (void)o;
    (void)a;
    *r = net_receive(1);
}

static void rest_post(struct total *s, const struct rdl_nothing *a)
{
    (void)s;
    (void)a;
}

static void rest_call(struct client *o, const struct rdl_nothing *a)
{
    (void)o;
    (void)a;
}

static struct client *counter_create(struct rdl_case *t, const struct total *s)
{
    (void)s;
    return rdl_new(t, struct client);
}

RDL_TYPES(counter, struct total, struct client);
RDL_OP_RETURNS(counter, count, struct rdl_nothing, int, .post = total_post,
               .callouts = count_callouts, .call = total_call);
RDL_OP(counter, rest, struct rdl_nothing, .post = rest_post, .call = rest_call);
RDL_SPEC(counter, RDL_OPS(counter, count, rest), .create = counter_create);

RDL_TEST_RESOURCE(a_counter, counter, .mocked = RDL_SPECS(net));

/* ---- Interrupts: a spec plays them ----------------------------------------------------------- */

int irq_wait(void);
void irq_raise(int number);
int irq_count(void);

__attribute__((noinline)) int irq_wait(void)
{
    return really_done += 4;
}

__attribute__((noinline)) void irq_raise(int number)
{
    really_done += number;
}

__attribute__((noinline)) int irq_count(void)
{
    return really_done += 6;
}

struct pending {
    rdl_vec(int, MOST) numbers;
};
struct irq {
    int unused;
};

static bool wait_cpre(const struct pending *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->numbers.count > 0;
}

static void wait_post(struct pending *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = rdl_vec_remove(&s->numbers, 0);
}

static bool raise_pre(const struct pending *s, const struct number *a)
{
    (void)a;
    return !rdl_is_full(&s->numbers);
}

static void raise_post(struct pending *s, const struct number *a)
{
    rdl_vec_push(&s->numbers, a->number);
}

static void count_post(struct pending *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = (int)s->numbers.count;
}

RDL_TYPES(irq, struct pending, struct irq);
RDL_OP_RETURNS(irq, wait, struct rdl_nothing, int, .cpre = wait_cpre, .post = wait_post,
               .mocks = "irq_wait");
RDL_OP(irq, raise, struct number, .pre = raise_pre, .post = raise_post, .mocks = "irq_raise");
RDL_OP_RETURNS(irq, count, struct rdl_nothing, int, .post = count_post, .mocks = "irq_count");
RDL_SPEC(irq, RDL_OPS(irq, wait, raise, count), .policy = RDL_FIFO);

/* ---- The driver ------------------------------------------------------------------------------ */

enum driver_manner {
    DRIVES_RIGHT,
    LOSES_AN_INTERRUPT,
    RAISES_TWICE,
    DOES_NOT_WAIT,
    RAISES_THOUGH_IT_IS_FULL,
    LOOKS_WITHOUT_A_LOCK,
};

static int driver_read(void)
{
    return manner_of("DRIVER") == DOES_NOT_WAIT && irq_count() == 0 ? -1 : irq_wait();
}

static void driver_raise(int number)
{
    enum driver_manner manner = (enum driver_manner)manner_of("DRIVER");

    if (manner != LOSES_AN_INTERRUPT || number != 3)
        irq_raise(number);
    if (manner == RAISES_TWICE && number == 5)
        irq_raise(number);
}

static pthread_mutex_t lock;

static int driver_poll(void)
{
    bool is_careful = manner_of("DRIVER") != LOOKS_WITHOUT_A_LOCK;
    int number = -1;

    if (is_careful)
        pthread_mutex_lock(&lock);
    if (irq_count() > 0)
        number = irq_wait();
    if (is_careful)
        pthread_mutex_unlock(&lock);
    return number;
}

struct driver {
    int unused;
};

static void raised_args(struct rdl_case *t, const struct pending *s, struct number *a)
{
    (void)s;
    a->number = (int)rdl_int(t, 0, 9);
}

static void read_callouts(const struct pending *s, const struct rdl_nothing *a)
{
    (void)s;
    (void)a;
    rdl_callouts(rdl_call(irq, wait));
}

static void read_call(struct driver *o, const struct rdl_nothing *a, int *r)
{
    (void)o;
    (void)a;
    *r = driver_read();
}

static bool driver_raise_pre(const struct pending *s, const struct number *a)
{
    (void)a;
    return manner_of("DRIVER") == RAISES_THOUGH_IT_IS_FULL || s->numbers.count < MOST - CLIENTS;
}

static void driver_raise_post(struct pending *s, const struct number *a)
{
    if (!rdl_is_full(&s->numbers))
        rdl_vec_push(&s->numbers, a->number);
}

static void raise_callouts(const struct pending *s, const struct number *a)
{
    (void)s;
    rdl_callouts(rdl_call(irq, raise, a->number));
}

static void raise_call(struct driver *o, const struct number *a)
{
    (void)o;
    driver_raise(a->number);
}

static void poll_post(struct pending *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->numbers.count > 0 ? rdl_vec_remove(&s->numbers, 0) : -1;
}

static void poll_callouts(const struct pending *s, const struct rdl_nothing *a)
{
    (void)a;
    if (s->numbers.count > 0)
        rdl_callouts(rdl_sequence(rdl_call(irq, count), rdl_call(irq, wait)));
    else
        rdl_callouts(rdl_call(irq, count));
}

static void poll_call(struct driver *o, const struct rdl_nothing *a, int *r)
{
    (void)o;
    (void)a;
    *r = driver_poll();
}

static struct driver *driver_create(struct rdl_case *t, const struct pending *s)
{
    (void)s;
    pthread_mutex_init(&lock, NULL);
    return rdl_new(t, struct driver);
}

RDL_TYPES(driver, struct pending, struct driver);
RDL_OP_RETURNS(driver, read, struct rdl_nothing, int, .cpre = wait_cpre, .post = wait_post,
               .callouts = read_callouts, .call = read_call);
RDL_OP(driver, raise, struct number, .args = raised_args, .pre = driver_raise_pre,
       .post = driver_raise_post, .callouts = raise_callouts, .call = raise_call);
RDL_SPEC(driver, RDL_OPS(driver, read, raise), .create = driver_create, .policy = RDL_FIFO);

RDL_TEST_RESOURCE(a_driver, driver, .stand_ins = RDL_SPECS(irq), .mocked = RDL_SPECS(irq));
RDL_TEST_RESOURCE(a_free_driver, driver, .stand_ins = RDL_SPECS(irq), .mocked = RDL_SPECS(irq),
                  .free_threads = true, .cases = 30);

/* One that does not wait, and looks before: what it calls depends on the state. */
RDL_TYPES(poller, struct pending, struct driver);
RDL_OP_RETURNS(poller, poll, struct rdl_nothing, int, .post = poll_post, .callouts = poll_callouts,
               .call = poll_call);
RDL_OP(poller, raise, struct number, .args = raised_args, .pre = driver_raise_pre,
       .post = driver_raise_post, .callouts = raise_callouts, .call = raise_call);
RDL_SPEC(poller, RDL_OPS(poller, poll, raise), .create = driver_create);

RDL_TEST_RESOURCE(a_poller, poller, .stand_ins = RDL_SPECS(irq), .mocked = RDL_SPECS(irq));

RDL_MAIN
