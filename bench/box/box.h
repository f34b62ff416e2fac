/* box.h -- runs of the message box's tests are counted in memory that the workers share. */
#ifndef BENCH_BOX_H
#define BENCH_BOX_H

extern unsigned long *box_runs;

#endif
