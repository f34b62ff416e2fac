#!/usr/bin/env bash
# run_docs.sh -- what the documents say is so:
#   a block under a line `<!-- examples/queue.c -->` stands in that file, word for word;
#   `console` blocks, run from top to bottom in a folder of their document's own, with the
#   examples in it and what is in docs/NAME/, print what is shown (times and luck may differ);
#   in a document that has any, every block of C has a file;
#   links between documents lead somewhere;
#   man pages have all their sections, cause no warnings, and leave out no option and no name.
# With ACCEPT=1 the console blocks are rewritten to show what is printed now.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What a user has: a compiler, and a Raddle that pkg-config knows.
sanitize=${SANITIZE:+-fsanitize=address,undefined -fno-sanitize-recover=all}
mkdir -p "$scratch/bin"
cat >"$scratch/bin/cc" <<END
#!/bin/sh
exec ${CC:-gcc} -g -Wall -Wextra -Werror $sanitize "\$@"
END
chmod +x "$scratch/bin/cc"
. "$SOURCE/tests/uninstalled.sh"
uninstalled "$scratch/bin"
export PATH=$scratch/bin:$BUILD/bin:$PATH SCRATCH=$scratch
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done

python3 - <<'END'
import glob, os, re, shutil, subprocess, sys

source, build, scratch = (os.environ[name] for name in ("SOURCE", "BUILD", "SCRATCH"))
accept = bool(os.environ.get("ACCEPT"))
complaints = 0
os.chdir(source)


def complain(path, line, what):
    global complaints
    complaints += 1
    print(f"{path}:{line}: {what}")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- Markdown -----------------------------------------------------------------


def blocks_of(lines):
    """The language of each fenced block, its lines from..to, and the mark above it."""
    start = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
            continue
        above = next((text for text in reversed(lines[:start]) if text.strip()), "")
        mark = re.fullmatch(r"<!-- (\S+) -->", above.strip())
        yield lines[start][3:].strip(), start + 1, number, mark and mark[1]
        start = None


def check_quote(path, lines, start, end, mark):
    if not os.path.exists(mark):
        complain(path, start, f"there is no {mark} to quote from")
    elif "\n".join(lines[start:end]) + "\n" not in text_of(mark):
        complain(path, start, f"this does not stand in {mark}")


def without_times(line):
    """Nor is it of interest how soon a strategy came upon a failing schedule."""
    line = re.sub(r"\b\d+\.\d\d s\b", "0.00 s", line)
    line = re.sub(r" +\d+\.\d\d$", " 0.00", line)  # in tables
    line = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x0", line)  # addresses
    line = re.sub(r"\bat schedule [\d,]+ \([\d,]+ choices?\)", "at schedule 1", line)
    line = re.sub(r"\b[\d,]+ schedules?, shrunk from [\d,]+ ", "1 schedule, shrunk from 1 ", line)
    line = re.sub(r"\b\d+,[\d,]+ different schedules", "many different schedules", line)
    return re.sub(r"\bin [\d,]+ runs?\b", "in 1 run", line).rstrip()


