/* locate_code.c -- machine code, as far as it matters where a function returns, and calls others.
 *
 * It is read from the file: in memory, others may have changed it. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/dwarf.h"
#include "port/locate_parts.h"
#include "port/zydis.h"

#define zydis rdl__zydis

/* ---- Bytes ------------------------------------------------------------------------------- */

static bool map_file(struct rdl__object *object)
{
    int fd = object->bytes ? -1 : open(object->path, O_RDONLY | O_CLOEXEC);
    struct stat file;
    void *bytes;

    if (fd < 0)
        return object->bytes;
    if (fstat(fd, &file) == 0 && file.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            object->bytes = bytes;
            object->size = (size_t)file.st_size;
        }
    }
    close(fd);
    rdl__libdw.dwfl_module_getelf(object->module, &object->file_bias);
    return object->bytes;
}

const unsigned char *rdl__object_code(struct rdl__object *object, Dwarf_Addr at, size_t *out_count)
{
    const Elf64_Ehdr *header;
    const Elf64_Phdr *part;

    if (!map_file(object))
        return NULL;
    at += object->bias - object->file_bias;
    header = (const Elf64_Ehdr *)object->bytes;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phoff > object->size ||
        header->e_phnum * sizeof *part > object->size - header->e_phoff)
        return NULL;
    part = (const Elf64_Phdr *)(object->bytes + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++, part++) {
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || at < part->p_vaddr ||
            at - part->p_vaddr >= part->p_filesz)
            continue;
        if (part->p_offset > object->size || part->p_filesz > object->size - part->p_offset)
            return NULL;
        *out_count = part->p_filesz - (at - part->p_vaddr);
        return object->bytes + part->p_offset + (at - part->p_vaddr);
    }
    return NULL;
}

bool rdl__object_has_code(struct rdl__object *object, Dwarf_Addr at)
{
    size_t count;

    return rdl__object_code(object, at, &count);
}

size_t rdl__landing_length(struct rdl__object *object, Dwarf_Addr at)
{
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t count;
    const unsigned char *code = rdl__object_code(object, at, &count);

    return code && count >= sizeof endbr64 && memcmp(code, endbr64, sizeof endbr64) == 0
               ? sizeof endbr64
               : 0;
}

/* ---- Returns ----------------------------------------------------------------------------- */

struct instruction {
    Dwarf_Addr at;
    ZydisDecodedInstruction is;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool is_within(const struct rdl__extent *extent, Dwarf_Addr at)
{
    return extent->copy ? rdl__copy_has(extent->copy, at) : at >= extent->start && at < extent->end;
}

/* Where a jump goes that does not come back.  An indirect one may be a switch within the
 * function; only debugging information knows, or that it goes by a fixed pointer. */
static bool is_tail_call(const struct rdl__extent *extent, const struct instruction *jump)
{
    const ZydisDecodedOperand *to = &jump->operands[0];
    Dwarf_Die function;

    if (jump->is.meta.category != ZYDIS_CATEGORY_UNCOND_BR)
        return false;
    if (to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return !is_within(extent, jump->at + jump->is.length + to->imm.value.u);
    if (to->type == ZYDIS_OPERAND_TYPE_MEMORY && to->mem.base == ZYDIS_REGISTER_RIP &&
        to->mem.index == ZYDIS_REGISTER_NONE)
        return true;
    if (!extent->copy)
        return false;
    function = extent->copy->die;
    return rdl__is_tail_call(&function, jump->at, jump->at + jump->is.length);
}

int rdl__returns_add(struct rdl__answer *answer, struct rdl__object *object,
                     const struct rdl__extent *extent)
{
    struct rdl__unit *unit = extent->copy ? extent->copy->unit : NULL;
    struct instruction next = {.at = extent->start};
    struct rdl__error error;
    int count = 0;

    if (!rdl__zydis_load(&error))
        return -1;
    while (next.at < extent->end) {
        size_t left;
        const unsigned char *code = rdl__object_code(object, next.at, &left);

        if (!code)
            return -1;
        if (!ZYAN_SUCCESS(zydis.ZydisDecoderDecodeFull(&zydis.decoder, code, left, &next.is,
                                                       next.operands))) {
            next.at++; /* no code; it must begin again somewhere */
            continue;
        }
        if (next.is.meta.category == ZYDIS_CATEGORY_RET || is_tail_call(extent, &next)) {
            rdl__answer_add(answer, &(struct rdl__found){.object = object,
                                                         .unit = unit,
                                                         .at = next.at,
                                                         .function = extent->name,
                                                         .is_tail_call = next.is.meta.category !=
                                                                         ZYDIS_CATEGORY_RET});
            count++;
        }
        next.at += next.is.length;
    }
    return count;
}

/* ---- Calls ------------------------------------------------------------------------------- */

int rdl__calls_in(struct rdl__object *object, Dwarf_Addr start, Dwarf_Addr end, int number,
                  Dwarf_Addr *out_at)
{
    struct instruction next = {.at = start};
    struct rdl__error error;
    int count = 0;

    if (!rdl__zydis_load(&error))
        return 0;
    for (; next.at < end; next.at += next.is.length) {
        size_t left;
        const unsigned char *code = rdl__object_code(object, next.at, &left);

        if (!code || !ZYAN_SUCCESS(zydis.ZydisDecoderDecodeFull(&zydis.decoder, code, left,
                                                                &next.is, next.operands)))
            break;
        if (next.is.meta.category == ZYDIS_CATEGORY_CALL && ++count == number)
            *out_at = next.at;
    }
    return count;
}
