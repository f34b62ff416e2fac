"""messages.py -- every text in src that tells somebody that something is wrong.

Printed is the name of each file with such texts, and below it the texts in their order, one a
line; what a text is completed with, where that is written beside it, stands in brackets.

A message is what is given to a function that takes a format and complains (all that take a format
are known here, as complaining or as not), what is written to standard error or into the text of an
outcome, what is given to a function that passes it on to one of those, and a sentence that a
function returns.  Each is held against the rules below; what breaks one goes to standard error,
and the exit status is 1."""

import glob
import re
import sys

# Those that complain, refuse or give a verdict.
COMPLAINS = {
    "rdl__fail", "rdl__stop", "rdl__misuse", "rdl__misuse_at", "rdl__misuse_by", "rdl__warn",
    "rdl__execution_fails", "rdl__execution_fails_at_two", "rdl__sketch_refuse", "rdl__answer_fail",
    "rdl__answer_note", "wrong", "refuse", "complain", "conclude", "begin_finding",
}
# Those that only lay out text.
TELLS = {
    "rdl__edit_insert", "rdl__edit_replace",
    "rdl__text_add", "rdl__text_addv", "rdl__words_add", "rdl__room_print", "__wrap_snprintf",
    "say", "add",
}

TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|"
                   r"[A-Za-z_]\w*|\d[\w.]*|->|\S|\n", re.S)
OPEN, CLOSE = set("([{"), set(")]}")
complaints = []


def complain(path, line, what):
    complaints.append(f"{path}:{line}: {what}")


