/* zydis.h -- the functions of Zydis, the decoder of instructions, that we use; loaded
 * when they are needed.  Programs that are tested are not to get it as a guest. */
#ifndef RDL__ZYDIS_H
#define RDL__ZYDIS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

#include "base/error.h"

#define RDL__ZYDIS_FUNCTIONS(X)                                                                    \
    X(ZydisDecoderInit)                                                                            \
    X(ZydisDecoderDecodeFull)                                                                      \
    X(ZydisMnemonicGetString)                                                                      \
    X(ZydisRegisterGetLargestEnclosing)                                                            \
    X(ZydisFormatterInit)                                                                          \
    X(ZydisFormatterFormatInstruction)

struct rdl__zydis {
#define RDL__DECLARE(name) __typeof__(name) *name;
    RDL__ZYDIS_FUNCTIONS(RDL__DECLARE)
#undef RDL__DECLARE
    ZydisDecoder decoder; /* of this CPU's instructions */
};

extern struct rdl__zydis rdl__zydis;

/* Says what to install if it is not on this machine. */
bool rdl__zydis_load(struct rdl__error *error);

#endif
