/* call_memory.c -- memory of the caller's that a function of the C library touches: how much it
 * is, as the row says.
 *
 * Whatever a length depends on is looked at before others may run; if they change it then, and
 * nothing orders the two, that is a race and found as one. */
#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <wchar.h>

#include "control/sched/calls.h"
#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "control/sched/track.h"

/* ---- Constants -----------------------------------------------------------------------------
 *
 * Texts that stand in the program are read by all, and written by nobody: to tell of that would
 * only make places to switch at that do not matter. */

enum { CONSTANTS_MAX = 128 };
static struct constant {
    uintptr_t start, size;
} constants[CONSTANTS_MAX];
static int constant_count = -1; /* not looked for yet */

static int add_constants(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum && constant_count < CONSTANTS_MAX; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && !(info->dlpi_phdr[i].p_flags & PF_W))
            constants[constant_count++] = (struct constant){
                info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz};
    return 0;
}

/* Before executions, since modules that are there then stay. */
void rdl__constants_find(void)
{
    if (constant_count >= 0)
        return;
    constant_count = 0;
    dl_iterate_phdr(add_constants, NULL);
}

static bool is_constant(uintptr_t address)
{
    for (int i = 0; i < constant_count; i++)
        if (address - constants[i].start < constants[i].size)
            return true;
    return false;
}

void rdl__call_reads(uintptr_t address, size_t size, uintptr_t pc)
{
    if (!is_constant(address))
        rdl__access(address, size, 0, pc);
}

/* ---- Lengths ------------------------------------------------------------------------------- */

/* The digits of any base, the words for what is no number, and what may stand before them. */
static size_t length_of_number(const char *text)
{
    const char *at = text;

    while (isspace((unsigned char)*at))
        at++;
    while (isalnum((unsigned char)*at) || (*at && strchr("+-.", *at)))
        at++;
    return (size_t)(at - text) + 1;
}

static size_t up_to(const char *text, const char *found, size_t more)
{
    return found ? (size_t)(found - text) + more : strlen(text) + 1;
}

/* With the end of the text, if there is room for it. */
static size_t at_most(size_t length, size_t room)
{
    return length < room ? length + 1 : room;
}

/* Of texts and searches. */
static size_t text_length(const struct rdl__operand *it, const char *text, const uint64_t *a)
{
    const char *other = (const char *)a[it->value];
    const char *found;

    switch (it->length) {
    case RDL__TEXT:
        return strlen(text) + 1;
    case RDL__TEXT_UP_TO:
        return at_most(strnlen(text, a[it->value]), a[it->value]);
    case RDL__TEXT_TO_CHAR:
        return up_to(text, strchr(text, (int)a[it->value]), 1);
    case RDL__TEXT_TO:
        return up_to(text, strstr(text, other), strlen(other));
    case RDL__TEXT_BEFORE:
        return strcspn(text, other) + 1;
    case RDL__SPAN:
        return strspn(text, other) + 1;
    case RDL__BYTES_TO:
        found = memchr(text, (int)a[it->value], a[it->factor]);
        return found ? (size_t)(found - text) + 1 : a[it->factor];
    case RDL__NUMBER:
        return length_of_number(text);
    default:
        return 0;
    }
}

/* The operand of this argument. */
static const struct rdl__operand *operand_of(const struct rdl__call_row *row, unsigned argument)
{
    for (int i = 0; i < RDL__OPERANDS_MAX; i++)
        if (row->memory[i].length != RDL__NO_OPERAND && row->memory[i].argument == argument)
            return &row->memory[i];
    return NULL;
}

/* A character of many bytes; all that may be looked at, if it is none. */
static size_t length_of_character(const char *text, size_t room)
{
    mbstate_t state = {0};
    size_t length = mbrlen(text, room, &state);

    if (length == 0)
        return 1;
    return length <= room ? length : room < MB_LEN_MAX ? room : MB_LEN_MAX;
}

static size_t length_of_encoded(wchar_t c)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t length = wcrtomb(bytes, c, &state);

    return length <= sizeof bytes ? length : 1;
}

/* A text behind another one has an end of its own, however much of its source is read. */
static size_t length_of_appended(const struct rdl__operand *source, const uint64_t *a)
{
    const char *text = (const char *)a[source->argument];

    return (source->length == RDL__TEXT ? strlen(text) : strnlen(text, a[source->value])) + 1;
}

