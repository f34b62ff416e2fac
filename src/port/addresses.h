/* addresses.h -- programs whose addresses are the same in each run.
 *
 * A program's behaviour may depend on addresses: the order of a set of pointers does.  For a
 * schedule to be replayed, they have to be the same again, so programs run without address
 * randomisation where the kernel lets us switch that off. */
#ifndef RDL__ADDRESSES_H
#define RDL__ADDRESSES_H

#include <stdbool.h>

/* Programs that this process executes from now on are to have fixed addresses.  False: the
 * kernel refuses, and errno says why. */
bool rdl__fix_addresses(void);

/* A test with controlled threads was registered, in the program itself: start the program anew
 * with fixed addresses, if it does not have them yet.  Returns if it has, or cannot. */
void rdl__start_with_fixed_addresses(const void *test);

/* Was it started anew?  For as long as rdl__start_with_fixed_addresses was not called. */
bool rdl__is_started_anew(void);

/* Are the addresses of this process the same in each run? */
bool rdl__addresses_are_fixed(void);

/* If they are not, say so on standard error, once. */
void rdl__warn_of_addresses(void);

#endif