class Source:
    """A file as a list of tokens, each with its line; directives are taken out."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.macros = set()  # names of those that complain: all that they are given is looked at
        for macro in re.finditer(r"#define (\w+)\(.*?[^\\]\n", text, re.S):
            if any(re.search(rf"\b{name}\(", macro.group()) for name in COMPLAINS):
                self.macros.add(macro.group(1))
        text = re.sub(r"^[ \t]*#.*?[^\\]$", lambda m: "\n" * m.group().count("\n"), text,
                      flags=re.S | re.M)
        self.tokens, self.lines, line = [], [], 1
        for match in TOKEN.finditer(text):
            token = match.group()
            if token != "\n" and not token.startswith(("/*", "//")):
                self.tokens.append(token)
                self.lines.append(line)
            line += token.count("\n")

    def closing(self, at):
        depth = 0
        while True:
            depth += (self.tokens[at] in OPEN) - (self.tokens[at] in CLOSE)
            if depth == 0:
                return at
            at += 1

    def arguments(self, at):
        """Those of the parentheses that open here, each a list of tokens."""
        end, depth, all_of_them = self.closing(at), 0, [[]]
        for token in self.tokens[at + 1:end]:
            if token == "," and depth == 0:
                all_of_them.append([])
            else:
                depth += (token in OPEN) - (token in CLOSE)
                all_of_them[-1].append(token)
        return all_of_them

    def functions(self):
        """Name, whether it is static, parameters, and where the body begins and ends."""
        at, begin = 0, 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if token in OPEN:
                end = self.closing(at)
                if token == "{" and self.tokens[at - 1] == ")":
                    opened = at - 1
                    while self.closing(opened) != at - 1 or self.tokens[opened] != "(":
                        opened -= 1
                    yield (self.tokens[opened - 1], "static" in self.tokens[begin:opened],
                           self.arguments(opened), at, end)
                at = end
            if self.tokens[at] in (";", "}"):
                begin = at + 1
            at += 1


def is_text(parameter):
    return parameter[:3] == ["const", "char", "*"] and len(parameter) == 4


def find_formats(sources):
    """Which argument is the format, of each function that has one."""
    found = {}
    for source in sources:
        for at, token in enumerate(source.tokens):
            if token != "printf" or source.tokens[at - 2] != "format":
                continue
            near = [*range(at, max(at - 40, 0), -1),
                    *range(at, min(at + 40, len(source.tokens) - 1))]
            name = next((source.tokens[i] for i in near if source.tokens[i + 1] == "(" and
                         source.tokens[i] in COMPLAINS | TELLS), None)
            if not name:
                complain(source.path, source.lines[at],
                         "a function with a format that tests/messages.py knows as neither "
                         "complaining nor telling")
            elif name in COMPLAINS:
                found[(None if name.startswith("rdl__") else source.path, name)] = {
                    int(source.tokens[at + 2]) - 1}
    return found


def calls_of(source, takers, begin, end):
    """Calls from begin to end of what takes messages: where, which arguments those are, and all."""
    for at in range(begin, end):
        name = source.tokens[at]
        if source.tokens[at + 1] != "(":
            continue
        which = takers.get((None, name)) or takers.get((source.path, name))
        if name in source.macros:
            yield at, None, source.arguments(at + 1)
        elif which:
            yield at, which, source.arguments(at + 1)
        elif name in ("fprintf", "fputs", "dprintf", "snprintf"):
            given = source.arguments(at + 1)
            if given[0] in (["stderr"], ["STDERR_FILENO"]):
                yield at, {1}, given
            elif name == "snprintf" and given[0][-1] == "text":
                yield at, {2}, given


def find_those_who_pass_on(sources, takers):
    """A function with a text among its parameters that becomes part of a message."""
    while True:
        before = sum(len(which) for which in takers.values())
        for source in sources:
            for name, is_static, parameters, begin, end in source.functions():
                names = {p[-1]: i for i, p in enumerate(parameters) if is_text(p)}
                for _, which, given in calls_of(source, takers, begin, end):
                    for argument in given:
                        if len(argument) == 1 and argument[0] in names:
                            taker = (source.path if is_static else None, name)
                            takers.setdefault(taker, set()).add(names[argument[0]])
        if sum(len(which) for which in takers.values()) == before:
            return


def literals(tokens):
    """The texts in an expression; those side by side are one."""
    found, current = [], None
    for token in tokens + [";"]:
        if token[0] == '"':
            current = (current or "") + token[1:-1]
        elif re.match(r"PRI[dux]\d\d$|RDL__AT", token):
            current = (current or "") + ("" if token.startswith("RDL") else token[3])
        elif current is not None:
            found.append(current)
            current = None
    return found


def messages_of(source, takers):
    """Where each message is, its text, and what it is completed with."""
    for _, _, _, begin, end in source.functions():
        for at, which, given in calls_of(source, takers, begin, end):
            texts, parts = [], []
            for i, argument in enumerate(given):
                (texts if which is None or i in which else parts).extend(literals(argument))
            yield source.lines[at], texts, parts
        for at in range(begin, end):
            if source.tokens[at] == "return":
                upto = source.tokens.index(";", at)
                texts = [t for t in literals(source.tokens[at + 1:upto]) if t.count(" ") > 1]
                if texts and source.tokens[at + 1][0] == '"' or "?" in source.tokens[at:upto]:
                    if "(" not in source.tokens[at:upto]:
                        yield source.lines[at], texts, []


# ---- The rules --------------------------------------------------------------------------------

BARE = re.compile(r"\b(error|invalid|illegal|bad|errno|oops|please|sorry|fatal)\b", re.I)


def check(path, line, text):
    def broken(what):
        complain(path, line, f'"{text}" {what}')

    plain = text.replace("\\n", "\n").strip("\n")
    words = re.sub(r"%[-+ #0-9.*']*(ll|l|z|h|L)?[a-zA-Z]", "", plain)
    if not re.search("[A-Za-z]", words):
        return  # it passes on what another has said
    if BARE.search(plain):
        broken("uses a word that says no more than that something is wrong: say what")
    if plain[-1] in ".!" and not plain.endswith("..."):
        broken("ends in a period: what is wrong is no sentence, as it comes after a name")
    if plain[0] == " ":
        broken("begins with space")
    if re.match("[A-Z][a-z]", plain):
        broken("begins with a capital, though it comes after a name")
    if re.search(r"%[dui]$", plain) and re.search("because|: %[dui]$", plain):
        broken("ends in a bare number, which nobody knows the meaning of")
    if re.match(r"cannot \w+: %s$", plain):
        broken("does not say what could not be done")


def main():
    sources = [Source(path) for path in sorted(glob.glob("src/**/*.[ch]", recursive=True))]
    takers = find_formats(sources)
    find_those_who_pass_on(sources, takers)
    for source in sources:
        shown = []
        for line, texts, parts in sorted(messages_of(source, takers), key=lambda m: m[0]):
            for i, text in enumerate(texts):
                check(source.path, line, text)
                if re.search("[A-Za-z]", re.sub("%[a-zA-Z]", "", text)):
                    tail = [part for part in parts if re.search("[a-z]", part)]
                    last = i == len(texts) - 1
                    shown.append(text + (f"   [{' | '.join(tail)}]" if tail and last else ""))
        if shown:
            print(source.path)
            for text in dict.fromkeys(shown):
                print(f"    {text}")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)


main()