class Session:
    """A folder with a document's files in it, in which commands are run one by one."""

    def __init__(self, path):
        self.folder = os.path.join(scratch, os.path.basename(path))
        self.status = 0
        os.makedirs(self.folder)
        for file in glob.glob(f"{os.path.splitext(path)[0]}/*"):
            shutil.copy(file, self.folder)
        shutil.copytree("examples", os.path.join(self.folder, "examples"),
                        ignore=shutil.ignore_patterns("*.raddle"))

    def run(self, command):
        done = subprocess.run(["bash", "-c", f"(exit {self.status}); {command}"], text=True,
                              cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.status = done.returncode
        return done.stdout.splitlines()


def check_console(path, session, lines, start, end):
    """The lines as they should be."""
    right = []
    while start < end:
        following = start + 1
        while following < end and not lines[following].startswith("$ "):
            following += 1
        shown = lines[start + 1:following]
        printed = session.run(lines[start][2:])
        if [without_times(line) for line in shown] != [without_times(line) for line in printed]:
            # A sanitizer stands between the code and the C library, and is seen in listings.
            if not accept and not any("asan_interceptors" in line for line in printed):
                complain(path, start + 1, f"{lines[start]}\nprints now:\n" + "\n".join(printed))
            shown = [line.rstrip() for line in printed]
        right += [lines[start]] + shown
        start = following
    return right


def check_links(path, text):
    for link in re.finditer(r"\]\(([^)#:]+)(#[^)]*)?\)", text):
        if not os.path.exists(os.path.join(os.path.dirname(path), link[1])):
            complain(path, text.count("\n", 0, link.start()) + 1, f"{link[1]} is not there")


def check_markdown(path):
    text = text_of(path)
    lines = text.split("\n")
    tutorial = "```console" in lines
    # What is preloaded would have to come before the sanitizer's library, whose malloc is another.
    preloads = "raddle explore" in text or "raddle cc" in text or "rdl_inject" in text
    runs = tutorial and not (os.environ.get("SANITIZE") and preloads)
    session = Session(path) if runs else None
    accepted = lines
    for language, start, end, mark in blocks_of(lines):
        if mark:
            check_quote(path, lines, start, end, mark)
        elif language == "c" and tutorial:
            complain(path, start, "C without the file it is from")
        elif language == "console" and runs:
            grown = len(accepted) - len(lines)
            accepted = (accepted[:start + grown] +
                        check_console(path, session, lines, start, end) + accepted[end + grown:])
    check_links(path, text)
    if accept and accepted != lines:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(accepted))


# ---- Man pages --------------------------------------------------------------------


def warnings_of(page):
    checks = [["mandoc", "-T", "lint", "-W", "warning", page],
              ["groff", "-mandoc", "-Tutf8", "-ww", "-z", page]]
    for check in checks:
        if shutil.which(check[0]):
            done = subprocess.run(check, text=True, capture_output=True)
            yield from (done.stdout + done.stderr).splitlines()


def check_page(page):
    text = text_of(page)
    sections = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"]
    sections.append("RETURN VALUES" if page.endswith(".3") else "EXIT STATUS")
    for section in sections:
        if f"\n.Sh {section}\n" not in text:
            complain(page, 1, f"no section {section}")
    for warning in warnings_of(page):
        complain(page, 1, warning)
    for name, number in re.findall(r"^\.Xr (raddle\S*) (\d)", text, re.M):
        if not os.path.exists(f"docs/man/{name}.{number}"):
            complain(page, 1, f"there is no {name}({number})")


def public_names(header):
    text = text_of(header).split("Behind the macros")[0]
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = set(re.findall(r"\b(?:rdl|RDL)_[A-Za-z0-9_]+\b", text))
    return {name for name in names if "__" not in name and not name.endswith("_")}


def help_of(command):
    return subprocess.run(command + ["--help"], text=True, capture_output=True).stdout


def check_options(page, command, mark):
    told = text_of(page)
    for option in re.findall(r"^  --([\w-]+)", help_of(command), re.M):
        if not re.search(rf"{mark}{option}\b", told):
            complain(page, 1, f"does not tell of --{option}")


def check_pages():
    pages = sorted(glob.glob("docs/man/*.[137]"))
    for page in pages:
        check_page(page)
    manual = "\n".join(text_of(page) for page in pages if page.endswith(".3"))
    for header in sorted(glob.glob("include/**/*.h", recursive=True)):
        for name in sorted(public_names(header)):
            if not re.search(rf"\b{name}\b", manual):
                complain(header, 1, f"no page docs/man/*.3 mentions {name}")
    check_options("docs/man/raddle-tests.1", [f"{build}/examples/reverse"], ".It Fl Fl ")
    check_options("docs/man/raddle-explore.1", [f"{build}/bin/raddle", "explore"], "Fl Fl ")
    check_options("docs/man/raddle-grade.1", [f"{build}/bin/raddle", "grade"], ".It Fl Fl ")
    for command in re.findall(r"^  (\w+) ", help_of([f"{build}/bin/raddle"]), re.M):
        if not os.path.exists(f"docs/man/raddle-{command}.1"):
            complain("docs/man", 1, f"there is no raddle-{command}(1)")


documents = sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True))
for document in documents:
    check_markdown(document)
check_pages()
sys.exit(1 if complaints else 0)
END
