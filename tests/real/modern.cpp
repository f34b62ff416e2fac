// modern.cpp -- what C++ does with threads, in one program whose output is always the same:
// exceptions that are thrown, kept and caught across places where threads are switched,
// locks taken in handlers, futures, call_once, static variables, thread_local objects.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

std::mutex lock;
std::condition_variable changed;
std::deque<int> queue;
int caught, unwound, made, locals, local_ends, once_tries;

// Its destructor takes a lock while an exception passes through.
struct guard {
    ~guard()
    {
        std::lock_guard<std::mutex> held(lock);
        unwound++;
    }
};

struct local {
    std::string text = "local";
    local()
    {
        std::lock_guard<std::mutex> held(lock);
        locals++;
    }
    ~local()
    {
        std::lock_guard<std::mutex> held(lock);
        local_ends += text == "local of a thread";
    }
};

thread_local local own;

struct single {
    single()
    {
        std::this_thread::yield();
        std::lock_guard<std::mutex> held(lock);
        made++;
    }
};

void make_single()
{
    static single only;
    (void)only;
}

// The first two attempts fail, whoever makes them; the third counts.
std::once_flag flag;

void initialise()
{
    std::this_thread::yield();
    if (++once_tries < 3)
        throw std::runtime_error("not yet");
}

void call_once_at_last()
{
    for (;;)
        try {
            std::call_once(flag, initialise);
            return;
        } catch (const std::runtime_error &) {
            std::lock_guard<std::mutex> held(lock);
            caught++;
        }
}

int fail_deep(int depth)
{
    guard on_the_way;

    if (depth == 0)
        throw std::logic_error("deep");
    std::this_thread::yield();
    return fail_deep(depth - 1) + 1;
}

void work(int number)
{
    own.text += " of a thread";
    make_single();
    call_once_at_last();
    try {
        try {
            fail_deep(2);
        } catch (const std::logic_error &) {
            std::unique_lock<std::mutex> held(lock);
            queue.push_back(number);
            changed.notify_one();
            held.unlock();
            std::this_thread::yield(); // while an exception is being handled
            throw;
        }
    } catch (const std::exception &what) {
        std::lock_guard<std::mutex> held(lock);
        caught += what.what() == std::string("deep");
    }
}

int take()
{
    std::unique_lock<std::mutex> held(lock);
    int number;

    changed.wait(held, [] { return !queue.empty(); });
    number = queue.front();
    queue.pop_front();
    return number;
}

} // namespace

int main()
{
    std::vector<std::thread> threads;
    std::future<int> sum = std::async(std::launch::async, [] { return take() + take(); });
    std::future<void> broken =
        std::async(std::launch::async, [] { throw std::out_of_range("from a future"); });
    std::shared_timed_mutex both;
    bool came = false;

    for (int number : {20, 3})
        threads.emplace_back(work, number);
    {
        std::shared_lock<std::shared_timed_mutex> one(both);
        std::shared_lock<std::shared_timed_mutex> two(both, std::chrono::seconds(5));
        try {
            broken.get();
        } catch (const std::out_of_range &) {
            came = true;
        }
    }
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%d caught, %d unwound, %d made, %d of %d ended, sum %d, %d tries, %d\n", caught,
                unwound, made, local_ends, locals, sum.get(), once_tries, came);
}
