/* mocks_gmock.cpp -- the same by gMock: a mock object, and a function that calls it. */
#include <cstdio>

#include <gmock/gmock.h>

#include "../mocks/flash.h"

using testing::Return;

static testing::StrictMock<testing::MockFunction<int(int, const char *, size_t)>> *flash;

extern "C" int flash_write(int block, const char *data, size_t length)
{
    return flash->Call(block, data, length);
}

TEST(flash, calls)
{
    testing::StrictMock<testing::MockFunction<int(int, const char *, size_t)>> mocked;

    flash = &mocked;
    EXPECT_CALL(mocked, Call(3, flash_text, 4)).WillRepeatedly(Return(0));
    std::printf("ns=%.6f\n", flash_ns(flash_write, 20000, nullptr, nullptr));
}

int main(int argc, char **argv)
{
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
