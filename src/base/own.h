/* own.h -- which code is Raddle's own; included before all else in each of its files.
 *
 * The library may be part of a program whose other code is under test.  So each object file
 * says where its code begins and ends: section rdl_own, entries as struct rdl__table_range of
 * filter/tables.h has them.  The compiler puts code of its own after the first label; the
 * second one is in a part of the section that the assembler puts last. */
#ifndef RDL__OWN_H
#define RDL__OWN_H

#define RDL__OWN_SECTION(section, name)                                                            \
    ".pushsection " section ",\"ax\",@progbits\n"                                                  \
    ".Lrdl_own_" name ":\n"                                                                        \
    ".subsection 8191\n"                                                                           \
    ".Lrdl_own_end_" name ":\n"                                                                    \
    ".popsection\n"                                                                                \
    ".pushsection rdl_own,\"a\",@progbits\n"                                                       \
    ".balign 4\n"                                                                                  \
    ".long .Lrdl_own_" name "-., .Lrdl_own_end_" name "-.Lrdl_own_" name "\n"                      \
    ".popsection\n"

__asm__(RDL__OWN_SECTION(".text", "text") RDL__OWN_SECTION(".text.unlikely", "unlikely")
            RDL__OWN_SECTION(".text.startup", "startup") RDL__OWN_SECTION(".text.exit", "exit")
                RDL__OWN_SECTION(".text.hot", "hot"));

#endif
