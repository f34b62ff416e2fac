/* undo.h -- state of the C library and the kernel that an execution changes, put back before the
 * next one.
 *
 * Some of it is noted when it changes, by the functions that change it: exit handlers, keys,
 * signal dispositions, umask, working directory.  The rest is compared: environment, locale, the
 * generators of random numbers. */
#ifndef RDL__UNDO_H
#define RDL__UNDO_H

/* The first execution is about to begin.  Not to be called if static variables are not put back:
 * a variable that holds a key, say, would outlive the key. */
void rdl__undo_save(void);

/* Another one is.  Does nothing if rdl__undo_save was not called. */
void rdl__undo_restore(void);

/* thread.c: keys that executions have created, and the values of thread 0. */
void rdl__keys_save(void);
void rdl__keys_restore(void);

/* wrapped_static.c: no text is being taken apart. */
void rdl__strtok_begin(void);

/* signal.c: dispositions that controlled threads have changed. */
void rdl__signals_put_back(void);

#endif
