// guards.cpp -- two threads that lock two mutexes in opposite orders, by lock_guard: what locks
// is the standard library's code, what is told should be ours.
#include <mutex>
#include <thread>

static std::mutex left, right;

static void take(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> one(first);
    std::lock_guard<std::mutex> two(second); // line 11
}

int main()
{
    std::thread thread([] { take(left, right); });

    take(right, left);
    thread.join();
    return 0;
}
