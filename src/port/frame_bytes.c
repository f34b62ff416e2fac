/* frame_bytes.c -- the bytes of a variable, wherever they are: memory, registers, or both. */
#include <string.h>
#include <sys/uio.h>

#include "port/frame.h"
#include "port/hook.h"
#include "port/kernel.h"

enum { GENERAL = 16 /* and rip */, FIRST_VECTOR = 17, VECTORS = 16 };

/* ---- Memory and registers ------------------------------------------------------------------- */

static bool copy_memory(long call, uint64_t address, void *ours, size_t size)
{
    struct iovec here = {ours, size}, there = {(void *)(uintptr_t)address, size};
    long copied = rdl__kernel(call, rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0), (long)&here, 1,
                              (long)&there, 1, 0);

    if (copied == -EPERM || copied == -ENOSYS) { /* the kernel was told not to */
        struct iovec *from = call == SYS_process_vm_readv ? &there : &here;

        memcpy(from == &here ? there.iov_base : here.iov_base, from->iov_base, size);
        return true;
    }
    return copied == (long)size;
}

/* The kernel reads 8 bytes before it notices that it was asked for nonsense; which takes a tenth of
 * the time that it takes to have it copy some. */
static bool is_readable(uint64_t address)
{
    enum { NONSENSE = -1 };

    return rdl__kernel(SYS_rt_sigprocmask, NONSENSE, (long)(address & ~(uint64_t)7), 0,
                       sizeof(uint64_t), 0, 0) == -EINVAL;
}

/* A little memory, which is in one page or in two. */
static bool read_little(uint64_t address, void *out, size_t size)
{
    enum { PAGE = 4096 };
    uint64_t last = address + size - 1;

    if (size > PAGE || last < address || !is_readable(address) ||
        (address / PAGE != last / PAGE && !is_readable(last)))
        return false;
    __asm__ volatile("rep movsb" : "+D"(out), "+S"(address), "+c"(size) : : "memory");
    return true;
}

bool rdl__memory_read(uint64_t address, void *out, size_t size)
{
    return size == 0 || read_little(address, out, size) ||
           copy_memory(SYS_process_vm_readv, address, out, size);
}

bool rdl__memory_write(uint64_t address, const void *bytes, size_t size)
{
    return size == 0 || copy_memory(SYS_process_vm_writev, address, (void *)(uintptr_t)bytes, size);
}

uint8_t *rdl__register_bytes(struct rdl__registers *registers, uint64_t number, size_t *out_size)
{
    *out_size = sizeof registers->dwarf[0];
    if (number <= GENERAL)
        return (uint8_t *)&registers->dwarf[number];
    *out_size = 16;
    if (number - FIRST_VECTOR < VECTORS && registers->vectors)
        return rdl__registers_xmm(registers, (unsigned)(number - FIRST_VECTOR));
    return NULL;
}

/* ---- Bytes of a variable -------------------------------------------------------------------- */

static bool read_piece(const struct rdl__piece *piece, struct rdl__registers *registers,
                       uint32_t offset, void *out, size_t size, struct rdl__error *error)
{
    size_t room = sizeof piece->at;
    const uint8_t *from = piece->bytes;

    switch (piece->kind) {
    case RDL__IN_MEMORY:
        return rdl__memory_read(piece->at + offset, out, size) ||
               rdl__fail(error, "there is no memory at %#llx",
                         (unsigned long long)piece->at + offset);
    case RDL__IN_REGISTER:
        from = rdl__register_bytes(registers, piece->at, &room);
        break;
    case RDL__IN_NUMBER:
        from = (const uint8_t *)&piece->at;
        break;
    case RDL__IN_BYTES:
        room = piece->size;
        break;
    default:
        return rdl__fail(error, "a part of it is optimised out");
    }
    if (!from || offset + size > room)
        return rdl__fail(error, "a part of it is not known");
    memcpy(out, from + offset, size);
    return true;
}

static bool write_piece(const struct rdl__piece *piece, struct rdl__registers *registers,
                        uint32_t offset, const void *value, size_t size, struct rdl__error *error)
{
    uint8_t *to;
    size_t room;

    if (piece->kind == RDL__IN_MEMORY)
        return rdl__memory_write(piece->at + offset, value, size) ||
               rdl__fail(error, "memory at %#llx cannot be written",
                         (unsigned long long)piece->at + offset);
    if (piece->kind != RDL__IN_REGISTER)
        return rdl__fail(error, "the compiler kept its value, but no place that could be changed");
    to = rdl__register_bytes(registers, piece->at, &room);
    if (!to || offset + size > room)
        return rdl__fail(error, "a part of it is not known");
    memcpy(to + offset, value, size);
    return true;
}

/* Each piece has its part of the bytes from offset on. */
struct cut {
    const struct rdl__piece *piece;
    uint32_t offset;
    size_t size;
};

static bool cut(const struct rdl__holding *held, uint32_t offset, size_t size, struct cut *out)
{
    for (uint32_t i = 0; i < held->count; i++) {
        const struct rdl__piece *piece = &held->pieces[i];
        bool is_last = i + 1 == held->count;

        if (offset < piece->size || is_last) {
            size_t left = piece->size > offset ? piece->size - offset : 0;

            *out = (struct cut){piece, offset, held->count == 1 || size < left ? size : left};
            return out->size > 0;
        }
        offset -= piece->size;
    }
    return false;
}

bool rdl__holding_read(const struct rdl__holding *held, struct rdl__registers *registers,
                       uint32_t offset, void *out, size_t size, struct rdl__error *error)
{
    struct cut next;

    for (size_t done = 0; done < size; done += next.size)
        if (!cut(held, offset + (uint32_t)done, size - done, &next))
            return rdl__fail(error, "a part of it is not known");
        else if (!read_piece(next.piece, registers, next.offset, (char *)out + done, next.size,
                             error))
            return false;
    return true;
}

bool rdl__holding_write(const struct rdl__holding *held, struct rdl__registers *registers,
                        uint32_t offset, const void *value, size_t size, struct rdl__error *error)
{
    struct cut next;

    for (size_t done = 0; done < size; done += next.size)
        if (!cut(held, offset + (uint32_t)done, size - done, &next))
            return rdl__fail(error, "a part of it is not known");
        else if (!write_piece(next.piece, registers, next.offset, (const char *)value + done,
                              next.size, error))
            return false;
    return true;
}
