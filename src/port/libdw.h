/* libdw.h -- the functions of libdw that we use, loaded when they are needed. */
#ifndef RDL__LIBDW_H
#define RDL__LIBDW_H

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

#define RDL__LIBDW_FUNCTIONS(X)                                                                    \
    X(dwfl_begin)                                                                                  \
    X(dwfl_linux_proc_report)                                                                      \
    X(dwfl_report_elf)                                                                             \
    X(dwfl_report_end)                                                                             \
    X(dwfl_linux_proc_find_elf)                                                                    \
    X(dwfl_build_id_find_debuginfo)                                                                \
    X(dwfl_standard_find_debuginfo)                                                                \
    X(dwfl_addrmodule)                                                                             \
    X(dwfl_module_addrname)                                                                        \
    X(dwfl_module_info)                                                                            \
    X(dwfl_module_addrdie)                                                                         \
    X(dwfl_module_nextcu)                                                                          \
    X(dwfl_getmodules)                                                                             \
    X(dwarf_haspc)                                                                                 \
    X(dwarf_lowpc)                                                                                 \
    X(dwarf_getsrc_die)                                                                            \
    X(dwarf_lineno)                                                                                \
    X(dwarf_linesrc)                                                                               \
    X(dwarf_getsrcfiles)                                                                           \
    X(dwarf_filesrc)                                                                               \
    X(dwarf_getscopes)                                                                             \
    X(dwarf_getscopes_die)                                                                         \
    X(dwarf_tag)                                                                                   \
    X(dwarf_diename)                                                                               \
    X(dwarf_dieoffset)                                                                             \
    X(dwarf_child)                                                                                 \
    X(dwarf_siblingof)                                                                             \
    X(dwarf_hasattr)                                                                               \
    X(dwarf_attr)                                                                                  \
    X(dwarf_attr_integrate)                                                                        \
    X(dwarf_formaddr)                                                                              \
    X(dwarf_formflag)                                                                              \
    X(dwarf_formref_die)                                                                           \
    X(dwarf_formstring)                                                                            \
    X(dwarf_aggregate_size)                                                                        \
    X(dwarf_peel_type)                                                                             \
    X(dwarf_getlocation)                                                                           \
    X(dwarf_getlocation_attr)                                                                      \
    X(dwarf_formudata)                                                                             \
    X(dwarf_formblock)                                                                             \
    X(dwarf_formsdata)                                                                             \
    X(dwarf_whatform)                                                                              \
    X(dwarf_getsrclines)                                                                           \
    X(dwarf_onesrcline)                                                                            \
    X(dwarf_lineaddr)                                                                              \
    X(dwarf_linebeginstatement)                                                                    \
    X(dwarf_lineendsequence)                                                                       \
    X(dwarf_lineprologueend)                                                                       \
    X(dwarf_ranges)                                                                                \
    X(dwarf_diecu)                                                                                 \
    X(dwarf_decl_line)                                                                             \
    X(dwarf_getlocations)                                                                          \
    X(dwarf_getlocation_addr)                                                                      \
    X(dwarf_getlocation_implicit_value)                                                            \
    X(dwarf_getlocation_die)                                                                       \
    X(dwarf_cfi_addrframe)                                                                         \
    X(dwarf_frame_cfa)                                                                             \
    X(dwarf_frame_register)                                                                        \
    X(dwfl_module_eh_cfi)                                                                          \
    X(dwfl_module_dwarf_cfi)                                                                       \
    X(dwfl_module_getelf)                                                                          \
    X(dwfl_module_getsymtab)                                                                       \
    X(dwfl_module_getsym_info)                                                                     \
    X(dwfl_module_addrinfo)

struct rdl__libdw {
#define RDL__DECLARE(name) __typeof__(name) *name;
    RDL__LIBDW_FUNCTIONS(RDL__DECLARE)
#undef RDL__DECLARE
};

extern struct rdl__libdw rdl__libdw;

/* False: it is not on this machine, or too old. */
bool rdl__libdw_load(void);

/* Was this library loaded for libdw, and is none of the program's? */
struct link_map;
bool rdl__libdw_brought(const struct link_map *library);

#endif
