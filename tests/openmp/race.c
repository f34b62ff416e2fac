/* race.c -- a critical section is missing. */
int main(void)
{
    int count = 0;

#pragma omp parallel num_threads(2)
    count++;
    return count > 2;
}
