"""model_hypothesis.py -- the same for Hypothesis: `WHAT SEED CASES STEPS SECONDS`, where SECONDS
is how long it may shrink.

What is tested is the ring in C, called by ctypes.  Rules have no weights: five to one is five
rules to one."""
import collections
import ctypes
import sys
import time

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import (RuleBasedStateMachine, initialize, rule,
                                 run_state_machine_as_test)
from hypothesis.strategies import integers

WHAT = sys.argv[1]
SEED, CASES, STEPS = map(int, sys.argv[2:5])
SECONDS = float(sys.argv[5])
LARGEST = 16 if WHAT == "basic" else 256

ring = ctypes.CDLL("./ring.so")
ring_new = ring.ring_new_small if WHAT == "small" else ring.ring_new
ring_new.restype = ctypes.c_void_p
ring.ring_put.argtypes = [ctypes.c_void_p, ctypes.c_int]
ring.ring_put.restype = ctypes.c_bool
ring.ring_get.argtypes = ring.ring_free.argtypes = [ctypes.c_void_p]

cases = commands = first = first_length = 0
failed_at = None
shortest = None  # length, values other than 0, size: of what failed


class Enough(KeyboardInterrupt):
    """Hypothesis lets this through."""


class Ring(RuleBasedStateMachine):
    @initialize(size=integers(1, LARGEST))
    def create(self, size):
        global cases
        cases += 1
        self.size, self.items, self.length, self.values = size, collections.deque(), 0, 0
        self.ring = ring_new(size)

    def judge(self, holds):
        global first, first_length, failed_at, shortest
        if holds:
            return
        if not first:
            first, first_length, failed_at = cases, self.length, time.process_time()
        this = (self.length, self.values, self.size)
        shortest = min(shortest or this, this)
        assert False

    def begin(self):
        global commands
        commands += 1
        self.length += 1
        if first and time.process_time() - failed_at > SECONDS:
            raise Enough

    @rule(value=integers(0, 255))
    def put(self, value):
        self.begin()
        self.values += value != 0
        has_room = len(self.items) < self.size
        if has_room:
            self.items.append(value)
        self.judge(ring.ring_put(self.ring, value) == has_room)

    if WHAT != "basic":
        put2, put3, put4, put5 = (rule(value=integers(0, 255))(lambda self, value: self.put(value))
                                  for _ in range(4))

    @rule()
    def get(self):
        self.begin()
        expected = self.items.popleft() if self.items else -1
        self.judge(ring.ring_get(self.ring) == expected)

    def teardown(self):
        if hasattr(self, "ring"):
            ring.ring_free(self.ring)


before = time.process_time()
try:
    # No database and no explaining; no limits on time; else the defaults.
    run_state_machine_as_test(seed(SEED)(Ring), settings=settings(
        max_examples=CASES, stateful_step_count=STEPS, database=None, deadline=None,
        phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck)))
    stopped = 0
except Enough:
    stopped = 1
except AssertionError:
    stopped = 0
now = time.process_time()
print(f"cases={cases} commands={commands} cpu={now - before:.6f}")
if first:
    length, values, size = shortest
    print(f"found_at={first} first_length={first_length} shrink_runs={cases - first}",
          f"shrink_cpu={now - failed_at:.6f} length={length} size={size} values={values}",
          f"stopped={stopped}")
