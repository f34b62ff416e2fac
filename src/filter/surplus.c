/* surplus.c -- loads of more bytes than the program asks for. */
#include "filter/surplus.h"

static int target_of(const struct rdl__statement *statement)
{
    unsigned width;

    return statement->operand_count == 2 ? rdl__register_of(statement->operands[1], &width)
                                         : RDL__NO_REGISTER;
}

uint8_t rdl__surplus_of(const struct rdl__statement *statement, enum rdl__compiler_kind compiler)
{
    if (target_of(statement) == RDL__NO_REGISTER)
        return 0;
    if (rdl__span_is(statement->word, "movl"))
        return compiler == RDL__CLANG ? 3 : 2;
    return rdl__span_is(statement->word, "movq") && compiler == RDL__GCC ? 3 : 0;
}

int64_t rdl__masked_size(const struct rdl__statement *statement, const struct rdl__values *values,
                         int64_t size)
{
    int to = target_of(statement);

    if (!rdl__span_is(statement->word, "andq") || to == RDL__NO_REGISTER ||
        values->registers[to].base)
        return size;
    for (int64_t bytes = 1; bytes < size; bytes++)
        if (values->registers[to].offset == (INT64_C(1) << bytes * 8) - 1)
            return bytes;
    return size;
}
