/* test_mappings.c -- two addresses are known as one if and only if what is written to one of them
 * is read from the other, whatever was mapped, moved and unmapped before. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "base/random.h"
#include "control/sched/mappings.h"
#include "harness.h"

enum { PAGE = 4096, PAGES_OF_FILE = 8, LIVE_MOST = 200, FILES_OF = 2 };

static struct rdl__random chance;
static char *live[LIVE_MOST]; /* pages that are mapped */
static int live_count, files[FILES_OF], segment;

static int upto(int max)
{
    return (int)rdl__random_upto(&chance, (uint64_t)max);
}

static void note_pages(char *memory, int pages)
{
    for (int i = 0; i < pages; i++)
        live[live_count++] = memory + i * PAGE;
}

static void forget_pages(char *memory, int pages)
{
    for (int i = 0; i < live_count; i++)
        if (live[i] >= memory && live[i] < memory + pages * PAGE)
            live[i--] = live[--live_count];
}

/* So many live pages from this one on, one behind the other. */
static int run_from(const char *memory)
{
    int pages = 0;

    for (bool found = true; found;) {
        found = false;
        for (int i = 0; i < live_count && !found; i++)
            found = live[i] == memory + pages * PAGE;
        pages += found;
    }
    return pages;
}

static void map_some(void)
{
    int pages = 1 + upto(3), first = upto(PAGES_OF_FILE - pages);
    bool is_private = false;
    char *memory;

    if (live_count > LIVE_MOST / 2)
        return;
    if (upto(5) == 0) {
        pages = 2;
        memory = shmat(segment, NULL, 0);
    } else {
        is_private = upto(6) == 0;
        memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
                      is_private ? MAP_PRIVATE : MAP_SHARED, files[upto(FILES_OF - 1)],
                      (off_t)first * PAGE);
    }
    if (memory == MAP_FAILED)
        return;
    for (int i = 0; is_private && i < pages; i++)
        memory[i * PAGE]++; /* from now on its pages are not the file's */
    note_pages(memory, pages);
}

static void unmap_some(void)
{
    char *memory;
    int pages;

    if (live_count == 0)
        return;
    memory = live[upto(live_count - 1)];
    pages = 1 + upto(run_from(memory) - 1);
    EXPECT_EQ(munmap(memory, (size_t)pages * PAGE), 0);
    forget_pages(memory, pages);
}

/* One page, to elsewhere; it may become two. */
static void move_one(void)
{
    int pages = 1 + upto(1);
    char *memory, *room;

    if (live_count == 0 || live_count > LIVE_MOST / 2)
        return;
    memory = live[upto(live_count - 1)];
    room = mmap(NULL, (size_t)pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(room != MAP_FAILED);
    if (mremap(memory, PAGE, (size_t)pages * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room) != room)
        return;
    forget_pages(memory, 1);
    note_pages(room, 1); /* behind it the file may have ended */
}

/* Is what is written here read there? */
static bool are_one(volatile char *a, volatile char *b)
{
    char before = *a, other = *b;
    bool first, second;

    *a = 1;
    first = *b == 1;
    *a = 2;
    second = *b == 2;
    *a = before;
    EXPECT(*b == other || (first && second));
    return first && second;
}

TEST(addresses_of_one_byte_are_known_as_one)
{
    int same = 0, others = 0;

    rdl__random_seed(&chance, test_seed());
    for (int i = 0; i < FILES_OF; i++) {
        files[i] = memfd_create("mapped", 0);
        EXPECT_EQ(ftruncate(files[i], (PAGES_OF_FILE + 2) * PAGE), 0);
    }
    segment = shmget(IPC_PRIVATE, 2 * PAGE, 0600);
    EXPECT(segment >= 0);
    for (int step = 0; step < (soak() ? 20000 : 600); step++) {
        int what = upto(4);

        if (what < 2)
            map_some();
        else if (what < 4)
            unmap_some();
        else
            move_one();
        for (int i = 0; i < 20 && live_count > 1; i++) {
            char *a = live[upto(live_count - 1)] + 8, *b = live[upto(live_count - 1)] + 8;
            bool one = are_one(a, b);

            if ((rdl__canonical((uintptr_t)a) == rdl__canonical((uintptr_t)b)) != one)
                test_fail(__FILE__, __LINE__, "step %d: %p and %p are %s", step, a, b,
                          one ? "one, and known as two" : "two, and known as one");
            same += one && a != b;
            others += !one;
        }
    }
    shmctl(segment, IPC_RMID, NULL);
    EXPECT(same > 100 && others > 100);
}
