"""mutate.py -- do the tests notice when the code is changed?

    mutate.py [--seed N] [--count N] [--jobs N] [--folder PATH] [--again] BUILD

A sample of mutants (tests/mutants/changes.py) of src/control, src/judge, src/events and src/shrink
is drawn, half of it from src/control/sched; or of the folder or file that is named.  Each mutant
is compiled by itself and linked with the tests of its file (tests/mutants/tests says which), or
with the library that scripts preload.  These run until one fails: then the mutant is killed.  One
that lasts many times as long as the test did, or does nothing for long, is killed, too.  Mutants that tests/mutants/equivalent tells to be equivalent are not run.

BUILD is where `make tests` has built everything.  All that is made here goes to BUILD/mutate:
nothing in the source tree is written.  Survivors are listed at the end and in BUILD/mutate/survivors,
in the form of tests/mutants/equivalent; --again runs those only.  Exit status 0 says that 90 % at
least were killed or equivalent, 1 that fewer were, and 2 that something is wrong."""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import pathlib
import queue
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import zlib

sys.dont_write_bytecode = True
from mutants.changes import mutants  # noqa: E402

FOLDERS = ["src/control/sched", "src/control", "src/judge", "src/events", "src/shrink"]
SCHEDULER = "src/control/sched/"
PROGRAMS = ("tests", "specs", "examples", "zoo")
LIBRARY = "lib/libraddle.so"  # what is preloaded into the programs that scripts explore
WANTED = 90  # percent
KILLED, SURVIVED, EQUIVALENT, SAME, BROKEN = "killed survived equivalent same broken".split()


