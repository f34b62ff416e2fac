#include <raddle.h>

void buffer_send(const char *line);
char buffer_receive(void);

/* 1 */
