/* likes.c -- names that are like one that does not exist.
 *
 * The distance of two names is how many letters have to be put in, left out, changed or
 * exchanged with the next. */
#include "port/likes.h"

#include <string.h>
#include <strings.h>

enum { LONGEST = 64, BEST = 3 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    int length = (int)strlen(a), width = (int)strlen(b);
    int *before = rows[0], *last = rows[1], *now = rows[2];

    for (int k = 0; k <= width; k++)
        last[k] = k;
    for (int i = 1; i <= length; i++) {
        int *oldest = before;

        now[0] = i;
        for (int k = 1; k <= width; k++) {
            now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = least(now[k], before[k - 2] + 1);
        }
        before = last;
        last = now;
        now = oldest;
    }
    return last[width];
}

/* How unlike a name is; too unlike to be meant: -1.  What it is a part of, at either end, may
 * well be meant. */
static int unlikeness(const char *wanted, const char *name)
{
    size_t length = strlen(wanted), other = strlen(name);
    int far = length < 4 ? 1 : length < 8 ? 2 : 3, apart;

    if (length > LONGEST || other > LONGEST)
        return -1;
    if (strcasecmp(wanted, name) == 0)
        return 0;
    if (length >= 3 && other > length &&
        (strncmp(name, wanted, length) == 0 || strcmp(name + other - length, wanted) == 0))
        return far;
    if ((int)length - (int)other > far || (int)other - (int)length > far)
        return -1;
    apart = distance(wanted, name);
    return apart <= far ? apart : -1;
}

/* In whatever order they are considered: libraries lie in memory as chance has it. */
static bool is_better(const struct rdl__like *one, const struct rdl__like *other)
{
    if (!other->name || one->distance != other->distance)
        return !other->name || one->distance < other->distance;
    if (one->of_library != other->of_library)
        return other->of_library;
    return strcmp(one->name, other->name) < 0;
}

void rdl__likes_consider(struct rdl__likes *likes, const char *name)
{
    const struct rdl__like like = {name, unlikeness(likes->wanted, name), likes->of_libraries};
    int at = BEST;

    if (like.distance < 0)
        return;
    for (int i = 0; i < BEST; i++)
        if (likes->best[i].name && strcmp(likes->best[i].name, name) == 0)
            return;
    while (at > 0 && is_better(&like, &likes->best[at - 1]))
        at--;
    if (at == BEST)
        return;
    memmove(&likes->best[at + 1], &likes->best[at], (BEST - 1 - (size_t)at) * sizeof *likes->best);
    likes->best[at] = like;
}

void rdl__likes_say(struct rdl__text *out, const struct rdl__likes *likes)
{
    int count = 0;

    while (count < BEST && likes->best[count].name)
        count++;
    for (int i = 0; i < count; i++)
        rdl__text_add(out, "%s%s",
                      i == 0          ? "; did you mean "
                      : i < count - 1 ? ", "
                                      : " or ",
                      likes->best[i].name);
    rdl__text_add(out, "%s", count ? "?" : "");
}
