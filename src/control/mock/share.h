/* share.h -- what one process finds out about functions, all others of the run know.
 *
 * To look them up takes long, and a worker is often replaced. */
#ifndef RDL__MOCK_SHARE_H
#define RDL__MOCK_SHARE_H

/* Processes that are forked from now on tell each other. */
void rdl__mock_share(void);

#endif
