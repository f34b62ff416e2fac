/* examples/asymmetric_buffer/asymmetric_buffer.h -- a buffer that is filled by the line and
 * emptied by the character: the example of Brinch Hansen's Reproducible Testing of Monitors.
 *
 * It has room for one line.  send waits until it is empty, receive while it is; characters
 * come out from left to right.  Lines have two characters, for testing. */
enum { LINE_LENGTH = 2 };

typedef struct buffer buffer;
buffer *buffer_create(void);
void buffer_send(buffer *b, const char line[LINE_LENGTH]);
char buffer_receive(buffer *b);
void buffer_destroy(buffer *b);
