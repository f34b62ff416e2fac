/* memory.c -- memory that the C library touches for its callers, and mappings of one page. */
#include "state.h"

#include <regex.h>
#include <search.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <wchar.h>

static char shared[64];
static int numbers[4];

static void print_into_shared(int me)
{
    sprintf(shared, "%d", me);
    assert(shared[0] == '0' + me);
}

static void print_into_own(int me)
{
    char own[64];

    sprintf(own, "%d", me);
    assert(own[0] == '0' + me);
}

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static void sort_shared(int me)
{
    if (me == 0)
        qsort(numbers, 4, sizeof *numbers, compare);
    else
        numbers[2] = 7;
}

static void sort_own(int me)
{
    int own[4] = {3, 1, 2, me};

    qsort(own, 4, sizeof *own, compare);
}

static void append_to_shared(int me)
{
    strncat(shared, me ? "b" : "a", 1);
}

static void search_shared(int me)
{
    if (me == 0)
        strcpy(shared, "abc");
    else
        numbers[0] = strstr(shared, "b") != NULL;
}

static void time_into_shared(int me)
{
    static struct tm day;
    time_t when = me;

    gmtime_r(&when, &day);
}

static void time_into_own(int me)
{
    time_t when = me;
    struct tm day;

    gmtime_r(&when, &day);
}

static void name_into_shared(int me)
{
    if (me == 0)
        readlinkat(AT_FDCWD, "/proc/self/exe", shared, sizeof shared);
    else
        numbers[0] = shared[1];
}

static void name_into_own(int me)
{
    char own[64];

    readlinkat(AT_FDCWD, "/proc/self/exe", own, sizeof own);
}

static char *words = shared;

static void begin_words(void)
{
    strcpy(shared, "one two");
}

static void take_word(int me)
{
    if (me == 0)
        strsep(&words, " ");
    else
        numbers[0] = shared[3];
}

static void take_word_of_own(int me)
{
    char own[] = "one two", *rest = own;

    strsep(&rest, " ");
}

static void convert_into_shared(int me)
{
    static wchar_t wide;
    mbstate_t state = {0};

    mbrtowc(&wide, me ? "b" : "a", 1, &state);
}

static void convert_into_own(int me)
{
    mbstate_t state = {0};
    wchar_t wide;

    mbrtowc(&wide, me ? "b" : "a", 1, &state);
}

static void change_environment(int me)
{
    if (me == 0)
        setenv("ANOTHER", "1", 1);
    else {
        char **before = environ;

        numbers[0] = getpid();
        assert(before == environ);
    }
}

static void read_by_number(int me)
{
    int fd = open("/proc/self/exe", O_RDONLY);

    syscall(SYS_read, fd, shared, 4);
    close(fd);
}

static void read_by_number_into_own(int me)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    char own[4];

    syscall(SYS_read, fd, own, 4);
    close(fd);
}

static void scan_into_shared(int me)
{
    sscanf(me ? "5" : "6", "%d", &numbers[0]);
}

static void scan_into_own(int me)
{
    char word[8];
    int own;

    assert(sscanf("5 ab]", "%d %7[^]]", &own, word) == 2 && own == 5 && strcmp(word, "ab") == 0);
}

static char *printed;

static void print_into_heap(int me)
{
    asprintf(&printed, "%d", me);
}

static void print_into_own_heap(int me)
{
    char *own;

    asprintf(&own, "%d", me);
    free(own);
}

static void draw_into_shared(int me)
{
    getrandom(numbers, sizeof *numbers, 0);
}

static void draw_into_own(int me)
{
    int own;

    getrandom(&own, sizeof own, 0);
}

/* ---- Two mappings of one page ---- */

static int *here, *there;

static void map_twice(void)
{
    int fd = memfd_create("page", 0);

    assert(fd >= 0 && ftruncate(fd, 4096) == 0);
    here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
}

static void count_in_page(int me)
{
    volatile int *count = me ? here : there;

    *count = *count + 1;
}

static void page_has_two(void)
{
    assert(*here == 2);
}

static wchar_t wide[8];
static regex_t digits;
static void *tree;

static void append_wide(int me)
{
    wcscat(wide, me ? L"b" : L"a");
}

static void widen(int me)
{
    if (me == 0)
        mbstowcs(wide, "ab", 4);
    else
        numbers[0] = wcsncmp(wide, L"ab", 2) == 0;
}

/* Half of it for each. */
static void widen_apart(int me)
{
    mbstowcs(wide + 4 * me, "abc", 4);
}

