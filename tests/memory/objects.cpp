/* objects.cpp -- blocks of C++'s operators, used rightly (0) and wrongly; see tests/run_memory.sh. */
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct alignas(64) Wide {
    char bytes[100];
};

struct Base {
    virtual ~Base() {}
    int x = 1;
};

struct Derived : Base {
    int more[10];
    ~Derived() override {}
};

static volatile int one = 1;
int *number;
Wide *wide;

static void be_right()
{
    std::map<int, std::string> texts;
    std::list<int> numbers;
    std::ostringstream stream;
    std::vector<std::thread> threads;
    auto shared = std::make_shared<Derived>();
    std::unique_ptr<Base> owned(new Derived);

    for (int i = 0; i < 10; i++) {
        texts[i] = std::to_string(i) + " and a text that is long enough for the heap";
        numbers.push_back(i);
        stream << texts[i];
    }
    for (int i = 0; i < 10; i += 2)
        texts.erase(i);
    numbers.sort();
    numbers.remove(3);
    for (int i = 0; i < 2; i++)
        threads.emplace_back([shared] {
            std::vector<std::string> all;

            for (int n = 0; n < 20; n++)
                all.push_back("a text that is long enough for the heap" + std::to_string(n));
        });
    for (auto &thread : threads)
        thread.join();
    delete[] new Wide[3];
    delete new (std::nothrow) Wide;
    try {
        throw std::string("a text that is long enough for the heap, and thrown");
    } catch (std::string &text) {
        one = text[0] == 'a';
    }
}

int main(int argc, char **argv)
{
    std::vector<int> numbers(3);
    std::string text = "a text that is long enough for the heap";

    number = new int[3];
    wide = new Wide;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1:
        number[3 * one] = 1;
        break;
    case 2:
        delete[] number;
        *number = 2;
        break;
    case 3:
        delete[] number;
        delete[] number;
        break;
    case 4:
        number = &numbers[0];
        numbers.resize(100);
        *number = 4;
        break;
    case 5:
        wide->bytes[128 * one] = 1;
        break;
    case 6:
        number = (int *)text.c_str();
        text += text;
        *number = 6;
        break;
    default:
        be_right();
        break;
    }
    puts("done");
    return 0;
}
