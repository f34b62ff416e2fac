"""Documents: quotes, commands, links.  See run_docs.sh."""
import glob, os, re, sys

from common import Session, complain, source, text_of, without_luck
import common

accept = bool(os.environ.get("ACCEPT"))
os.chdir(source)

# Commands of `sh` blocks that are not run as they stand, and why.
NOT_RUN = r"""
# Raddle has been built, and this is part of `make check`: is there such a target?
make() { command make --dry-run --directory "$SOURCE" "$@" >/dev/null; }
# There is no repository here.
git() { [ "$1" = add ] && [ -e "$2" ]; }
"""


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


def check_console(path, session, lines, start, end):
    """The lines as they should be."""
    right = []
    while start < end:
        following = start + 1
        while following < end and not lines[following].startswith("$ "):
            following += 1
        shown = lines[start + 1:following]
        printed = session.run(lines[start][2:])
        if [without_luck(line) for line in shown] != [without_luck(line) for line in printed]:
            # A sanitizer stands between the code and the C library, and is seen in listings.
            if not accept and not any("asan_interceptors" in line for line in printed):
                complain(path, start + 1, f"{lines[start]}\nprints now:\n" + "\n".join(printed))
            shown = [line.rstrip() for line in printed]
        right += [lines[start]] + shown
        start = following
    return right


def check_script(path, session, lines, start, end):
    """All of its commands succeed."""
    status = session.status
    printed = session.run(NOT_RUN + "set -e\n" + "\n".join(lines[start:end]))
    if session.status != 0:
        complain(path, start, f"this fails, with status {session.status}:\n" + "\n".join(printed))
    session.status = status


def check_other_scripts(path, scripts, lines, start, end):
    """Who runs these commands has them word for word, or reads them from the document."""
    texts = [text_of(script).replace("\\\\", "\\") for script in scripts]
    if any(os.path.basename(path) in text for text in texts):
        return
    for number in range(start, end):
        if not any(lines[number] in text for text in texts):
            complain(path, number + 1, f"not run by {' '.join(scripts)}: {lines[number]}")


def check_no_other_commands(path, lines):
    """Commands are in blocks that say what they are, or nobody would run them."""
    inside = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside = not inside and (line == "```" or line == "```text")
        elif inside and line.startswith("$ "):
            complain(path, number + 1, "a command that is not run: make it a console block")
        elif line.startswith("    ") and number and not lines[number - 1] and not in_block(lines, number):
            complain(path, number + 1, "an indented block: which language is it?")


def in_block(lines, number):
    return sum(line.startswith("```") for line in lines[:number]) % 2 == 1


def check_links(path, text):
    for link in re.finditer(r"\]\(([^)#:]+)?(#[^)]*)?\)", text):
        target = os.path.join(os.path.dirname(path), link[1]) if link[1] else path
        line = text.count("\n", 0, link.start()) + 1
        if not os.path.exists(target):
            complain(path, line, f"{link[1]} is not there")
        elif link[2] and link[2][1:] not in anchors_of(target):
            complain(path, line, f"{target} has no section {link[2]}")


def anchors_of(path):
    headings = re.findall(r"^#+ (.*)$", text_of(path), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_document(path):
    text = text_of(path)
    lines = text.split("\n")
    tutorial = "```console" in lines
    elsewhere = re.search(r"^<!-- run by: (.*) -->$", text, re.M)
    # What is preloaded would have to come before the sanitizer's library, whose malloc is another.
    preloads = "raddle explore" in text or "raddle cc" in text or "rdl_inject" in text
    runs = (tutorial or "```sh" in lines) and not (os.environ.get("SANITIZE") and preloads)
    folders = [os.path.splitext(path)[0]] + re.findall(r"^<!-- files: (\S+) -->$", text, re.M)
    session = Session(path, folders, with_build=True) if runs else None
    accepted = lines
    for language, start, end, mark in blocks_of(lines):
        if mark:
            check_quote(path, lines, start, end, mark)
        elif language == "c" and tutorial:
            complain(path, start, "C without the file it is from")
        elif language == "sh" and elsewhere:
            check_other_scripts(path, elsewhere[1].split(), lines, start, end)
        elif language == "sh" and runs:
            check_script(path, session, lines, start, end)
        elif language == "console" and runs:
            grown = len(accepted) - len(lines)
            accepted = (accepted[:start + grown] +
                        check_console(path, session, lines, start, end) + accepted[end + grown:])
    check_no_other_commands(path, [] if elsewhere else lines)
    check_links(path, text)
    if accept and accepted != lines:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(accepted))


documents = sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True))
for document in os.environ.get("ONLY", "").split() or documents:
    check_document(document)
sys.exit(1 if common.complaints else 0)