static void prepare_search(void)
{
    regcomp(&digits, "[0-9]+", REG_EXTENDED);
}

static void match_into_shared(int me)
{
    static regmatch_t match;

    regexec(&digits, me ? "a1" : "12", 1, &match, 0);
}

static void match_into_own(int me)
{
    regmatch_t match;

    assert(regexec(&digits, me ? "a1" : "12", 1, &match, 0) == 0 && match.rm_so == me);
}

static void add_to_tree(int me)
{
    static const int keys[2] = {1, 2};

    tsearch(&keys[me], &tree, compare);
}

/* Pages that another thread takes away, or puts others in the place of. */
static volatile char *page;
static char *mapped[2];

static void *map_page(void *at, int flags)
{
    void *memory =
        mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    assert(memory != MAP_FAILED);
    return memory;
}

static void begin_page(void)
{
    page = map_page(NULL, 0);
    page[0] = 'a';
}

static void map_over(int me)
{
    if (me == 1)
        map_page((void *)page, MAP_FIXED);
    else
        assert(page[0] == 'a');
}

static void map_over_by_number(int me)
{
    if (me == 1)
        syscall(SYS_mmap, page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    else
        assert(page[0] == 'a');
}

static void map_over_own(int me)
{
    if (me == 1)
        map_page(map_page(NULL, 0), MAP_FIXED);
    else
        assert(page[0] == 'a');
}

static void unmap_by_number(int me)
{
    if (me == 1)
        syscall(SYS_munmap, page, 4096);
    else
        assert(page[0] == 'a');
}

static void drop(int me)
{
    if (me == 1)
        assert(madvise((void *)page, 4096, MADV_DONTNEED) == 0);
    else
        assert(page[0] == 'a');
}

static void map_in_turn(int me)
{
    mapped[me] = map_page(NULL, 0);
}

static void map_only_one(int me)
{
    if (me == 1)
        mapped[0] = map_page(NULL, 0);
}

static void the_first_is_higher(void)
{
    assert(mapped[0] > mapped[1]);
}

const struct pair memory_pairs[] = {
    {.name = "fixed", .before = begin_page, .body = map_over, .right_body = map_over_own},
    {.name = "SYS_mmap",
     .before = begin_page,
     .body = map_over_by_number,
     .right_body = map_over_own},
    {.name = "SYS_munmap",
     .before = begin_page,
     .body = unmap_by_number,
     .right_body = map_over_own},
    {.name = "madvise", .before = begin_page, .body = drop, .right_body = map_over_own},
    {.name = "mmap", .body = map_in_turn, .after = the_first_is_higher, .right_body = map_only_one},
    {.name = "wcscat", .body = append_wide, .instrumented = true},
    {.name = "mbstowcs", .body = widen, .right_body = widen_apart, .instrumented = true},
    {.name = "regexec",
     .before = prepare_search,
     .body = match_into_shared,
     .right_body = match_into_own,
     .instrumented = true},
    {.name = "tsearch", .body = add_to_tree, .instrumented = true},
    {.name = "sprintf",
     .body = print_into_shared,
     .right_body = print_into_own,
     .instrumented = true},
    {.name = "qsort", .body = sort_shared, .right_body = sort_own, .instrumented = true},
    {.name = "strncat", .body = append_to_shared, .instrumented = true},
    {.name = "strstr", .body = search_shared, .instrumented = true},
    {.name = "gmtime_r",
     .body = time_into_shared,
     .right_body = time_into_own,
     .instrumented = true},
    {.name = "readlinkat",
     .body = name_into_shared,
     .right_body = name_into_own,
     .instrumented = true},
    {.name = "strsep",
     .before = begin_words,
     .body = take_word,
     .right_body = take_word_of_own,
     .instrumented = true},
    {.name = "mbrtowc",
     .body = convert_into_shared,
     .right_body = convert_into_own,
     .instrumented = true},
    {.name = "environ", .body = change_environment, .instrumented = true},
    {.name = "SYS_read",
     .body = read_by_number,
     .right_body = read_by_number_into_own,
     .instrumented = true},
    {.name = "sscanf", .body = scan_into_shared, .right_body = scan_into_own, .instrumented = true},
    {.name = "asprintf",
     .body = print_into_heap,
     .right_body = print_into_own_heap,
     .instrumented = true},
    {.name = "getrandom",
     .body = draw_into_shared,
     .right_body = draw_into_own,
     .instrumented = true},
    {.name = "mappings",
     .before = map_twice,
     .body = count_in_page,
     .after = page_has_two,
     .instrumented = true},
    {0},
};
