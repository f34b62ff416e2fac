cp "$SOURCE/docs/tutorials/explore/counter.c" .
cp "$SOURCE"/docs/tutorials/queue/queue.[ch] .
cp "$SOURCE/docs/tutorials/queue/test_queue.c" tests.c
cat >counter.cc <<'END'
#include <thread>
static int visitors;
int main()
{
    std::thread front([] { visitors++; }), back([] { visitors++; });
    front.join();
    back.join();
}
END
printf 'all:\n\t$(CC) -g -o made counter.c\n' >Makefile
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(counter C)
add_executable(counter counter.c)
END