static size_t length_of_wide_appended(const struct rdl__operand *source, const uint64_t *a)
{
    const wchar_t *text = (const wchar_t *)a[source->argument];
    size_t length =
        source->length == RDL__WIDE_TEXT ? wcslen(text) : wcsnlen(text, a[source->value]);

    return (length + 1) * sizeof(wchar_t);
}

static size_t length_of(const struct rdl__call_row *row, const struct rdl__operand *it,
                        const uint64_t *a)
{
    switch (it->length) {
    case RDL__BYTES:
        return it->value;
    case RDL__SIZE:
        return a[it->value];
    case RDL__TIMES:
        return (int)a[it->value] > 0 ? a[it->value] * it->factor : 0;
    case RDL__PRODUCT:
        return a[it->value] * a[it->factor];
    case RDL__SIZE_AT:
        return a[it->value] ? *(const uint32_t *)a[it->value] : 0;
    case RDL__ADDRESS:
        return (int)a[it->value] == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
    case RDL__CHARACTER:
        return length_of_character((const char *)a[it->argument], a[it->value]);
    case RDL__ENCODED:
        return length_of_encoded((wchar_t)a[it->value]);
    case RDL__WIDE_TEXT:
        return (wcslen((const wchar_t *)a[it->argument]) + 1) * sizeof(wchar_t);
    case RDL__WIDE_UP_TO:
        return at_most(wcsnlen((const wchar_t *)a[it->argument], a[it->value]), a[it->value]) *
               sizeof(wchar_t);
    case RDL__WIDENED:
        return at_most(mbstowcs(NULL, (const char *)a[1], 0), a[it->value]) * sizeof(wchar_t);
    case RDL__NARROWED:
        return at_most(wcstombs(NULL, (const wchar_t *)a[1], 0), a[it->value]);
    case RDL__LIKE:
        return length_of(row, operand_of(row, it->value), a);
    case RDL__APPENDED:
        return length_of_appended(operand_of(row, it->value), a);
    case RDL__WIDE_APPENDED:
        return length_of_wide_appended(operand_of(row, it->value), a);
    default:
        return text_length(it, (const char *)a[it->argument], a);
    }
}

/* std::cout and the like may be used by all at once.  What they print goes to streams of the C
 * library, which have rows. */
