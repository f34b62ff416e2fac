#!/usr/bin/env python3
"""generate.py -- a library of functions with random prototypes, for driver.c.

    generate.py SEED COUNT > library.c

Of each type there are two functions: one makes a value of a number, one makes a number of a value.
Each function returns a value made of all its arguments; another calls it with values made of a
number.  Padding is never looked at.
"""
import random
import sys

chance = random.Random(int(sys.argv[1]))
count = int(sys.argv[2])

# name: how a value is made of the number n; how many bytes of it count
SCALARS = {
    "_Bool": ("n & 1", 1), "char": ("(char)n", 1), "signed char": ("(signed char)n", 1),
    "unsigned char": ("(unsigned char)n", 1), "short": ("(short)n", 2),
    "unsigned short": ("(unsigned short)n", 2), "int": ("(int)n", 4), "unsigned": ("(unsigned)n", 4),
    "long": ("(long)n", 8), "unsigned long long": ("n", 8), "enum color": ("(enum color)(n % 3)", 4),
    "enum tiny": ("(enum tiny)(n % 3)", 1), "void *": ("(void *)n", 8),
    "struct hidden *": ("(struct hidden *)n", 8), "callback *": ("(callback *)n", 8),
    "float": ("(float)(int)n / 3", 4), "double": ("(double)(long)n / 3", 8),
    "long double": ("(long double)(long)n / 3", 10),
    "__int128": ("(__int128)n * (long)n", 16), "unsigned __int128": ("(unsigned __int128)n << 40", 16),
    "_Complex float": ("(float)(int)n + 2.5f * (float)(int)(n >> 32) * 1.0if", 8),
    "_Complex double": ("(double)(int)n + 2.5 * (double)(int)(n >> 32) * 1.0i", 16),
    "__float128": ("(__float128)(long)n / 3", 16),
    "floats": ("(floats){(float)(int)n, 2, (float)(int)(n >> 32), 4}", 16),
    "pair": ("(pair){(int)n, (int)(n >> 32)}", 8),
    "_Atomic int": ("(int)n", 4), "const long": ("(long)n", 8), "word": ("(word)n", 4),
}
SELDOM = ["__float128", "_Atomic int"]  # clang has them refused in many places
USUAL = ["int", "unsigned", "long", "void *", "double", "char", "float", "short"]
FOR_BITS = ["int", "unsigned", "long", "unsigned char", "short"]

print("""/* Made by generate.py. */
#include <stdint.h>
#include <string.h>

#include "generated.h"

enum color { RED, GREEN, BLUE };
enum tiny { A, B, C } __attribute__((packed));
struct hidden;
typedef int callback(void *, double);
typedef unsigned word;
typedef float floats __attribute__((vector_size(16)));
typedef int pair __attribute__((vector_size(8)));

static uint64_t mix(uint64_t n)
{
    n = (n + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return n ^ n >> 29;
}

static uint64_t fold(uint64_t h, const void *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        h = mix(h ^ ((const unsigned char *)p)[i]);
    return h;
}
""")

types = []  # (name in C, make, fold)


def choose_type():
    number = chance.randrange(len(types))
    return chance.randrange(len(types)) if types[number] in SELDOM else number


def make_scalar(name, value, size):
    number = len(types)
    plain = name.replace("const ", "")
    print(f"""static void make_{number}(void *p, uint64_t n)
{{
    {plain} value = {value};
    memcpy(p, &value, sizeof value);
}}
static uint64_t fold_{number}(const void *p) {{ return fold({number}, p, {size}); }}
""")
    types.append(name)


def make_members(kind):
    """Lines of members, statements that make them, and that fold them."""
    lines, making, folding = [], [], []
    for i in range(chance.randint(1, chance.choice([2, 3, 5]))):
        what = chance.random()
        if what < 0.15 and kind == "struct":
            of = chance.choice(FOR_BITS)
            bits = chance.randint(1, 8 if "char" in of else 15)
            lines.append(f"{of} m{i} : {bits};")
            making.append(f"v.m{i} = ({of})mix(n + {i});")
            folding.append(f"{{ long m = (long)v->m{i}; h = fold(h, &m, 8); }}")
            continue
        number = choose_type() if what < 0.5 else types.index(chance.choice(USUAL))
        name = types[number].replace("const ", "").replace("_Atomic ", "")
        if chance.random() < 0.2:
            length = chance.randint(1, 4)
            lines.append(f"{name} m{i}[{length}];")
            making.append(f"for (int i = 0; i < {length}; i++) {{ {name} m; "
                          f"make_{number}(&m, mix(n + {i} + 100 * i)); v.m{i}[i] = m; }}")
            folding.append(f"for (int i = 0; i < {length}; i++) {{ {name} m = v->m{i}[i]; "
                           f"h = mix(h ^ fold_{number}(&m)); }}")
        else:
            lines.append(f"{name} m{i};")
            making.append(f"{{ {name} m; make_{number}(&m, mix(n + {i})); v.m{i} = m; }}")
            folding.append(f"{{ {name} m = v->m{i}; h = mix(h ^ fold_{number}(&m)); }}")
    return lines, making, folding


