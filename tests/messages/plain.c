/* plain.c -- a program that knows nothing of Raddle. */
int main(void)
{
    return 0;
}
