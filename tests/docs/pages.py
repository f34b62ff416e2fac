"""Man pages: complete, without warnings; their commands run, their C compiles.  See run_docs.sh."""
import glob, os, re, shutil, subprocess, sys

from common import Session, build, complain, source, text_of, without_luck
import common

os.chdir(source)


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
    for name in re.findall(r"^\.It Xr (raddle\S*) ", text, re.M):
        if not glob.glob(f"docs/man/{name}.*"):
            complain(page, 1, f"there is no page {name}")


# ---- Names and options ----------------------------------------------------------------


def public_names(header):
    text = text_of(header).split("Behind the macros")[0]
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = set(re.findall(r"\b(?:rdl|RDL)_[A-Za-z0-9_]+\b", text))
    return {name for name in names if "__" not in name and not name.endswith("_")}


def check_names(pages):
    """Pages leave out nothing that headers have, and make up nothing."""
    headers = sorted(glob.glob("include/**/*.h", recursive=True))
    manual = "\n".join(text_of(page) for page in pages if page.endswith(".3"))
    known = set().union(*(re.findall(r"\b(?:rdl|RDL)_\w+", text_of(header)) for header in headers))
    for header in headers:
        for name in sorted(public_names(header)):
            if not re.search(rf"\b{name}\b", manual):
                complain(header, 1, f"no page docs/man/*.3 mentions {name}")
    for page in pages:
        told = re.findall(r"^\.(?:Fn|Fo|Dv|It Dv|It Fn|Ft \w+\n\.Fn) (rdl_\w+|RDL_\w+)", text_of(page), re.M)
        for name in sorted(set(told) - known):
            complain(page, 1, f"no header has {name}")


def help_of(command):
    return subprocess.run(command + ["--help"], text=True, capture_output=True).stdout


def check_options(page, command):
    """Of both the page and --help, each option is in the other."""
    told = text_of(page)
    if page.endswith("/raddle-replay.1"):
        told += text_of("docs/man/raddle-explore.1")  # it has these options, too, and says so
    options = set(re.findall(r"^  --([\w-]+)", help_of(command), re.M)) | {"help"}
    for option in sorted(options):
        if option != "help" and not re.search(rf"Fl Fl {option}\b", told):
            complain(page, 1, f"does not tell of --{option}")
    for option in sorted(set(re.findall(r"^\.It Fl Fl ([\w-]+)", told, re.M)) - options):
        if f"--{option}" not in help_of(command):
            complain(page, 1, f"tells of --{option}, which --help does not know")


def check_tool(pages):
    check_options("docs/man/raddle-tests.1", [f"{build}/examples/reverse"])
    for command in re.findall(r"^  ([\w-]+) ", help_of([f"{build}/bin/raddle"]), re.M):
        page = f"docs/man/raddle-{command}.1"
        if page not in pages:
            complain("docs/man", 1, f"there is no raddle-{command}(1)")
            continue
        check_options(page, [f"{build}/bin/raddle", command])
        if f".Xr raddle-{command} 1" not in text_of("docs/man/raddle.1"):
            complain("docs/man/raddle.1", 1, f"does not tell of raddle-{command}(1)")


# ---- Examples ----------------------------------------------------------------------------


def plain(line):
    for escape, meaning in ((r"\-", "-"), (r"\(dq", '"'), (r"\&", ""), (r"\e", "\\")):
        line = line.replace(escape, meaning)
    return line


def literals_of(text):
    """What is shown as it is: a list of lines for each .Bd, and for each run of .Dl."""
    shown, literal, run = [], None, None
    for line in text.split("\n"):
        if line.startswith(".Bd -literal"):
            literal = []
        elif line.startswith(".Ed") and literal is not None:
            shown.append(literal)
            literal = None
        elif literal is not None:
            literal.append(plain(line))
        elif line.startswith(".Dl "):
            run = (run or []) + [plain(line[4:])]
            continue
        if run:
            shown.append(run)
            run = None
    return shown


