// plain.cpp -- classes whose code is not instrumented.
#include "objects.h"

namespace {

struct counter : number {
    int value = 0;

    int get() override { return value; }
    void set(int to) override { value = to; }
    void refuse() override { throw 42; }
};

} // namespace

number *make_number()
{
    return new counter;
}