static bool is_standard_stream(uintptr_t address)
{
    enum { ROOM = 512 }; /* more than any of them has, and less than two */
    static const char *const names[] = {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin"};
    static uintptr_t found[4];

    for (int i = 0; i < 4; i++) {
        if (!found[i])
            found[i] = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
        if (found[i] && address - found[i] < ROOM)
            return true;
    }
    return false;
}

/* A word, the separators before it, and the one behind. */
static size_t token_length(const char *text, const char *separators)
{
    size_t before = strspn(text, separators);

    return before + strcspn(text + before, separators) + 1;
}

static void tell(uintptr_t address, size_t size, bool writes, uintptr_t pc)
{
    if (address && size)
        rdl__access(address, size, writes ? RDL__HOW_WRITE : 0, pc);
}

/* Nobody knows in advance how much it is. */
static void tell_of_some(uintptr_t address, size_t most, bool writes, uintptr_t pc)
{
    if (address && most && !(is_constant(address) && !writes))
        rdl__access_some(address, most, 0, writes ? RDL__HOW_WRITE : 0, pc);
}

/* What is read may be less than there is room for. */
static void tell_of_pieces(const struct iovec *pieces, size_t count, bool writes, uintptr_t pc)
{
    tell((uintptr_t)pieces, count * sizeof *pieces, false, pc);
    for (size_t i = 0; i < count; i++)
        if (writes)
            tell_of_some((uintptr_t)pieces[i].iov_base, pieces[i].iov_len, true, pc);
        else
            tell((uintptr_t)pieces[i].iov_base, pieces[i].iov_len, false, pc);
}

static void tell_of_message(const struct msghdr *message, bool writes, uintptr_t pc)
{
    tell((uintptr_t)message, sizeof *message, writes, pc);
    if (writes) {
        tell_of_some((uintptr_t)message->msg_name, message->msg_namelen, true, pc);
        tell_of_some((uintptr_t)message->msg_control, message->msg_controllen, true, pc);
    } else {
        tell((uintptr_t)message->msg_name, message->msg_namelen, false, pc);
        tell((uintptr_t)message->msg_control, message->msg_controllen, false, pc);
    }
    tell_of_pieces(message->msg_iov, message->msg_iovlen, writes, pc);
}

static void tell_of_messages(const struct mmsghdr *messages, size_t count, bool writes,
                             uintptr_t pc)
{
    for (size_t i = 0; i < count; i++) {
        tell_of_message(&messages[i].msg_hdr, writes, pc);
        tell((uintptr_t)&messages[i].msg_len, sizeof messages[i].msg_len, true, pc);
    }
}

/* strsep reads a word and writes the separator behind it, if there is one. */
static void tell_of_word(const char *word, const char *separators, uintptr_t pc)
{
    size_t length = word ? strcspn(word, separators) : 0;

    tell((uintptr_t)word, word ? length + 1 : 0, false, pc);
    if (word && word[length])
        tell((uintptr_t)(word + length), 1, true, pc);
}

static void tell_of_lock(uintptr_t lock, int command, uintptr_t pc)
{
    switch (command) {
    case F_GETLK:
    case F_OFD_GETLK:
        tell(lock, sizeof(struct flock), true, pc);
        break;
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
        tell(lock, sizeof(struct flock), false, pc);
        break;
    case F_GETOWN_EX:
        tell(lock, sizeof(struct f_owner_ex), true, pc);
        break;
    case F_SETOWN_EX:
        tell(lock, sizeof(struct f_owner_ex), false, pc);
        break;
    default:
        break;
    }
}

/* An element of a list that insque and remque know. */
struct element {
    struct element *next, *previous;
};

static void tell_of_link(const struct element *at, uintptr_t pc)
{
    tell((uintptr_t)&at->next, sizeof at->next, true, pc);
    if (at->next)
        tell((uintptr_t)&at->next->previous, sizeof at->next, true, pc);
}

static void tell_of_neighbours(const struct element *at, uintptr_t pc)
{
    tell((uintptr_t)at, sizeof *at, false, pc);
    if (at->next)
        tell((uintptr_t)&at->next->previous, sizeof at->next, true, pc);
    if (at->previous)
        tell((uintptr_t)&at->previous->next, sizeof at->next, true, pc);
}

/* ---- Objects of C++'s library ---------------------------------------------------------------- */

/* std::string: short texts are inside the object. */
struct string {
    const char *text;
    size_t length;
    union {
        size_t room;
        char inside[16];
    };
};

static void tell_of_string(const struct string *it, bool writes, uintptr_t pc)
{
    tell((uintptr_t)it, sizeof *it, writes, pc);
    if (it->text != it->inside && it->length <= it->room)
        tell((uintptr_t)it->text, it->length + 1, writes, pc);
}

static void tell_of_ring(const struct element *first, uintptr_t pc)
{
    const struct element *at = first;

    do {
        tell((uintptr_t)at, sizeof *at, true, pc);
        at = at->next;
    } while (at && at != first);
}

/* Of a tree: the root's parent is the head. */
struct node {
    uint64_t colour;
    struct node *parent, *children[2];
};

static void tell_of_branch(const struct node *at, const struct node *head, uintptr_t pc)
{
    for (; at && at != head; at = at->parent) {
        tell((uintptr_t)at, sizeof *at, true, pc);
        for (int i = 0; i < 2; i++)
            tell((uintptr_t)at->children[i], sizeof *at, true, pc);
    }
}

/* False: it is none of them. */
static bool tell_of_object(const struct rdl__operand *it, const uint64_t *a, uintptr_t pc)
{
    uintptr_t address = a[it->argument];

    switch (it->length) {
    case RDL__STRING:
        tell_of_string((const struct string *)address, it->writes, pc);
        return true;
    case RDL__RING:
        tell_of_ring((const struct element *)address, pc);
        return true;
    case RDL__TREE_BRANCH:
        tell_of_branch((const struct node *)address, (const struct node *)a[it->value], pc);
        return true;
    default:
        return false;
    }
}

/* ---- Operands ------------------------------------------------------------------------------ */

/* Things that are made of several parts; false: it is none of them. */
static bool tell_of_parts(const struct rdl__operand *it, const uint64_t *a, uintptr_t pc)
{
    uintptr_t address = a[it->argument];

    switch (it->length) {
    case RDL__PIECES_OF:
        tell_of_pieces((const struct iovec *)address, a[it->value], it->writes, pc);
        return true;
    case RDL__MESSAGE:
        tell_of_message((const struct msghdr *)address, it->writes, pc);
        return true;
    case RDL__MESSAGES:
        tell_of_messages((const struct mmsghdr *)address, a[it->value], it->writes, pc);
        return true;
    case RDL__BLOCK_AT:
        tell_of_some(*(uintptr_t *)address, *(size_t *)a[it->value], it->writes, pc);
        return true;
    case RDL__WORD_AT:
        tell_of_word(*(const char **)address, (const char *)a[it->value], pc);
        return true;
    case RDL__LOCK_OF:
        tell_of_lock(address, (int)a[it->value], pc);
        return true;
    case RDL__LINK:
        tell_of_link((const struct element *)address, pc);
        return true;
    case RDL__NEIGHBOURS:
        tell_of_neighbours((const struct element *)address, pc);
        return true;
    default:
        return false;
    }
}

/* A stream of libstdc++, and the six pointers of its buffer, which inlined functions such as str()
 * read.  They stand behind the first word of the buffer; the stream has its address in a virtual
 * base, 232 bytes behind the beginning of that, and the table of the stream says where that is. */
static void tell_of_stream(uintptr_t stream, const struct rdl__operand *it, uintptr_t pc)
{
    enum { BASE_OFFSET = -3, BUFFER = 232, POINTERS = 6 };
    intptr_t base = (*(const intptr_t **)stream)[BASE_OFFSET];
    uintptr_t buffer = *(const uintptr_t *)(stream + (uintptr_t)base + BUFFER);

    tell(stream, sizeof(void *), it->writes, pc);
    if (buffer)
        tell(buffer + sizeof(void *), POINTERS * sizeof(void *), it->writes, pc);
}

/* A range of memory. */
static void tell_of_range(const struct rdl__call_row *row, const struct rdl__operand *it,
                          uintptr_t address, const uint64_t *a, uintptr_t pc)
{
    size_t length = it->length == RDL__TOKEN ? token_length((char *)address, (char *)a[1])
                                             : length_of(row, it, a);

    if (it->length == RDL__APPENDED)
        address += strlen((const char *)address);
    if (it->length == RDL__WIDE_APPENDED)
        address += wcslen((const wchar_t *)address) * sizeof(wchar_t);
    if (it->is_bound || it->length == RDL__NUMBER)
        tell_of_some(address, length, it->writes, pc);
    else if (it->writes)
        tell(address, length, true, pc);
    else
        rdl__call_reads(address, length, pc);
}

/* A stream that all may use at once is read by all: what one thread sets of it meanwhile, by
 * functions that are inlined, is a race. */
static void register_stream(uintptr_t stream, uintptr_t pc)
{
    enum { OBJECT = 272 };

    rdl__register_reading((const void *)stream, OBJECT, pc);
}

static void tell_of(const struct rdl__call_row *row, const struct rdl__operand *it,
                    const uint64_t *a, uintptr_t pc)
{
    uintptr_t address = a[it->argument];

    if (it->length == RDL__TOKEN && address == 0)
        address = *(uintptr_t *)a[it->value];
    if (address == 0)
        return;
    if (it->length == RDL__CODE)
        rdl__entering(rdl__self(), address);
    else if (it->length == RDL__KEPT && !is_constant(address))
        rdl__limit(RDL__LIMIT_UNKNOWN, row->name, "");
    else if (it->length == RDL__KEPT)
        return;
    else if ((it->length == RDL__STREAM_OBJECT || it->length == RDL__STREAM_AND_BUFFER) &&
             is_standard_stream(address))
        register_stream(address, pc);
    else if (it->length == RDL__STREAM_OBJECT)
        tell(address, sizeof(void *), it->writes, pc);
    else if (it->length == RDL__STREAM_AND_BUFFER)
        tell_of_stream(address, it, pc);
    else if (!tell_of_parts(it, a, pc) && !tell_of_object(it, a, pc))
        tell_of_range(row, it, address, a, pc);
}

void rdl__call_memory(const struct rdl__call_row *row, const uint64_t *arguments, uintptr_t pc)
{
    for (int i = 0; i < RDL__OPERANDS_MAX; i++)
        if (row->memory[i].length != RDL__NO_OPERAND)
            tell_of(row, &row->memory[i], arguments, pc);
}
