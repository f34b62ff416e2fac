/* alone.h -- each random program is a process. */
static int run(int argc, char **argv, int (*const programs[])(void))
{
    if (argc != 2)
        return 2;
    set_up(0);
    return programs[atoi(argv[1])]();
}
