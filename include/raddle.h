/* raddle.h -- all of Raddle for those who write tests.
 *
 *     #include <raddle.h>
 *
 *     RDL_PROPERTY(reversing_twice_changes_nothing)
 *     {
 *         size_t n;
 *         int *xs = rdl_ints(t, &n, .length = {0, 100}, .range = {-1000, 1000});
 *         int *ys = rdl_copy(t, xs, n * sizeof *xs);
 *
 *         reverse(ys, n);
 *         reverse(ys, n);
 *         rdl_check_mem(ys, xs, n * sizeof *xs);
 *     }
 *
 *     RDL_MAIN
 *
 * Every name begins with rdl_ or RDL_; those with two underscores are not for
 * you.  Link with -lraddle (pkg-config: raddle; CMake: Raddle::raddle). */
#ifndef RADDLE_H
#define RADDLE_H

#include <raddle/annotate.h>
#include <raddle/callouts.h>
#include <raddle/case.h>
#include <raddle/check.h>
#include <raddle/clock.h>
#include <raddle/cluster.h>
#include <raddle/events.h>
#include <raddle/gates.h>
#include <raddle/generate.h>
#include <raddle/mock.h>
#include <raddle/model.h>
#include <raddle/reproduce.h>
#include <raddle/requirements.h>
#include <raddle/spec.h>
#include <raddle/streams.h>
#include <raddle/test.h>
#include <raddle/threads.h>

#define RDL_VERSION "0.1.0"

#endif
