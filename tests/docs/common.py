"""What the checks of documents and of man pages share: complaints, and folders to run commands in."""
import glob, os, re, shutil, subprocess

source, build, scratch = (os.environ[name] for name in ("SOURCE", "BUILD", "SCRATCH"))
complaints = 0


def complain(path, line, what):
    global complaints
    complaints += 1
    print(f"{path}:{line}: {what}")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_luck(line):
    """Times are of no interest, nor how soon a strategy came upon a failing schedule."""
    line = re.sub(r"\b\d+\.\d\d s\b", "0.00 s", line)
    line = re.sub(r" +\d+\.\d\d$", " 0.00", line)  # in tables
    line = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x0", line)  # addresses
    line = re.sub(r"\bat schedule [\d,]+ \([\d,]+ choices?\)", "at schedule 1", line)
    line = re.sub(r"\b[\d,]+ schedules?, shrunk from [\d,]+ ", "1 schedule, shrunk from 1 ", line)
    line = re.sub(r"\b\d+,[\d,]+ different schedules", "many different schedules", line)
    return re.sub(r"\bin [\d,]+ runs?\b", "in 1 run", line).rstrip()


class Session:
    """A folder with a document's files in it, in which commands are run one by one.

    The examples are there; with `build`, it looks like a clone that has been built."""

    def __init__(self, name, folders, with_build=False):
        self.folder = os.path.join(scratch, name)
        self.status = 0
        os.makedirs(self.folder)
        for folder in folders:
            for file in glob.glob(f"{folder}/*"):
                shutil.copy(file, self.folder)
        if with_build:
            os.symlink(build, os.path.join(self.folder, "build"))
            os.symlink(os.path.join(source, "docs"), os.path.join(self.folder, "docs"))
        shutil.copytree("examples", os.path.join(self.folder, "examples"),
                        ignore=shutil.ignore_patterns("*.raddle"))

    def run(self, command):
        """The lines that it prints.  `$?` is the status of the command before it."""
        done = subprocess.run(["bash", "-c", f"(exit {self.status}); {command}"], text=True,
                              cwd=self.folder, stdin=subprocess.DEVNULL, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.status = done.returncode
        return done.stdout.splitlines()
