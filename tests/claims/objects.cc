/* objects.cc -- operations on objects of C++'s library, which random programs share.
 *
 * Threads use the text and the list without a lock, in ways that break neither; what could
 * break is used with a lock, and looked at without one. */
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "objects.h"

static std::string text = "ab"; /* so short that its characters are part of it */
static std::list<int> numbers;
static std::map<int, int> tree;
static std::unordered_map<int, int> table;
static std::vector<int> row;
static std::mutex lock;
static std::condition_variable changed;
static int sum;

void cxx_text_add(int n)
{
    text.append(static_cast<size_t>(n), 'x');
    if (text.size() > 6)
        text.resize(2);
}

int cxx_text_size()
{
    return static_cast<int>(text.size());
}

int cxx_text_at(int i)
{
    return text[static_cast<size_t>(i)];
}

void cxx_text_set(int n)
{
    text = n == 1 ? "c" : "de";
}

void cxx_text_push(int n)
{
    text.push_back(static_cast<char>('0' + n));
    if (text.length() > 6)
        text.erase(2);
}

void cxx_text_copy(int n)
{
    std::string copy(text), more = copy + "x";

    more += std::to_string(n);
    text.assign(more, 0, 3);
    text += 'y';
}

int cxx_text_find(int n)
{
    return static_cast<int>(text.find("x") + text.compare("cx") + text.substr(1).size()) + n +
           (text == "de") + text.empty() + text.c_str()[0] + text.back();
}

void cxx_list_add(int n)
{
    numbers.push_back(n);
}

int cxx_list_sum()
{
    int all = 0;

    for (int n : numbers)
        all = all * 4 + n;
    return all;
}

void cxx_list_drop()
{
    std::lock_guard<std::mutex> held(lock);

    numbers.push_front(1);
}

void cxx_map_set(int key, int n)
{
    std::lock_guard<std::mutex> held(lock);

    tree[key] = n;
}

int cxx_map_get(int key)
{
    std::lock_guard<std::mutex> held(lock);
    auto found = tree.find(key);

    return found == tree.end() ? 0 : found->second;
}

void cxx_map_drop(int key)
{
    std::lock_guard<std::mutex> held(lock);

    tree.erase(key);
}

int cxx_map_sum()
{
    std::lock_guard<std::mutex> held(lock);
    int all = 0;

    for (const auto &[key, n] : tree)
        all = all * 8 + key + n;
    return all;
}

void cxx_hash_set(int key, int n)
{
    std::lock_guard<std::mutex> held(lock);

    table[key] = n;
}

int cxx_hash_get(int key)
{
    std::lock_guard<std::mutex> held(lock);

    return table.count(key) ? table.at(key) : 0;
}

void cxx_vector_add(int n)
{
    std::unique_lock<std::mutex> held(lock);

    row.push_back(n);
    held.unlock();
    changed.notify_all();
}

void cxx_await(int n)
{
    std::unique_lock<std::mutex> held(lock);

    while (sum < n)
        changed.wait(held);
}

void cxx_tell(int n)
{
    {
        std::lock_guard<std::mutex> held(lock);
        sum += n;
    }
    changed.notify_one();
}

int cxx_vector_sum()
{
    std::lock_guard<std::mutex> held(lock);
    int all = 0;

    for (int n : row)
        all = all * 4 + n;
    return all;
}

void cxx_locked_add(int n)
{
    int seen;

    {
        std::lock_guard<std::mutex> held(lock);
        seen = sum;
    }
    std::lock_guard<std::mutex> held(lock);
    sum = seen + n;
}

int cxx_threads(int n)
{
    std::atomic<int> found{0};
    std::thread thread([&] { found = sum + n; });

    {
        std::lock_guard<std::mutex> held(lock);
        sum += n;
    }
    thread.join();
    return found;
}

int cxx_thrown(int n)
{
    try {
        if (n + sum > 2)
            throw std::runtime_error("more than two");
        return n;
    } catch (const std::exception &error) {
        return error.what()[0];
    }
}

void cxx_shared(int n)
{
    static std::shared_ptr<int> first = std::make_shared<int>(n);
    std::shared_ptr<int> it = first;

    std::lock_guard<std::mutex> held(lock);
    sum += *it;
}

void cxx_print(int n)
{
    std::cout << n << ", " << text.size() << ' ' << 1.5 << text << std::endl;
    std::cerr << "printed\n" << std::flush;
}
