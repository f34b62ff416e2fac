/* send.h -- bytes are written to a descriptor, by somebody who will not wait for ever. */
#ifndef RDL__SEND_H
#define RDL__SEND_H

#include "drive/wire.h"

bool rdl__is_socket(int fd);
bool rdl__is_datagram(int fd);    /* may have messages of no bytes */
bool rdl__keeps_messages(int fd); /* datagrams, and others that come in one piece */

/* Write all of it.  False: nobody reads there any more.  Who does not read fails the stream
 * when its time has come. */
bool rdl__send(struct rdl__end *end, const struct rdl_event *event, const char *bytes,
               size_t count);

#endif
