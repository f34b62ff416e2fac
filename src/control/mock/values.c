/* values.c -- what a test gives, as a value of another type: numbers are converted, and must
 * fit. */
#include <math.h>
#include <string.h>

#include "control/mock/mock.h"
#include "spec/values.h"

/* As __builtin_classify_type tells them. */
enum { INTEGER = 1, ENUMERATION = 3, BOOLEAN = 4, POINTER = 5, REAL = 8, COMPLEX = 9 };

static bool is_integer(const struct rdl_part *given)
{
    return given->value_class == INTEGER || given->value_class == ENUMERATION ||
           given->value_class == BOOLEAN;
}

static long double real_given(const struct rdl_part *given)
{
    float small;
    double middle;
    long double large = 0;

    if (given->size == sizeof small) {
        memcpy(&small, given->value, sizeof small);
        return small;
    }
    if (given->size == sizeof middle) {
        memcpy(&middle, given->value, sizeof middle);
        return middle;
    }
    memcpy(&large, given->value, given->size < sizeof large ? given->size : sizeof large);
    return large;
}

/* Whole numbers; pointers are numbers, too. */
struct number {
    bool is_negative;
    unsigned __int128 size;
};

static struct number number_given(const struct rdl_part *given)
{
    unsigned __int128 bits = 0;
    struct number number = {0};
    size_t size = given->size < sizeof bits ? given->size : sizeof bits;

    memcpy(&bits, given->value, size);
    if (is_integer(given) && !given->is_unsigned && size && bits >> (8 * size - 1) & 1) {
        number.is_negative = true;
        bits = size < sizeof bits ? bits | ~(unsigned __int128)0 << (8 * size) : bits;
        bits = -bits;
    }
    number.size = bits;
    return number;
}

static bool store_real(long double real, uint32_t size, void *out)
{
    float small = (float)real;
    double middle = (double)real;

    if (size == sizeof small)
        memcpy(out, &small, size);
    else if (size == sizeof middle)
        memcpy(out, &middle, size);
    else
        memcpy(out, &real, size < sizeof real ? size : sizeof real);
    return true;
}

static bool refuse(const struct rdl_part *given, const char *type_name, struct rdl__error *error)
{
    struct number number;

    if (given->value_class == REAL)
        return rdl__fail(error, "%Lg does not fit into %s", real_given(given), type_name);
    if (!is_integer(given))
        return rdl__fail(error, "what is given is no %s", type_name);
    number = number_given(given);
    if (number.size > UINT64_MAX)
        return rdl__fail(error, "a number of more than 64 bits does not fit into %s", type_name);
    return rdl__fail(error, "%s%llu does not fit into %s", number.is_negative ? "-" : "",
                     (unsigned long long)number.size, type_name);
}

static bool convert_to_integer(const struct rdl_part *given, const struct rdl__type *type,
                               const char *type_name, void *out, struct rdl__error *error)
{
    struct number number = number_given(given);
    bool is_signed = type->kind == RDL__TYPE_SIGNED || type->is_signed;

    if (given->value_class == REAL) {
        long double real = real_given(given);

        if (real != rintl(real) || fabsl(real) > 0x1p63L)
            return refuse(given, type_name, error);
        number = (struct number){real < 0, (uint64_t)fabsl(real)};
    } else if (!is_integer(given) &&
               (given->value_class != POINTER || type->size < sizeof(void *))) {
        return refuse(given, type_name, error);
    }
    if (type->kind == RDL__TYPE_CHAR) /* -1 and 255 are the same one */
        is_signed = number.is_negative;
    if (type->kind == RDL__TYPE_BOOL) /* as in C */
        number = (struct number){.size = number.size != 0};
    return rdl__value_store(type, is_signed, number.is_negative, number.size, out) ||
           refuse(given, type_name, error);
}

static bool convert_to_real(const struct rdl_part *given, uint32_t size, const char *type_name,
                            void *out, struct rdl__error *error)
{
    struct number number = number_given(given);

    if (given->value_class == REAL)
        return store_real(real_given(given), size, out);
    if (!is_integer(given))
        return refuse(given, type_name, error);
    return store_real(number.is_negative ? -(long double)number.size : (long double)number.size,
                      size, out);
}

/* Both parts; a number that is not complex is the real one. */
static bool convert_to_complex(const struct rdl_part *given, const struct rdl__type *type,
                               const char *type_name, void *out, struct rdl__error *error)
{
    struct rdl_part part = *given;

    if (given->value_class != COMPLEX)
        return convert_to_real(given, type->of->size, type_name, out, error);
    part.value_class = REAL;
    part.size = given->size / 2;
    convert_to_real(&part, type->of->size, type_name, out, error);
    part.value = (const char *)given->value + part.size;
    return convert_to_real(&part, type->of->size, type_name, (char *)out + type->of->size, error);
}

static bool convert_to_pointer(const struct rdl_part *given, const char *type_name, void *out,
                               struct rdl__error *error)
{
    struct number number = number_given(given);
    uint64_t bits = (uint64_t)(number.is_negative ? -number.size : number.size);

    if (given->value_class != POINTER && !is_integer(given))
        return refuse(given, type_name, error);
    memcpy(out, &bits, sizeof bits);
    return true;
}

static bool copy_whole(const struct rdl_part *given, const char *type_name, uint32_t size,
                       void *out, struct rdl__error *error)
{
    if (given->size != size)
        return rdl__fail(error, "what is given has %zu bytes, and %s has %u", given->size,
                         type_name, size);
    memcpy(out, given->value, size);
    return true;
}

/* A register: whatever number it is. */
static bool convert_to_unknown(const struct rdl_part *given, uint32_t size, void *out,
                               struct rdl__error *error)
{
    if (given->value_class == REAL || size != sizeof(uint64_t))
        return rdl__fail(error,
                         "nothing is known of its type: compile with -g, or say RDL_PROTOTYPE");
    return convert_to_pointer(given, "its type", out, error);
}

bool rdl__mock_convert(const struct rdl_part *given, const struct rdl__type *type,
                       const char *type_name, uint32_t size, void *out, struct rdl__error *error)
{
    if (!type)
        return convert_to_unknown(given, size, out, error);
    if (is_integer(given) && given->size == sizeof(__int128) && type->size == given->size)
        return copy_whole(given, type_name, size, out, error);
    if (type->kind == RDL__TYPE_SIGNED || type->kind == RDL__TYPE_UNSIGNED ||
        type->kind == RDL__TYPE_ENUM || type->kind == RDL__TYPE_CHAR ||
        type->kind == RDL__TYPE_BOOL)
        return convert_to_integer(given, type, type_name, out, error);
    if (type->kind == RDL__TYPE_FLOAT)
        return convert_to_real(given, size, type_name, out, error);
    if (type->kind == RDL__TYPE_POINTER)
        return convert_to_pointer(given, type_name, out, error);
    if (type->is_complex &&
        (given->value_class == COMPLEX || given->value_class == REAL || is_integer(given)))
        return convert_to_complex(given, type, type_name, out, error);
    return copy_whole(given, type_name, size, out, error);
}
