/* symbols.h -- the names of functions and variables, static ones too. */
#ifndef RDL__SYMBOLS_H
#define RDL__SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* "queue_pop (tests)": the function that an address of this process lies in, by
 * the symbol table of its module's file, and the module; only the module if it
 * has been stripped; "code outside of any module" if that is what it is. */
void rdl__symbol_describe(struct rdl__text *out, uintptr_t address);

/* The same in two parts.  A function without a name is "code at run time", and has no module, if
 * it is in none; "a function" if its module was stripped. */
void rdl__symbol_find(uintptr_t address, char *out_function, size_t function_room, char *out_module,
                      size_t module_room);

/* "std::get_new_handler" instead of "_ZSt15get_new_handlerv"; other names without what follows a
 * dot in them. */
void rdl__symbol_add_plain(struct rdl__text *out, const char *name);

/* "accounts", "accounts+8": the variable that an address lies in, by the same table.
 * False: in none that is known. */
bool rdl__symbol_describe_data(struct rdl__text *out, uintptr_t address);

#endif
