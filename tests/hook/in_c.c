/* in_c.c -- a function in C, that an exception is to pass. */
int in_c(int (*function)(int), int argument);
int in_c(int (*function)(int), int argument)
{
    return function(argument) + 1;
}
