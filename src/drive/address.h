/* address.h -- where servers are. */
#ifndef RDL__ADDRESS_H
#define RDL__ADDRESS_H

#include "base/error.h"
#include "raddle/streams.h"

const char *rdl__address_words(struct rdl_case *t, const struct rdl_address *address);

/* A connection to it; -1: there is none to be had, or the descriptor `stop` (-1: none) has become
 * readable before. */
int rdl__address_connect(const struct rdl_address *address, int stop);

/* Listen there, or at a TCP port that is free if that is 0, which it then becomes. */
int rdl__address_listen(struct rdl_address *address, struct rdl__error *error);

#endif