def read_tests():
    """Patterns of files, each with the names of its tests, in their order."""
    with open("tests/mutants/tests", encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
        text = re.sub(r"\+\s+", "+", text)
    parts = (line.split(":") for line in text.splitlines() if line.strip())
    return [(pattern.strip(), names.split()) for pattern, names in parts]


def is_script(test):
    return test.startswith("run_")


def tests_of(path, table):
    names = [name for pattern, names in table if pathlib.PurePath(path).match(pattern) for name in names]
    return list(dict.fromkeys(names))


def read_equivalent():
    """The names of mutants that are known to be equivalent."""
    found, entry = set(), {}
    for number, line in enumerate(open("tests/mutants/equivalent", encoding="utf-8"), 1):
        word, _, text = line.strip().partition(": ")
        if line.startswith("#"):
            continue
        if line.strip():
            entry[word] = text
        if word == "why":
            if len(text.split()) < 3 or set(entry) != {"file", "was", "is", "why"}:
                sys.exit(f"mutate.py: tests/mutants/equivalent:{number}: this entry is incomplete")
            path, function = entry["file"].split()
            found.add((path, function, entry["was"], entry["is"]))
            entry = {}
    for path in {name[0] for name in found}:
        for name in found - {mutant.name for mutant in mutants(path)}:
            if name[0] == path:
                sys.exit(f"mutate.py: tests/mutants/equivalent: {path} has no such mutant any "
                         f"more, in {name[1]}: {name[3]}")
    return found


def entry_of(mutant):
    """As it stands in tests/mutants/equivalent, but for the reason."""
    return (f"file: {mutant.path} {mutant.function}\nwas: {mutant.before}\n"
            f"is: {mutant.after}\n")


def work_of(session):
    """Something that is another at each call while a process of this session runs, or could."""
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat, encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            if fields[0] in "RD":
                return time.monotonic()
            found.append((stat, fields[11], fields[12]))
    return found


class Place:
    """Where one job works.  To tests it looks like the build, but for programs linked here."""

    def __init__(self, folder, build):
        shutil.rmtree(folder, ignore_errors=True)
        self.folder, self.build = folder, folder + "/build"
        self.original = build
        os.makedirs(self.build)
        for name in os.listdir(build):
            if name in PROGRAMS:
                os.mkdir(f"{self.build}/{name}")
                for program in os.listdir(f"{build}/{name}"):
                    os.symlink(f"{build}/{name}/{program}", f"{self.build}/{name}/{program}")
            elif name in ("lib", "bin"):  # the tool preloads the library that lies next to it
                shutil.copytree(f"{build}/{name}", f"{self.build}/{name}", symlinks=True)
            elif name != "mutate":
                os.symlink(f"{build}/{name}", f"{self.build}/{name}")

    def path(self, program):
        """Of a program as FOLDER/NAME; several tests in one have a name that is not too long."""
        first, _, others = program.partition("+")
        return f"{self.build}/{first}" + (f"+{zlib.crc32(others.encode()):x}" if others else "")

    def restore(self, program):
        os.remove(self.path(program))
        os.symlink(f"{self.original}/{program}", self.path(program))


class Bench:
    """Compiles, links and runs."""

    def __init__(self, build):
        self.build = os.path.realpath(build)
        self.folder = os.path.join(self.build, "mutate")
        os.makedirs(self.folder, exist_ok=True)
        with open(self.build + "/compile_commands.json", encoding="utf-8") as file:
            self.commands = {os.path.relpath(each["file"]): each for each in json.load(file)
                             if "raddle_objects.dir" in each["command"]}
        self.environment = dict(os.environ, SOURCE=os.getcwd(), TEST_FAIL_FAST="1",
                                CC=os.environ.get("CC", "gcc"))
        self.environment.pop("MAKEFLAGS", None)
        self.programs, self.seconds, self.originals = {}, {}, {}
        self.lock, self.preparing = threading.Lock(), collections.defaultdict(threading.Lock)

    def compile(self, place, path, text):
        """The object of this file with that text; None if it does not compile."""
        source = os.path.join(place.folder, os.path.basename(path))
        object_file = source + ".o"
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = shlex.split(self.commands[path]["command"])
        at = command.index("-o")
        del command[at:]
        command += ["-O1", "-w", "-iquote", os.path.dirname(os.path.realpath(path)),
                    "-o", object_file, "-c", source]
        done = subprocess.run(command, cwd=self.build, stderr=subprocess.DEVNULL)
        if done.returncode:
            return None
        shutil.copy(object_file, self.shared(object_file))
        subprocess.run(["cmake", f"-DARCHIVE={object_file}", "-DOBJCOPY=objcopy",
                        "-DOBJDUMP=objdump", "-P", os.path.realpath("cmake/apart.cmake")],
                       check=True)
        return object_file

    @staticmethod
    def shared(object_file):
        """The same as the shared library has it, which keeps no variables apart."""
        return object_file + ".shared"

    def link_library(self, place, path, object_file):
        """Link the shared library anew, with this object instead of that of the file."""
        with open(f"{self.build}/CMakeFiles/raddle_shared.dir/link.txt", encoding="utf-8") as file:
            command = shlex.split(file.read())
        out = os.path.realpath(place.path(LIBRARY))
        command[command.index("-o") + 1] = out
        if object_file:
            at = next(i for i, word in enumerate(command)
                      if word.endswith(f"raddle_objects.dir/{path}.o"))
            command[at] = self.shared(object_file)
        os.remove(out)
        subprocess.run(command, cwd=self.build, check=True)
        return out

    def link(self, place, program, path, object_file=None):
        """Link a program (as FOLDER/NAME) anew, with this object before all others."""
        if program == LIBRARY:
            return self.link_library(place, path, object_file)
        folder, names = program.split("/")
        targets = names.split("+") if folder == "tests" else [f"{folder}_{names}"]
        path, objects = place.path(program), []
        for target in targets:
            with open(f"{self.build}/CMakeFiles/{target}.dir/link.txt", encoding="utf-8") as file:
                command = shlex.split(file.read())
            objects += [word for word in command if word.endswith(".o")]
        command = [word for word in command if not word.endswith(".o")]
        command[command.index("-o") + 1] = path
        at = next(i for i, word in enumerate(command) if word.endswith(".a"))
        command[at:at] = objects + ([object_file] if object_file else [])
        if os.path.lexists(path):
            os.remove(path)
        subprocess.run(command, cwd=self.build, check=True)
        return path

    def run(self, place, test, seconds):
        """Does it pass, in so many seconds (None: as many as it takes)?"""
        def prepare():
            with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
                file.write("1000")  # a mutant that eats all memory is the one to go
            if seconds:
                limit = int(2 + 4 * seconds)
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        command = [place.path(f"tests/{test}")]
        if is_script(test):
            command = ["bash", f"{os.getcwd()}/tests/{test}.sh"]
        process = subprocess.Popen(command, cwd=place.folder,
                                   env=dict(self.environment, BUILD=place.build),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True, preexec_fn=prepare)
        try:
            status = self.status_of(process, seconds)
        except subprocess.TimeoutExpired:
            status = -signal.SIGKILL
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        return status in (0, 77)

    @staticmethod
    def status_of(process, seconds):
        """Wait for it, but not for one that lasts many times as long, or does nothing for long."""
        if not seconds:
            return process.wait()
        end, last, since = time.monotonic() + 10 + 10 * seconds, None, time.monotonic()
        while True:
            try:
                return process.wait(1)
            except subprocess.TimeoutExpired:
                now, done = time.monotonic(), work_of(process.pid)
                if done != last:
                    last, since = done, now
                if now > end or now > since + 10 + 2 * seconds:
                    raise

    def defined(self, file, kinds):
        listing = subprocess.run(["nm", file], check=True, capture_output=True, text=True).stdout
        words = (line.split() for line in listing.splitlines())
        return {each[-1] for each in words if len(each) == 3 and each[1] in kinds}

    def prepare(self, place, test):
        """How long the test takes, which programs belong to it, and what code is in them."""
        used = set()
        for name in test.split("+"):
            with open(f"tests/{name}.{'sh' if is_script(test) else 'c'}", encoding="utf-8") as file:
                used.update(re.findall(r"\$BUILD/((?:specs|examples|zoo)/\w+)", file.read()))
        programs = [LIBRARY if is_script(test) else f"tests/{test}", *sorted(used)]
        code = {each: self.defined(self.link(place, each, None), "TtDdBbRr") for each in programs}
        start = time.monotonic()
        if not self.run(place, test, None):
            sys.exit(f"mutate.py: {test} fails without any change")
        self.seconds[test], self.programs[test] = time.monotonic() - start, code

    def code(self, object_file):
        """All of an object but its debugging information."""
        plain = object_file + ".plain"
        subprocess.run(["objcopy", "-g", object_file, plain], check=True)
        with open(plain, "rb") as file:
            return file.read()

    def original(self, place, path):
        """The code of a file without a change, and the names that others know."""
        with self.lock:
            found = self.originals.get((place.folder, path))
        if found is None:
            with open(path, encoding="utf-8") as file:
                object_file = self.compile(place, path, file.read())
            found = self.code(object_file), self.defined(object_file, "TDBR")
            with self.lock:
                self.originals[(place.folder, path)] = found
        return found

    def judge(self, place, mutant, tests):
        """What becomes of a mutant, and which test killed it."""
        original, names = self.original(place, mutant.path)
        object_file = self.compile(place, mutant.path, mutant.text)
        if not object_file:
            return BROKEN, None
        if self.code(object_file) == original:
            return SAME, None
        linked = set()
        for test in tests:
            with self.preparing[test]:
                if test not in self.programs:
                    self.prepare(place, test)
                    linked -= set(self.programs[test])
            code = self.programs[test]
            touched = {program for program in code if names <= code[program]}
            if not touched:
                continue
            for program in set(code) - linked:
                if program in touched or "+" in program:
                    self.link(place, program, mutant.path, object_file)
                else:
                    place.restore(program)
            linked.update(code)
            if not self.run(place, test, self.seconds[test]):
                return KILLED, test
        return SURVIVED, None


def files_of(folders):
    """The C files of folders, or that are named; each once."""
    found = []
    for folder in folders:
        inside = sorted(glob.glob(f"{folder}/**/*.c", recursive=True))
        found += inside if os.path.isdir(folder) else [folder]
    return list(dict.fromkeys(found))


def drawn(paths, seed):
    """All mutants of these files, in the order in which they are drawn."""
    found = [mutant for path in paths for mutant in mutants(path)]
    random.Random(seed).shuffle(found)
    return found


def in_order(pool, judge, candidates, count):
    """Judge mutants in their order until so many could be run; yields those with their fates."""
    begin = 0
    while count > 0 and begin < len(candidates):
        batch = candidates[begin:begin + count]
        begin += len(batch)
        for mutant, (fate, test) in zip(batch, pool.map(judge, batch)):
            yield mutant, fate, test
            count -= fate not in (SAME, BROKEN)


def short(test):
    """A test, or the first of those that are one program."""
    return (test or "").partition("+")[0] + ("+" if test and "+" in test else "")


def folder_of(path):
    return SCHEDULER.rstrip("/") if path.startswith(SCHEDULER) else "/".join(path.split("/")[:2])


def percent(counts):
    ran = counts[KILLED] + counts[SURVIVED] + counts[EQUIVALENT]
    return 100 * (ran - counts[SURVIVED]) / ran if ran else 100


def print_table(fates):
    by_folder = collections.defaultdict(collections.Counter)
    for mutant, fate, _ in fates:
        by_folder[folder_of(mutant.path)][fate] += 1
        by_folder["all"][fate] += 1
    print(f"\n{'':20}{'killed':>10}{'survived':>10}{'equivalent':>12}{'noticed':>10}"
          f"{'same code':>14}{'not compiled':>14}")
    for folder in sorted(by_folder, key=lambda name: (name == "all", name)):
        counts = by_folder[folder]
        print(f"{folder:20}{counts[KILLED]:10}{counts[SURVIVED]:10}{counts[EQUIVALENT]:12}"
              f"{percent(counts):8.1f} %{counts[SAME]:14}{counts[BROKEN]:14}")
    return by_folder["all"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip(), add_help=False)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--folder")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("build")
    options = parser.parse_args()

    if options.folder:
        groups = [(drawn(files_of(options.folder.split()), options.seed), options.count)]
    else:
        paths = files_of(FOLDERS)
        scheduler = [path for path in paths if path.startswith(SCHEDULER)]
        others = [path for path in paths if not path.startswith(SCHEDULER)]
        groups = [(drawn(scheduler, options.seed), options.count - options.count // 2),
                  (drawn(others, options.seed), options.count // 2)]
    bench = Bench(options.build)
    left = os.path.join(bench.folder, "survivors")
    if options.again:
        with open(left, encoding="utf-8") as file:
            names = set(file.read().split("\n\n"))
        everything = [mutant for candidates, _ in groups for mutant in candidates]
        groups = [([m for m in everything if entry_of(m).strip() in names], len(names))]

    table, equivalent = read_tests(), read_equivalent()
    places = queue.Queue()
    for job in range(options.jobs):
        places.put(Place(os.path.join(bench.folder, f"job{job}"), bench.build))
    began, done = time.monotonic(), 0

    def judge(mutant):
        if mutant.name in equivalent:
            return EQUIVALENT, None
        tests = tests_of(mutant.path, table)
        place = places.get()
        try:
            return bench.judge(place, mutant, tests)
        finally:
            places.put(place)

    fates = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for candidates, count in groups:
            for mutant, fate, test in in_order(pool, judge, candidates, count):
                done += 1
                fates.append((mutant, fate, test))
                print(f"{done:4} {time.monotonic() - began:6.0f} s  {fate:10} "
                      f"{mutant.path}:{mutant.line} {short(test)}", flush=True)

    counts = print_table(fates)
    survivors = [mutant for mutant, fate, _ in fates if fate == SURVIVED]
    with open(left, "w", encoding="utf-8") as file:
        file.write("\n".join(entry_of(mutant) for mutant in survivors))
    for mutant in survivors:
        print(f"\n{mutant.path}:{mutant.line}: in {mutant.function}\n  - {mutant.before}\n"
              f"  + {mutant.after}")
    print(f"\nseed {options.seed}; the survivors are in {os.path.relpath(left)}")
    return 0 if percent(counts) >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
