/* tests.c -- the message box of examples/autosar without its buffer, twice in one process.
 *
 * The first time functions are looked up, the second time they are known.  Both times it prints
 * what was used, as usage.h does, and how often code was run. */
#include <sys/mman.h>

#include "../../examples/autosar/buffer/spec.h"
#include "../../examples/autosar/mbox/spec.h"
#include "../process.h"
#include "box.h"
#include "cirq_buffer.h"

RDL_STUB(CirqBuffDynCreate, size, dataSize);
RDL_STUB(CirqBuffPush, cPtr, dataPtr);
RDL_STUB(CirqBuffPop, cPtr, dataPtr);

RDL_EXTERN_SPEC(mbox);

RDL_TEST_MODEL(basic, mbox, .cases = 100);
RDL_TEST_MODEL(large, mbox, .cases = 100, .calls = {0, 500});
RDL_TEST_MODEL(plays, mbox, .cases = 100, .calls = {0, 500}, .stand_ins = RDL_SPECS(cb));
RDL_TEST_MODEL(small, mbox, .calls = {0, 500}, .stand_ins = RDL_SPECS(cb),
               .deviation = "silently holds 128 elements");

unsigned long *box_runs;

static int measure(const char *name, int argc, char **argv)
{
    struct rusage before, after, workers_before, workers;
    double started = bench_now();
    int result;

    *box_runs = 0;
    getrusage(RUSAGE_SELF, &before);
    getrusage(RUSAGE_CHILDREN, &workers_before);
    result = rdl_main(argc, argv);
    getrusage(RUSAGE_SELF, &after);
    getrusage(RUSAGE_CHILDREN, &workers);
    fprintf(stderr, "%s_wall=%.6f %s_cpu=%.6f %s_runs=%lu\n", name, bench_now() - started, name,
            cpu_of(&after) - cpu_of(&before) + cpu_of(&workers) - cpu_of(&workers_before), name,
            *box_runs);
    return result;
}

int main(int argc, char **argv)
{
    box_runs =
        mmap(NULL, sizeof *box_runs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    measure("first", argc, argv);
    return measure("again", argc, argv);
}
