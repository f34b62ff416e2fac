// queue.hpp -- a queue for threads, with room for so many elements.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

class queue {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<int> items;
    const size_t capacity;

  public:
    explicit queue(size_t room) : capacity(room) {}

    void put(int item)
    {
        std::unique_lock<std::mutex> held(lock);

        changed.wait(held, [this] { return items.size() < capacity; });
        items.push_back(item);
        changed.notify_one();
    }

    int take()
    {
        std::unique_lock<std::mutex> held(lock);

        changed.wait(held, [this] { return !items.empty(); });
        int item = items.front();
        items.pop_front();
        changed.notify_one();
        return item;
    }
};
