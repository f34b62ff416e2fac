/* unseen.h -- code that is not instrumented, whatever the rest of the program is. */
int unseen_get(void);
void unseen_set(int value);
void unseen_write(int *to, int value);
void unseen_call(void (*function)(int *), int *argument);