def commands_of(lines):
    """Each command with what is shown below it; one that goes on in further lines has them."""
    for line in lines:
        if line.startswith("$ "):
            command, shown = line[2:], []
            yield (both := [command, shown])
        elif both[0].rstrip().endswith("|") or both[0].count("'") % 2:
            both[0] += "\n" + line
        elif line.startswith("raddle> "):  # what is typed after it
            both[0] += (" <<< " if " <<< " not in both[0] else "$'\\n'") + f"'{line[8:]}'"
        elif not line.startswith("("):  # what the debugger is told
            shown.append(line)


def check_commands(page, blocks):
    """They run, in a folder that tests/docs/man/PAGE.sh sets up; a test may fail, and end in 1.
    What is shown below them is printed."""
    context = f"{source}/tests/docs/man/{os.path.basename(page)}.sh"
    session = Session(page, [])
    if os.path.exists(context):
        printed = session.run(f"set -e; . {context}")
        if session.status:
            complain(context, 1, "\n".join(printed))
            return
    for command, shown in (both for block in blocks for both in list(commands_of(block))):
        functions = f". {context}.functions; " if os.path.exists(f"{context}.functions") else ""
        command = re.sub(r"--time \d+", "--time 1", command)  # a second shows as much
        printed = session.run(functions + command)
        compiles = re.match(r"(RADDLE_CC=\S+ )?(cc|gcc|make|cmake|raddle (cc|stubs))\b", command)
        if session.status > (0 if compiles else 1):
            complain(page, 1, f"$ {command}\nfails, with status {session.status}:\n" + "\n".join(printed))
        session.status = 0
        right = {comparable(line) for line in printed}
        for line in shown:
            if comparable(line) not in right:
                complain(page, 1, f"$ {command}\ndoes not print\n{line}\nbut\n" + "\n".join(printed))
                break


def comparable(line):
    line = re.sub(r"\brdl1\.(\w+)\.\S*", r"rdl1.\1", without_luck(line))
    return re.sub(r"\b0x[0-9a-f]+\b", "0x0", line)


def check_c(page, blocks):
    """Fragments compile in tests/docs/man/PAGE.c, which has a line /* 1 */ for the first of them."""
    name = os.path.basename(page)
    context = f"tests/docs/man/{name}.c"
    text = text_of(context) if os.path.exists(context) else "#include <raddle.h>\n/* 1 */\n"
    for number, block in enumerate(blocks, 1):
        if f"/* {number} */" not in text:
            complain(page, 1, f"{context} has no line /* {number} */ for\n" + "\n".join(block))
        block = [line for line in block if not line.startswith('#include "')]  # the context has it
        text = text.replace(f"/* {number} */", re.sub(r"(, )?\.\.\.", "", "\n".join(block)))
    path = f"{common.scratch}/{name}.c"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([os.environ.get("CC", "gcc"), "-std=gnu17", "-fsyntax-only", "-Wall", "-Werror",
                           "-Wno-unused", "-Iinclude", "-I.", "-Iexamples/warehouse",
                           path], text=True, capture_output=True)
    if done.returncode:
        complain(page, 1, "its examples do not compile:\n" + done.stderr[:2000])


def is_c(block):
    return any(re.search(r"\b(RDL|rdl)_\w+.*[(]|^struct |^static |#include", line) for line in block)


def check_examples(page):
    blocks = literals_of(text_of(page))
    if os.environ.get("SANITIZE"):
        return  # as for documents; what compiles and runs does so without
    examples = literals_of(text_of(page).split("\n.Sh EXAMPLES\n")[-1])
    shell = [block for block in blocks if block[0].startswith("$ ")]
    if shell:
        check_commands(page, shell)
    c = [block for block in examples if is_c(block) and not block[0].startswith("$ ") and
         not re.match(r"\S+\.c:\d+:|rdl_check_le\(xs", block[0])]
    if page.endswith(".3") and c:
        check_c(page, c)


pages = sorted(glob.glob("docs/man/*.[137]"))
for page in pages if not os.environ.get("ONLY") else os.environ["ONLY"].split():
    check_page(page)
    check_examples(page)
if not os.environ.get("ONLY"):
    check_names(pages)
    check_tool(pages)
sys.exit(1 if common.complaints else 0)
