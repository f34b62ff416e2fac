/* endings.c -- events for how connections come to their end. */
#include "raddle/events.h"

static void show_ended(FILE *out, const void *it)
{
    static const char *const words[] = {
        [RDL_CLOSED] = "in order",
        [RDL_CUT_SHORT] = "in the middle of a frame",
        [RDL_RESET] = "the connection was reset",
        [RDL_MALFORMED] = "what came is no frame",
        [RDL_TOO_LARGE] = "a frame is too large",
        [RDL_UNREADABLE] = "the descriptor cannot be read",
        [RDL_UNREACHABLE] = "nobody is there to read what is sent",
        [RDL_ONE_TOO_MANY] = "there is no port for one more client",
    };
    const struct rdl_ended *ended = it;

    fprintf(out, "%s",
            (size_t)ended->how < sizeof words / sizeof *words ? words[ended->how] : "somehow");
    if (ended->bytes)
        fprintf(out, ", after %u byte%s of it", ended->bytes, ended->bytes == 1 ? "" : "s");
}

#define ENDED(name_, ...)                                                                          \
    const struct rdl_event_type rdl_event_##name_ = {                                              \
        .name = #name_, .size = sizeof(struct rdl_ended), .show = show_ended, ##__VA_ARGS__}

ENDED(ended);
ENDED(closed, .is_a = &rdl_event_ended);
ENDED(broken, .is_a = &rdl_event_ended);
