/* doubles.h -- the order of floating-point numbers, from simple to strange.
 *
 * A magnitude has a code, and the smaller code is the simpler number:
 *
 *     whole numbers below 2^63     the number itself: 0, 1, 2, ...
 *     fractions m / 2^k, m odd     2^63 + (k - 1) * 2^52 + m / 2
 *                                  halves before quarters before eighths
 *     larger ones, infinity, NaN   2^63 + their own bits (whose exponent field
 *                                  is above any k)
 *
 * Every double has exactly one code; codes that belong to none are read as the
 * nearest that does. */
#ifndef RDL__DOUBLES_H
#define RDL__DOUBLES_H

#include <stdint.h>

uint64_t rdl__double_code(double magnitude); /* not negative, or NaN */
double rdl__double_of(uint64_t code);

#endif
