/* calls.h -- what functions of the C library and the kernel touch besides their arguments.
 *
 * Threads meet not only in memory and locks: also in the environment, in names of files, in
 * the static buffer of localtime().  calls.def has one row for each function that the C
 * library exports; calls.c adds patterns for the libraries of mathematics, gcc and C++.  A
 * row says
 *
 *     way       who tells of it:
 *               SILENT       nobody: no other thread can notice such a call.  If the row
 *                            has states nevertheless, __wrap_NAME makes the operation
 *               OURS         a function of ours by that name, written by hand
 *               POINT        a function of ours by that name, made from the row (thunks.c)
 *               VAGUE        nobody can: it touches memory in ways that no row describes
 *               VAGUE_POINT  both
 *     on        which argument says what is touched: FD(0), STREAM(1), PATH(0), AT(0) (a
 *               folder and a path), OUT IN ERR (a standard stream), ALL (streams), NOTHING
 *     reads,
 *     writes    the states that it reads and writes
 *     memory    what it does with memory of the caller's: R(argument, length), W(...),
 *               M(...), which writes at most so much, CALLS(argument), a function that it
 *               calls, or KEEPS(argument), memory that others will touch later; unless that
 *               is NULL, the pass claims less
 *
 * Memory of the caller's is told of in code that `raddle cc` linked, where calls of memcpy
 * lead to __wrap_memcpy. */
#ifndef RDL__CALLS_H
#define RDL__CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* States that functions share, as sets. */
#define RDL__STATES(STATE)                                                                         \
    STATE(HEAP)        /* blocks of it: no two calls matter to each other */                       \
    STATE(ENVIRONMENT) /* getenv */                                                                \
    STATE(LOCALE)                                                                                  \
    STATE(FOLDER)  /* the working directory, the root, and the umask */                            \
    STATE(NAMES)   /* of files */                                                                  \
    STATE(NUMBERS) /* which descriptors are free */                                                \
    STATE(FILES)   /* what is in a file, and the offset */                                         \
    STATE(STREAMS) /* a FILE */                                                                    \
    STATE(SIGNALS) /* what is done with them, who blocks them, which are pending */                \
    STATE(THREADS) /* and what they meet in: the scheduler knows */                                \
    STATE(TIME)    /* virtual */                                                                   \
    STATE(PROCESS)                                                                                 \
    STATE(SCHEDULING) /* by the kernel: priorities, which processors */                            \
    STATE(TITLES)     /* names of threads */                                                       \
    STATE(ADDRESSES)  /* which are free for mappings */                                            \
    STATE(MODULES)    /* that are loaded */                                                        \
    STATE(ENTROPY)    /* random bytes, which differ from run to run */                             \
    STATE(CANCEL)     /* read by cancellation points: is the thread to end here? */                \
    STATE(WORLD)      /* anything: the order with every operation matters */                       \
    STATE(STRTOK)     /* from here on: static data of the C library */                             \
    STATE(CALENDAR)                                                                                \
    STATE(RANDOM)                                                                                  \
    STATE(RANDOM_48)                                                                               \
    STATE(USERS)                                                                                   \
    STATE(GROUPS)                                                                                  \
    STATE(HOSTS)                                                                                   \
    STATE(TABLE) /* of hsearch */                                                                  \
    STATE(LOGINS)                                                                                  \
    STATE(MOUNTS)                                                                                  \
    STATE(SHELLS)                                                                                  \
    STATE(TERMINALS)                                                                               \
    STATE(TMPNAM)                                                                                  \
    STATE(DIGITS)    /* of ecvt */                                                                 \
    STATE(MULTIBYTE) /* a character of which the last bytes are missing */                         \
    STATE(OPTIONS)   /* of getopt */                                                               \
    STATE(REGEX)                                                                                   \
    STATE(LOG)                                                                                     \
    STATE(MESSAGES) /* of gettext */                                                               \
    STATE(FORMS)    /* of printf that the program has added */                                     \
    STATE(ENDS)     /* what is called when the process ends */                                     \
    STATE(SIGNGAM)

enum rdl__state {
#define STATE(name) RDL__STATE_##name,
    RDL__STATES(STATE)
#undef STATE
        RDL__STATE_COUNT,
};

enum rdl__call_way {
    RDL__CALL_UNKNOWN, /* there is no row */
    RDL__CALL_SILENT,
    RDL__CALL_OURS,
    RDL__CALL_POINT,
    RDL__CALL_VAGUE,
    RDL__CALL_VAGUE_POINT,
};

/* Which argument says what is touched. */
enum rdl__call_on {
    RDL__ON_NO_ARGUMENT,
    RDL__ON_FD,
    RDL__ON_FILE, /* a FILE */
    RDL__ON_FILE_OR_ALL,
    RDL__ON_PATH,
    RDL__ON_PATH_AT, /* a folder's descriptor, and the path in the argument after it */
    RDL__ON_STDIN,
    RDL__ON_STDOUT,
    RDL__ON_STDERR,
    RDL__ON_ALL_STREAMS,
};

