// objects.h -- a class whose functions are called by a table.
#ifndef TESTS_UNSEEN_OBJECTS_H
#define TESTS_UNSEEN_OBJECTS_H

struct number {
    virtual int get() = 0;
    virtual void set(int value) = 0;
    virtual void refuse() = 0; // throws 42
    virtual ~number() = default;
};

number *make_number();

#endif
