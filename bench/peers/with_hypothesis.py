"""with_hypothesis.py -- the same for Hypothesis: `throughput N`, or
`PROBLEM FIRST COUNT` to shrink from so many seeds."""
import sys
import time

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import integers, lists

INTS = lists(integers(-2**31, 2**31 - 1), max_size=100)


def ints_upto(most):
    return lists(integers(0, most), max_size=100)


def has_pair(xs):
    return any(x > 7 and x in xs[:i] for i, x in enumerate(xs))


# Name: what is drawn, what must hold, how many elements that is.
PROBLEMS = {
    "reverse": (INTS, lambda xs: xs == xs[::-1], len),
    "large": (ints_upto(1000000), lambda xs: all(x < 900 for x in xs), len),
    "length": (INTS, lambda xs: len(xs) < 10, len),
    "pair": (ints_upto(200), lambda xs: not has_pair(xs), len),
    "sum": (ints_upto(400), lambda xs: sum(xs) < 1000, len),
    "nested": (lists(lists(integers(-2**31, 2**31 - 1))),
               lambda xss: sum(map(len, xss)) <= 10, lambda xss: sum(map(len, xss))),
}


def options(cases):
    # No database and no explaining; no limits on time; else the defaults.
    return settings(max_examples=cases, database=None, deadline=None,
                    phases=(Phase.generate, Phase.shrink),
                    suppress_health_check=list(HealthCheck))


def throughput(cases):
    ran = ints = 0

    @options(cases)
    @given(INTS)
    def check(xs):
        nonlocal ran, ints
        ran += 1
        ints += len(xs)
        assert list(reversed(list(reversed(xs)))) == xs

    before = time.process_time()
    check()
    print(f"cases={ran} ints={ints} cpu={time.process_time() - before:.6f}")


def shrink(problem, number):
    strategy, holds, length = PROBLEMS[problem]
    runs = first = first_length = 0
    failed_at = result = None

    @seed(number)
    @options(10000)
    @given(strategy)
    def check(xs):
        nonlocal runs, first, first_length, failed_at, result
        runs += 1
        if holds(xs):
            return
        if not first:
            first, first_length, failed_at = runs, length(xs), time.monotonic()
        result = xs  # Hypothesis runs the simplest one last
        raise AssertionError

    try:
        check()
    except AssertionError:
        pass
    print(f"shrink_runs={runs - first} shrink_wall={time.monotonic() - failed_at:.6f}",
          f"first_length={first_length} result={str(result).replace(' ', '')}")


if sys.argv[1] == "throughput":
    throughput(int(sys.argv[2]))
else:
    first, count = map(int, sys.argv[2:])
    for number in range(first, first + count):
        shrink(sys.argv[1], number)
