/* Std_Types.h -- the types that all basic software shares, as far as these examples need them. */
#ifndef STD_TYPES_H
#define STD_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef uint8_t boolean;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef int32_t sint32;

typedef uint8 Std_ReturnType;
#define E_OK     ((Std_ReturnType)0x00u)
#define E_NOT_OK ((Std_ReturnType)0x01u)

#ifndef TRUE
#define TRUE  ((boolean)1)
#define FALSE ((boolean)0)
#endif

#endif
