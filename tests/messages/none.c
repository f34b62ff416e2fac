/* none.c -- no test, and no spec. */
#include <raddle.h>

int main(int argc, char **argv)
{
    return rdl_main(argc, argv);
}
