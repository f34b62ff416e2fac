/* terminal.c -- a terminal as a screen and keys. */
#include "port/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "port/io.h"
#include "port/write.h"

enum { CTRL_C = 3, CTRL_D = 4, ESCAPE = 27, ESCAPE_MS = 50, ROWS = 24, COLUMNS = 80 };

static volatile sig_atomic_t resized, ended_by;
static struct sigaction before_resized;

/* Those that would end us on the spot, unless somebody else looks after them. */
static const int endings[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { ENDINGS = sizeof endings / sizeof *endings };
static bool is_ours[ENDINGS];

static void note_size(int signal)
{
    (void)signal;
    resized = 1;
}

static void note_end(int signal)
{
    ended_by = signal;
}

static void watch_signals(void)
{
    const struct sigaction resizes = {.sa_handler = note_size}, ends = {.sa_handler = note_end};
    struct sigaction before;

    resized = ended_by = 0;
    sigaction(SIGWINCH, &resizes, &before_resized);
    for (int i = 0; i < ENDINGS; i++) {
        is_ours[i] = sigaction(endings[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
                     before.sa_handler == SIG_DFL;
        if (is_ours[i])
            sigaction(endings[i], &ends, NULL);
    }
}

static void unwatch_signals(void)
{
    sigaction(SIGWINCH, &before_resized, NULL);
    for (int i = 0; i < ENDINGS; i++)
        if (is_ours[i])
            signal(endings[i], SIG_DFL);
}

static void put(const struct rdl__terminal *terminal, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t put = rdl__write_quietly(terminal->out, bytes, count);

        if (put < 0 && errno != EINTR)
            return;
        bytes += put > 0 ? put : 0;
        count -= put > 0 ? (size_t)put : 0;
    }
}

static void say(const struct rdl__terminal *terminal, const char *text)
{
    put(terminal, text, strlen(text));
}

/* Ctrl-C is a key like others: so nothing ends us while the terminal is not as it was. */
bool rdl__terminal_open(struct rdl__terminal *out, int in_fd, int out_fd)
{
    const char *kind = getenv("TERM");
    struct termios raw;

    *out = (struct rdl__terminal){.in = in_fd, .out = out_fd};
    if (!isatty(in_fd) || !isatty(out_fd) || !kind || strcmp(kind, "dumb") == 0 ||
        tcgetattr(in_fd, &out->before) != 0)
        return false;
    raw = out->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    watch_signals();
    if (tcsetattr(in_fd, TCSAFLUSH, &raw) != 0) {
        unwatch_signals();
        return false;
    }
    say(out, "\033[?1049h\033[?25l");
    return true;
}

void rdl__terminal_close(struct rdl__terminal *terminal)
{
    say(terminal, "\033[?25h\033[?1049l");
    tcsetattr(terminal->in, TCSAFLUSH, &terminal->before);
    unwatch_signals();
    if (ended_by)
        raise(ended_by);
}

void rdl__terminal_size(const struct rdl__terminal *terminal, int *out_rows, int *out_columns)
{
    struct winsize size = {0};
    bool known = ioctl(terminal->out, TIOCGWINSZ, &size) == 0;

    *out_rows = known && size.ws_row ? size.ws_row : ROWS;
    *out_columns = known && size.ws_col ? size.ws_col : COLUMNS;
}

/* Line by line over what was there: erasing everything first would flicker. */
void rdl__terminal_draw(const struct rdl__terminal *terminal, const char *lines)
{
    struct rdl__text text = {0};
    int rows, columns;

    rdl__terminal_size(terminal, &rows, &columns);
    rdl__text_add(&text, "\033[H");
    for (int row = 0; row < rows && *lines; row++) {
        size_t length = strcspn(lines, "\n");

        rdl__text_add(&text, "%s%.*s\033[0m\033[K", row ? "\r\n" : "", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
    rdl__text_add(&text, "\033[J");
    put(terminal, text.bytes, text.count);
    rdl__text_release(&text);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* A byte; -1: there is none within this time (-1: for ever), and why is in errno. */
static int next_byte(const struct rdl__terminal *terminal, int timeout_ms)
{
    struct pollfd readable = {.fd = terminal->in, .events = POLLIN};
    unsigned char byte;
    int ready = rdl__own_poll(&readable, 1, timeout_ms);

    if (ready <= 0) {
        errno = ready == 0 ? ETIMEDOUT : errno;
        return -1;
    }
    if (rdl__own_read(terminal->in, &byte, 1) == 1)
        return byte;
    errno = errno == EINTR ? EINTR : EIO;
    return -1;
}

/* "\033[C" and the like come at once. */
static int read_sequence(const struct rdl__terminal *terminal)
{
    int kind = next_byte(terminal, ESCAPE_MS), byte;

    if (kind != '[' && kind != 'O')
        return RDL__KEY_OTHER;
    do
        byte = next_byte(terminal, ESCAPE_MS);
    while (byte >= 0 && byte < '@');
    switch (byte) {
    case 'C':
    case 'B':
        return RDL__KEY_RIGHT;
    case 'D':
    case 'A':
        return RDL__KEY_LEFT;
    case 'H':
        return RDL__KEY_HOME;
    case 'F':
        return RDL__KEY_LAST;
    default:
        return RDL__KEY_OTHER;
    }
}

int rdl__terminal_key(const struct rdl__terminal *terminal, const volatile int *stops)
{
    for (;;) {
        int byte;

        if (*stops || ended_by)
            return RDL__KEY_END;
        if (resized) {
            resized = 0;
            return RDL__KEY_RESIZED;
        }
        byte = next_byte(terminal, -1);
        if (byte == ESCAPE)
            return read_sequence(terminal);
        if (byte == CTRL_C || byte == CTRL_D)
            return RDL__KEY_END;
        if (byte >= 0)
            return byte;
        if (errno != EINTR)
            return RDL__KEY_END;
    }
}
