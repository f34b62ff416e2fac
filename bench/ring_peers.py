"""ring_peers.py -- what other tools do with a ring buffer and its model: bench/peers/model_*.

Modes: basic (room for 1 to 16, puts:gets 1:1, up to 50 commands), large (1 to 256, 5:1, up to 500)
and small (as large, with a bug: it holds no more than 128)."""
import subprocess

from common import SOURCE, fields, finish, pinned, start

HYPOTHESIS = ["/usr/bin/python3", f"{SOURCE}/bench/peers/model_hypothesis.py"]
HYPOTHESIS_S = 30  # it may shrink for so long


def build(*command):
    subprocess.run(command, check=True)


def build_peers():
    ring = f"{SOURCE}/bench/model/ring.c"
    build("gcc", "-O2", "-c", ring, "-o", "ring.o")
    build("gcc", "-O2", "-shared", "-fPIC", ring, "-o", "ring.so")
    build("g++", "-O2", "-o", "model_rapidcheck", f"{SOURCE}/bench/peers/model_rapidcheck.cpp",
          "ring.o", "-lrapidcheck")
    build("erlc", "-o", ".", f"{SOURCE}/bench/peers/model_proper.erl")


def longest(mode):
    return 50 if mode == "basic" else 500


def rapidcheck(mode, cases, seed):
    process = start(pinned(["./model_rapidcheck", mode]),
                    RC_PARAMS=f"max_success={cases} max_size={longest(mode)} seed={seed}")
    return fields("".join(line for line in finish(process).splitlines(True) if "=" in line))


def proper(mode, runs, cases):
    words = ", ".join(f'"{word}"' for word in (mode, runs, cases, longest(mode)))
    process = start(pinned(["erl", "-noshell", "-eval", f"model_proper:main([{words}]), halt()."]))
    return [fields(line) for line in finish(process).splitlines()]


def hypothesis(mode, seed, cases):
    return HYPOTHESIS + [mode, str(seed), str(cases), str(longest(mode)), str(HYPOTHESIS_S)]


def between(runs, name):
    values = [run[name] for run in runs]
    low, high = min(values), max(values)
    return f"{low:,.0f}" if low == high else f"{low:,.0f}-{high:,.0f}"
