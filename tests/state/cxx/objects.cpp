// objects.cpp -- objects of C++'s library that two threads share: wrong without a lock, right with
// one, or if each thread has its own.
#include <cstring>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

struct objects {
    std::string text = "a text that is too long to be stored in the object itself";
    std::map<int, std::string> map;
    std::list<int> list, full = {1, 2, 3};
    std::set<std::string> set;
    std::ostringstream stream;
    const char *letters = text.data();
    std::list<int>::iterator second = std::next(full.begin());
    int seen = 0;
};

static void use(objects &it, const char *which, int me)
{
    if (strcmp(which, "string") == 0) {
        if (me)
            it.text.append("more");
        else
            it.text.push_back('c');
    } else if (strcmp(which, "letters") == 0) {
        if (me)
            it.text.replace(0, 1, "b");
        else
            it.seen = it.letters[0];
    } else if (strcmp(which, "node") == 0) {
        if (me)
            it.full.erase(it.full.begin());
        else
            it.seen = std::prev(it.second) == it.full.end();
    } else if (strcmp(which, "map") == 0) {
        it.map[me] = "x";
    } else if (strcmp(which, "list") == 0) {
        it.list.push_back(me);
    } else if (strcmp(which, "set") == 0) {
        if (me)
            it.set.insert("y");
        else
            for (const std::string &one : it.set)
                it.text = one;
    } else if (strcmp(which, "stream") == 0) {
        it.stream << me;
    } else if (strcmp(which, "buffer") == 0) {
        if (me)
            it.stream << "x";
        else
            it.text = it.stream.str();
    } else {
        std::cout << "x" << std::endl;
    }
}

int main(int argc, char **argv)
{
    const char *which = argv[1], *how = argv[2];
    objects shared, own[2];
    std::mutex lock;

    (void)argc;
    auto body = [&](int me) {
        if (strcmp(how, "own") == 0) {
            use(own[me], which, me);
        } else if (strcmp(how, "locked") == 0) {
            std::lock_guard<std::mutex> guard(lock);
            use(shared, which, me);
        } else {
            use(shared, which, me);
        }
    };
    std::thread first(body, 0), second(body, 1);
    first.join();
    second.join();
    return 0;
}
