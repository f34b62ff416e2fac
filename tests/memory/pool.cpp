/* pool.cpp -- operators new and delete of the program's own, with blocks inside of larger ones. */
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

alignas(16) static char fixed[1 << 16];
static char *pool;
static size_t used;

/* Every second block lies in a static variable. */
void *operator new(size_t size)
{
    if (!pool)
        pool = (char *)malloc(sizeof fixed);
    used += (size + 31) & ~(size_t)15;
    return (used / 16 % 2 ? pool : fixed) + used - ((size + 31) & ~(size_t)15);
}

void operator delete(void *block) noexcept
{
    (void)block;
}

void operator delete(void *block, size_t) noexcept
{
    (void)block;
}

int *number;

int main()
{
    for (int i = 0; i < 10; i++) {
        number = new int(i);
        delete number;
    }
    std::thread([] { delete new long(1); }).join();
    puts("done");
    return 0;
}
