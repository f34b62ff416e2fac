/* token.h -- a case as a line of text that can be pasted.
 *
 *     rdl1.NAME.BODY
 *
 * NAME is the test's; BODY is base64 with - and _, so that no shell touches it.
 * Its bytes are numbers of 7 bits a byte, lowest first (the eighth bit says
 * that more follow), except where a width is given:
 *
 *     settings: how many, then for each its key and its value
 *     choices:  how many, then for each its index and its shape (1 byte)
 *     checksum: CRC-32 over NAME and all the bytes before (4 bytes, low first)
 *
 * The shape (see rdl__shape) shows where a token stops fitting a changed test;
 * the checksum, that it was cut off or edited. */
#ifndef RDL__TOKEN_H
#define RDL__TOKEN_H

#include "base/error.h"
#include "base/text.h"
#include "choice/tape.h"

enum {
    RDL__WATCH_STACKS = 1,   /* threads may be switched at accesses to their own stacks, too */
    RDL__WATCH_ENDS = 2,     /* and where they end, */
    RDL__WATCH_DETACHED = 4, /* and where they are detached */
};

/* What accesses to volatile variables mean where data races are looked for. */
enum {
    RDL__VOLATILE_ACQ_REL, /* stores release, loads acquire */
    RDL__VOLATILE_RELAXED, /* they race with no atomic access, and order nothing */
    RDL__VOLATILE_PLAIN,   /* they are accesses like any other */
};

/* Whatever else shapes a tape.  Every setting that does must be here. */
struct rdl__settings {
    uint32_t size;        /* 1..100: how large random data is meant to be */
    uint32_t choices_max; /* the most choices a case may make */
    uint32_t points_max;  /* threads: an execution with more points is endless; 0: none are */
    uint32_t trace;       /* threads: of the case itself, how they met; 0: not known */
    uint32_t watched;     /* threads: RDL__WATCH_STACKS and the like */
    uint32_t round;       /* of a test of a spec; 0: it has none */
    uint32_t volatiles;   /* RDL__VOLATILE_ACQ_REL and the like */
    uint32_t race;        /* the case ends at this one of the races it meets, from 1 on; 0: none.
                             With this bit, races are told apart by their callers: */
#define RDL__RACES_BY_CALLERS (UINT32_C(1) << 31)
};

struct rdl__token {
    char *name;
    struct rdl__settings settings;
    uint64_t *indexes;
    uint8_t *shapes;
    uint32_t count;
};

void rdl__token_write(struct rdl__text *out, const char *name, const struct rdl__settings *settings,
                      const struct rdl__choice *choices, uint32_t count);

/* White space anywhere in text is ignored: terminals and mail wrap lines. */
bool rdl__token_read(struct rdl__token *out, const char *text, struct rdl__error *error);
void rdl__token_release(struct rdl__token *token);

#endif
