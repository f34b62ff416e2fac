/* library.c -- a counter in a library of its own, made when it is first used. */
int library_next(void);
int library_next(void)
{
    static int count = 100;

    return ++count;
}
