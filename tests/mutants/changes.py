"""changes.py -- the mutants of a C file: each is the file with one small change.

A change is one that a programmer could have made by mistake: another comparison, a constant beside
the right one, a condition that is negated or lacks a part, a call or an assignment that is
missing.  Only bodies of functions are changed, and of these neither assertions, declarations of
static variables, labels of cases nor calls that only free memory.

A mutant is named by its file, its function, and the text of the changed lines before and after
the change, so that its name outlives edits elsewhere in the file."""

import re

TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|"
                   r"\d[\w.]*|->|\+\+|--|<<=|>>=|<<|>>|&&|\|\||[-+*/%&|^=!<>]=|[^\s]", re.S)
OPEN, CLOSE = set("([{"), set(")]}")
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}

OTHERS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "++": ["--"], "--": ["++"], "+=": ["-="], "-=": ["+="], "|=": ["&="], "&=": ["|="],
    "^=": ["|="], "<<": [">>"], ">>": ["<<"], "/": ["*"], "true": ["false"], "false": ["true"],
}
BETWEEN = {"+": ["-"], "-": ["+"], "&": ["|"], "|": ["&"], "^": ["|"]}  # where they are binary
LEFT_ALONE = {"assert", "_Static_assert", "sizeof", "_Alignof", "offsetof", "__atomic_load_n"}
ONLY_FREE = {"free"}


class Mutant:
    """A file, with text[begin:end] replaced by another text."""

    def __init__(self, source, function, begin, end, text):
        self.path, self.function = source.path, function
        self.line = source.text.count("\n", 0, begin) + 1
        first = source.text.rfind("\n", 0, begin) + 1
        last = source.text.find("\n", end)
        self.before = plain(source.text[first:last])
        self.after = plain(source.text[first:begin] + text + source.text[end:last])
        self.text = source.text[:begin] + text + source.text[end:]

    @property
    def name(self):
        return self.path, self.function, self.before, self.after


