/* wrappers.c -- code around a lock, a wait or an atomic variable. */
#include "port/wrappers.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 32, PATTERN_MAX = 256 };

static const char *patterns;

void rdl__wrappers_set(const char *text)
{
    patterns = text;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_named(const char *path)
{
    char pattern[PATTERN_MAX];

    for (const char *at = patterns; at && *at; at += *at == ',') {
        size_t length = strcspn(at, ",");

        snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        if (fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, base_of(path), 0) == 0)
            return true;
        at += length;
    }
    return false;
}

/* Code that came with the system, in a library or compiled into the program: C++ is full of it. */
static bool is_the_systems(const char *path)
{
    return (strncmp(path, "/usr/", 5) == 0 && strncmp(path, "/usr/src/", 9) != 0 &&
            strncmp(path, "/usr/local/", 11) != 0) ||
           strncmp(path, "/lib/", 5) == 0 || strncmp(path, "/lib64/", 7) == 0;
}

/* "mylock" and "ourmutex" end like these, but "block" and "clock" do not. */
static bool is_lock(const char *word, size_t length)
{
    static const char *const ends[] = {"lock", "mutex"}, *const others[] = {"block", "clock"};
    bool is_one = false;

    for (int i = 0; i < 2; i++) {
        size_t end = strlen(ends[i]), other = strlen(others[i]);

        is_one |= length >= end && strncmp(word + length - end, ends[i], end) == 0;
        if (length >= other && strncmp(word + length - other, others[i], other) == 0)
            return false;
    }
    return is_one;
}

/* A plural is as good. */
static bool is_one_of(const char *word, const char *const *words)
{
    size_t length = strlen(word);

    if (length > 1 && word[length - 1] == 's')
        length--;
    for (; *words; words++)
        if (strlen(*words) == length && strncmp(word, *words, length) == 0)
            return true;
    return is_lock(word, length);
}

/* The next word of a name ("my_mutexLock" has three), in small letters; "" at the end. */
static const char *next_word(const char *name, char word[WORD_MAX])
{
    size_t length = 0;

    while (*name && !isalpha((unsigned char)*name))
        name++;
    while (isalpha((unsigned char)*name)) {
        bool begins_another =
            length > 0 && isupper((unsigned char)*name) && islower((unsigned char)name[-1]);

        if (begins_another)
            break;
        if (length + 1 < WORD_MAX)
            word[length++] = (char)tolower((unsigned char)*name);
        name++;
    }
    word[length] = '\0';
    return name;
}

static bool has_one_of(const char *name, const char *const *words)
{
    char word[WORD_MAX];

    do {
        name = next_word(name, word);
        if (is_one_of(word, words))
            return true;
    } while (word[0]);
    return false;
}

bool rdl__has_only_wrappers(const char *path)
{
    return is_the_systems(path) || is_named(path);
}

bool rdl__is_wrapper(const char *path, const char *function)
{
    static const char *const of_files[] = {"mtx",       "cond",    "condvar", "condition", "sem",
                                           "semaphore", "atomic",  "monitor", "sync",      "thread",
                                           "pthread",   "barrier", "futex",   NULL};
    static const char *const of_functions[] = {
        "mtx",   "wait",  "signal", "notify", "broadcast", "cond",   "acquire", "release",
        "enter", "leave", "sem",    "down",   "up",        "atomic", "futex",   NULL};

    return rdl__has_only_wrappers(path) ||
           (has_one_of(base_of(path), of_files) && has_one_of(function, of_functions));
}
