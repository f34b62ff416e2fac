/* classes.cpp -- what C++ adds to the kinds of access: objects that know their class. */
#include <atomic>
#include <thread>

struct shape {
    virtual ~shape() {}
    virtual int area() { return 0; }
};

struct square : shape {
    int side = 2;
    int area() override { return side * side; }
};

static std::atomic<shape *> published;

int main()
{
    std::thread maker([] { published.store(new square, std::memory_order_release); });
    shape *found;

    while (!(found = published.load(std::memory_order_acquire)))
        std::this_thread::yield();
    int area = found->area();
    maker.join();
    delete found;
    return area != 4;
}
