/* addresses.c -- programs whose addresses are the same in each run. */
#include "port/addresses.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <unistd.h>

#include "port/calls.h"

/* Set in the program that was started anew, and removed by it: where the kernel grants the
 * request but forgets it, as an emulator may, the program is not started for ever. */
#define AGAIN "RADDLE_STARTED_ANEW"

static const unsigned long ask_only = 0xffffffff;

/* Fuzzers start programs themselves, and know by which process. */
extern int LLVMFuzzerRunDriver(int *argc, char ***argv, void *callback) __attribute__((weak));
extern void __afl_manual_init(void) __attribute__((weak));

bool rdl__fix_addresses(void)
{
    int now = personality(ask_only);

    return now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0;
}

/* The administrator may have switched it off for all programs. */
static bool is_off_for_all(void)
{
    int fd = open("/proc/sys/kernel/randomize_va_space", O_RDONLY | O_CLOEXEC);
    char digit = '2';

    if (fd < 0)
        return false;
    if (read(fd, &digit, 1) != 1)
        digit = '2';
    close(fd);
    return digit == '0';
}

bool rdl__addresses_are_fixed(void)
{
    static enum { UNKNOWN, FIXED, RANDOM } addresses;
    int now;

    if (addresses == UNKNOWN) {
        now = personality(ask_only);
        addresses =
            (now >= 0 && (now & ADDR_NO_RANDOMIZE)) || rdl__is_in_valgrind() || is_off_for_all()
                ? FIXED
                : RANDOM;
    }
    return addresses == FIXED;
}

/* The words of this process's command line, each ended by '\0'; how many bytes there are. */
static size_t read_command_line(char **out_bytes)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    size_t count = 0, room = 4096;
    char *bytes = malloc(room + 1);
    ssize_t got = 0;

    while (fd >= 0 && bytes && (got = read(fd, bytes + count, room - count)) > 0) {
        count += (size_t)got;
        if (count == room)
            bytes = realloc(bytes, (room *= 2) + 1);
    }
    if (fd >= 0)
        close(fd);
    *out_bytes = bytes;
    return bytes && got == 0 ? count : 0;
}

/* Returns if that is not possible. */
static void start_anew(void)
{
    char path[PATH_MAX], *bytes, **argv;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    size_t count = read_command_line(&bytes), words = 0;

    argv = count ? malloc((count + 1) * sizeof *argv) : NULL;
    if (!argv || length <= 0 || bytes[count - 1] != '\0')
        return;
    for (size_t at = 0; at < count; at += strlen(bytes + at) + 1)
        argv[words++] = bytes + at;
    argv[words] = NULL;
    path[length] = '\0';
    setenv(AGAIN, "1", 1);
    execv(path, argv);
    unsetenv(AGAIN);
}

/* The program, rather than a library that it has loaded. */
static bool is_of_program(const void *variable)
{
    struct dl_find_object found;

    return _dl_find_object((void *)(uintptr_t)variable, &found) == 0 &&
           found.dlfo_link_map->l_name[0] == '\0';
}

/* Called by malloc(): nothing here may call that, or depend on it. */
bool rdl__is_started_anew(void)
{
    for (char **word = environ; word && *word; word++)
        if (strncmp(*word, AGAIN "=", sizeof AGAIN) == 0)
            return true;
    return false;
}

void rdl__start_with_fixed_addresses(const void *test)
{
    static bool tried;
    bool again;

    if (tried)
        return;
    tried = true;
    again = rdl__is_started_anew();
    unsetenv(AGAIN);
    if (again || getauxval(AT_SECURE) || LLVMFuzzerRunDriver || __afl_manual_init ||
        !is_of_program(test) || rdl__addresses_are_fixed() || !rdl__fix_addresses())
        return;
    start_anew();
}

void rdl__warn_of_addresses(void)
{
    static bool warned;

    if (warned || rdl__addresses_are_fixed())
        return;
    warned = true;
    fflush(stdout);
    fprintf(stderr, "raddle: addresses differ from run to run, because personality() is not "
                    "allowed here; a schedule that depends on them may not replay\n");
}