def make_struct():
    number = len(types)
    kind = "union" if chance.random() < 0.2 else "struct"
    packed = " __attribute__((packed))" if chance.random() < 0.15 else ""
    lines, making, folding = make_members(kind)
    if kind == "union":  # only one is there
        at = chance.randrange(len(lines))
        making, folding = [making[at]], [folding[at]]
    elif chance.random() < 0.1:
        lines.append("struct hidden *more[];")
    print(f"{kind}{packed} s{number} {{ {' '.join(lines)} }};")
    print(f"""static void make_{number}(void *p, uint64_t n)
{{
    {kind} s{number} v;
    memset(&v, 0, sizeof v);
    {' '.join(making)}
    memcpy(p, &v, sizeof v);
}}
static uint64_t fold_{number}(const void *p)
{{
    const {kind} s{number} *v = p;
    uint64_t h = {number};
    {' '.join(folding)}
    return h;
}}
""")
    types.append(f"{kind} s{number}")


def make_empty():
    number = len(types)
    print(f"struct s{number} {{ }};\n"
          f"static void make_{number}(void *p, uint64_t n) {{ (void)p, (void)n; }}\n"
          f"static uint64_t fold_{number}(const void *p) {{ (void)p; return {number}; }}\n")
    types.append(f"struct s{number}")


def choose():
    what = chance.random()
    if what < 0.35:
        return types.index(chance.choice(USUAL))
    return choose_type()


def make_function(i):
    parameters = [choose() for _ in range(chance.randint(0, 12))]
    result = choose() if chance.random() < 0.85 else None
    returns = types[result].replace("const ", "") if result is not None else "void"
    listed = ", ".join(f"{types[t]} a{k}" for k, t in enumerate(parameters)) or "void"
    print(f"{returns} f{i}({listed});\n{returns} (*volatile p{i})({listed}) = f{i};\n"
          f"__typeof__(f{i}) *const t{i} = f{i};")
    print(f"{returns} f{i}({listed})\n{{\n    uint64_t h = {i};")
    for k, t in enumerate(parameters):
        print(f"    h = mix(h ^ fold_{t}((const void *)&a{k}));")
    if result is None:
        print("    seen = h;\n}")
    else:
        print(f"    {returns} r;\n    make_{result}(&r, h);\n    return r;\n}}")
    print(f"static uint64_t call{i}(uint64_t n)\n{{\n    (void)n;")
    for k, t in enumerate(parameters):
        plain = types[t].replace("const ", "").replace("_Atomic ", "")
        print(f"    {plain} a{k}; make_{t}(&a{k}, n + {k});")
    call = f"p{i}({', '.join(f'a{k}' for k in range(len(parameters)))})"
    if result is None:
        print(f"    {call};\n    return 0;\n}}")
    else:
        print(f"    {returns} r = {call};\n    return fold_{result}(&r);\n}}")
    return parameters, result


for name, (value, size) in SCALARS.items():
    make_scalar(name, value, size)
make_empty()
for _ in range(50):
    make_struct()
made = [make_function(i) for i in range(count)]

print("uint64_t seen;\nconst struct generated generated[] = {")
for i, (parameters, result) in enumerate(made):
    rows = ", ".join(f"{{sizeof({types[t]}), make_{t}, fold_{t}}}" for t in parameters)
    of = f"{{sizeof({types[result]}), make_{result}, fold_{result}}}" if result is not None else "{0}"
    print(f'    {{"f{i}", (void *)f{i}, (void *)&t{i}, call{i}, {len(parameters)}, {{{rows}}}, {of}}},')
print("};\nconst unsigned generated_count = sizeof generated / sizeof *generated;")