/* How long the memory is that an argument points to. */
enum rdl__length {
    RDL__NO_OPERAND,
    RDL__BYTES,        /* `value` */
    RDL__SIZE,         /* argument `value` */
    RDL__TIMES,        /* that argument times `factor` */
    RDL__PRODUCT,      /* the product of arguments `value` and `factor` */
    RDL__TEXT,         /* up to its end */
    RDL__TEXT_UP_TO,   /* the same, but at most argument `value` */
    RDL__TEXT_TO_CHAR, /* up to the character that is argument `value`, or its end */
    RDL__TEXT_TO,      /* up to where the text that is argument `value` stands in it, or its end */
    RDL__TEXT_BEFORE,  /* up to one of the characters of that text, or its end */
    RDL__SPAN,         /* as long as they are characters of that text, and one more */
    RDL__BYTES_TO,     /* up to the byte that is argument `value`, at most argument `factor` */
    RDL__NUMBER,       /* a number in digits, with what may stand before it, and one more */
    RDL__WIDE_TEXT,    /* of wchar_t */
    RDL__WIDE_UP_TO,   /* the same, but at most argument `value` */
    RDL__WIDENED,      /* text argument 1 in wide characters, at most argument `value` */
    RDL__NARROWED,     /* wide text argument 1 in bytes, at most argument `value` */
    RDL__LIKE,         /* as the operand of argument `value`, which stands before it */
    RDL__APPENDED,     /* the same, behind the text that is there */
    RDL__WIDE_APPENDED,
    RDL__PIECES_OF, /* so many struct iovec as argument `value` says, and what they are about */
    RDL__TOKEN, /* the next word of a text, or if that is NULL, of where argument `value` points to;
                   argument 1 says what stands between words */
    RDL__STREAM_OBJECT, /* a stream of C++'s; those that all share, as std::cout, are no memory */
    RDL__STREAM_AND_BUFFER, /* the same, and where its buffer reads and writes next */
    RDL__MESSAGE,           /* a struct msghdr, and the pieces that it is about */
    RDL__MESSAGES,          /* so many struct mmsghdr as argument `value` says */
    RDL__SIZE_AT,     /* as many bytes as stands in the number that argument `value` points to */
    RDL__BLOCK_AT,    /* not here, but where a pointer here leads; its size_t is at argument
                           `value` */
    RDL__WORD_AT,     /* a word there, up to one of the characters of text `value` */
    RDL__ADDRESS,     /* of a network: argument `value` is its family */
    RDL__CHARACTER,   /* of many bytes, at most argument `value` */
    RDL__ENCODED,     /* the bytes of the wide character that is argument `value` */
    RDL__LOCK_OF,     /* of fcntl, if the command that is argument `value` has any memory */
    RDL__LINK,        /* of insque: where the next element is kept, and that element's own */
    RDL__STRING,      /* a std::string, and its characters */
    RDL__RING,        /* all nodes of a std::list, from this one on */
    RDL__TREE_BRANCH, /* nodes of a tree between this and its head, which is argument `value`, and
                           their children */
    RDL__NEIGHBOURS,  /* of remque: the elements before and after it */
    RDL__KEPT,        /* the function keeps it for others to use, who do not tell */
    RDL__CODE,        /* no memory: a function that will be called */
};

struct rdl__operand {
    uint8_t argument;
    uint8_t length; /* enum rdl__length */
    bool writes;
    bool is_bound; /* it may be less */
    uint8_t factor;
    uint16_t value;
};

enum { RDL__OPERANDS_MAX = 5 };

struct rdl__call_row {
    const char *name;
    uint8_t way, on, argument;
    bool wrapped; /* __wrap_NAME tells of the caller's memory */
    uint64_t reads, writes;
    struct rdl__operand memory[RDL__OPERANDS_MAX];
};

enum rdl__call_effect {
    /* No row, or one that says that the effect is not described: whoever calls it comes to an
     * operation that depends on all others (RDL__OP_WORLD), and the pass is limited by
     * RDL__LIMIT_UNKNOWN. */
    RDL__EFFECT_UNKNOWN,
    /* There is nothing to do where it is called: it has no effect that others can notice, or
     * a function of ours by that name makes the operation. */
    RDL__EFFECT_KNOWN,
    /* The same if the call goes to __wrap_NAME; called directly, it is as an unknown one,
     * since nobody tells what it does with the caller's memory. */
    RDL__EFFECT_MEMORY,
};

/* What a function does, by its name as the linker knows it (of C++: mangled) and the file
 * name of its library ("libm.so.6", with or without folders; NULL: any). */
enum rdl__call_effect rdl__call_effect(const char *name, const char *module);

/* Tell of the memory that a call with this row and these arguments will touch. */
void rdl__call_memory(const struct rdl__call_row *row, const uint64_t *arguments, uintptr_t pc);

/* The same of memory that is read, which may be a constant. */
void rdl__call_reads(uintptr_t address, size_t size, uintptr_t pc);
void rdl__constants_find(void); /* once, before executions */

/* The row of a function of the C library; NULL: it has none. */
const struct rdl__call_row *rdl__call_row(const char *name);

/* Is what is known of this function known to be right (compared.def)?  A pass that met another one
 * of such a library claims less: RDL__LIMIT_UNKNOWN. */
bool rdl__call_is_compared(const char *name);

/* All rows, for tests. */
extern const struct rdl__call_row rdl__call_rows[];
extern const uint32_t rdl__call_row_count;

#endif
