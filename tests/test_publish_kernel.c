/* test_publish_kernel.c -- messages published through files, queues and signals order what they
 * should. */
#include "publish.h"
