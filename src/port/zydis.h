/* zydis.h -- the functions of Zydis that we use, loaded when they are needed. */
#ifndef RDL__ZYDIS_H
#define RDL__ZYDIS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

#define RDL__ZYDIS_FUNCTIONS(X)                                                                    \
    X(ZydisDecoderInit)                                                                            \
    X(ZydisDecoderDecodeFull)                                                                      \
    X(ZydisCalcAbsoluteAddress)                                                                    \
    X(ZydisFormatterInit)                                                                          \
    X(ZydisFormatterFormatInstruction)

struct rdl__zydis {
#define RDL__DECLARE(name) __typeof__(name) *name;
    RDL__ZYDIS_FUNCTIONS(RDL__DECLARE)
#undef RDL__DECLARE
};

extern struct rdl__zydis rdl__zydis;

/* False: it is not on this machine, or of another version. */
bool rdl__zydis_load(void);

#endif
