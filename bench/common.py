"""common.py -- what the benchmarks share: running programs, reading what they print, tables.

Programs print what they measured as name=value; Raddle's also print the JSON report of the
test they ran."""
import json
import os
import re
import subprocess
import sys

SOURCE = os.environ["SOURCE"]
BUILD = os.environ["BUILD"]


def pinned(command):
    return ["taskset", "-c", str(min(os.sched_getaffinity(0)))] + command


def start(command, **environment):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=os.environ | environment)


def finish(process):
    out, err = process.communicate()
    if process.returncode not in (0, 1) or "=" not in out + err:  # 1: Raddle found a failure
        sys.exit(f"{sys.argv[0]}: {process.args} went wrong:\n{out}{err}")
    return out + err


def fields(text):
    """All name=value pairs of one line or run, numbers as numbers."""
    return {name: value if name == "result" else float(value)
            for name, value in re.findall(r"(\w+)=([-\d.e+]+|\[\S*\])(?=\s|$)", text)}


def raddle(program, test, *options, pin=True):
    command = [f"./{program}", "--filter", f"={test}", "--format", "json", "--regressions", "none",
               *options]
    text = finish(start(pinned(command) if pin else command))
    report = next(line for line in text.splitlines() if line.startswith("{"))
    return json.loads(report), fields(text.replace(report, ""))


def version_of(package):
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                           capture_output=True, text=True).stdout
    return re.match(r"[\d.]*~?[\d.]*", found.removeprefix("1:")).group() or "?"


def say(text=""):
    print(text, flush=True)


def heading(text):
    say(f"\n{text}\n{'-' * len(text)}")


def machine():
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    kernel = os.uname()
    compiler = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True).stdout
    return (f"{model.group(1) if model else kernel.machine}, {os.cpu_count()} cores, "
            f"Linux {kernel.release}, gcc {compiler.strip()}")


def say_where():
    say(f"Raddle's benchmarks, measured now on {machine()}.\n"
        f"Other work spoils the figures; load average at the start: {os.getloadavg()[0]:.2f}.")


if __name__ == "__main__":
    say_where()