class Source:
    """A file as a list of tokens, each with where it begins; directives and comments are none."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        blank = re.sub(r"^[ \t]*#.*?[^\\]$", lambda m: re.sub(r"[^\n]", " ", m.group()), self.text,
                       flags=re.S | re.M)
        self.tokens, self.starts = [], []
        for match in TOKEN.finditer(blank):
            if not match.group().startswith(("/*", "//")):
                self.tokens.append(match.group())
                self.starts.append(match.start())

    def end_of(self, at):
        return self.starts[at] + len(self.tokens[at])

    def closing(self, at):
        depth = 0
        while True:
            depth += (self.tokens[at] in OPEN) - (self.tokens[at] in CLOSE)
            if depth == 0:
                return at
            at += 1

    def opening(self, at):
        depth = 0
        while True:
            depth += (self.tokens[at] in CLOSE) - (self.tokens[at] in OPEN)
            if depth == 0:
                return at
            at -= 1

    def semicolon(self, at):
        while self.tokens[at] != ";":
            at = self.closing(at) + 1 if self.tokens[at] in OPEN else at + 1
        return at

    def functions(self):
        """The name of each function, and where its body begins and ends."""
        at, name = 0, None
        while at < len(self.tokens):
            token = self.tokens[at]
            if token in (";", "}"):
                name = None
            if token == "(" and name is None and self.tokens[at - 1] != "__attribute__":
                name = self.tokens[at - 1]
            if token in OPEN:
                end = self.closing(at)
                if token == "{" and name and self.tokens[at - 1] == ")":
                    yield name, at, end
                    name = None
                at = end
            at += 1


def plain(text):
    return " ".join(re.sub(r"/\*.*?\*/", "", text, flags=re.S).split())


def is_operand_end(token):
    return token in (")", "]") or (re.match(r"\w", token) and token not in ("return", "case"))


def is_statement(source, at):
    """Does an expression begin here that is a statement, and does something?"""
    if source.tokens[at - 1] not in (";", "{", "}", ")", "else", ":"):
        return False
    if source.tokens[at - 1] == ")" and not closes_head(source, at - 1):
        return False
    if source.tokens[at - 1] == ":" and source.tokens[at - 2] != "default" and \
            "case" not in source.tokens[max(at - 4, 0):at]:
        return False
    token, following = source.tokens[at], source.tokens[at + 1]
    if re.match(r"[A-Za-z_]", token) and token not in LEFT_ALONE | ONLY_FREE:
        if token in ("if", "while", "for", "switch", "return", "sizeof", "else", "do"):
            return False
        return following in {"(", "->", ".", "[", "++", "--"} | ASSIGN
    return token in ("*", "++", "--") and source.tokens[at - 1] != ")"


def closes_head(source, at):
    """Does this parenthesis close the condition of an if, while or for?"""
    return source.tokens[source.opening(at) - 1] in ("if", "while", "for")


def part_after(source, at):
    """The last token of the operand that begins here."""
    while source.tokens[at + 1] not in CLOSE | {"&&", "||", ";", "?", ":", ","}:
        at = source.closing(at + 1) if source.tokens[at + 1] in OPEN else at + 1
    return at


def other_constants(token):
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", token)
    if not match:
        return []
    number = int(match.group(1), 0) if match.group(1)[:2].lower() == "0x" else int(match.group(1))
    return [f"{1 - number if number < 2 else number + 1}{match.group(2)}"]


def is_filler(source, at):
    """A constant that says nothing: what is likely, or an argument that a system call ignores."""
    while source.tokens[at] == "0" and source.tokens[at + 1] == "," and \
            source.tokens[at + 2] == "0":
        at += 2
    if source.tokens[at + 1] != ")":
        return False
    called = source.tokens[source.opening(at + 1) - 1]
    return called == "__builtin_expect" or called == "rdl__kernel" and source.tokens[at] == "0"


def changes_at(source, at):
    """What could be changed where this token is: first and last token, and the text instead."""
    token = source.tokens[at]
    before, following = source.tokens[at - 1], source.tokens[at + 1]
    if token in OTHERS:
        yield from ((at, at, other) for other in OTHERS[token])
    if token in BETWEEN and is_operand_end(before):
        yield from ((at, at, other) for other in BETWEEN[token])
    if token == "!":
        yield at, at, ""
    yield from ((at, at, other) for other in other_constants(token) if not is_filler(source, at))
    if token in ("&&", "||"):
        yield at, part_after(source, at + 1), ""
    if token in ("if", "while") and following == "(":
        end = source.closing(at + 1)
        inside = source.tokens[at + 2:end]
        if {"&&", "||"} & set(inside) or not {"==", "!=", "!"} & set(inside):
            yield at + 1, end, f"(!({source.text[source.starts[at + 2]:source.starts[end]]}))"
    if token in ("break", "continue") and following == ";" or \
            token == "return" and following == ";":
        yield at, at, ""
    if is_statement(source, at):
        yield at, source.semicolon(at) - 1, ""


def skipped(source, at):
    """The last token of what begins here and is left alone; or None."""
    token = source.tokens[at]
    if token in LEFT_ALONE and source.tokens[at + 1] == "(":
        return source.closing(at + 1)
    if token == "case":
        while source.tokens[at] != ":":
            at += 1
        return at
    if token == "static":
        return source.semicolon(at)
    if token == "for":  # its step: an endless loop tells nothing
        end = source.closing(at + 1)
        return None if ";" not in source.tokens[at:end] else ("step", end)
    return None


def mutants(path):
    """All of a file, in the order of their places."""
    source, seen = Source(path), set()
    for function, begin, end in source.functions():
        at, steps = begin + 1, []
        while at < end:
            skip = skipped(source, at)
            if isinstance(skip, tuple):
                last = skip[1]
                step = max(i for i in range(at, last) if source.tokens[i] == ";")
                steps.append((step, last))
            elif skip is not None:
                at = skip + 1
                continue
            if not any(first < at < last for first, last in steps):
                for first, last, text in changes_at(source, at):
                    mutant = Mutant(source, function, source.starts[first], source.end_of(last),
                                    text)
                    if (mutant.name, mutant.text) not in seen:
                        seen.add((mutant.name, mutant.text))
                        yield mutant
            at += 1
