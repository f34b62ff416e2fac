/* link.c -- is the other end of a connection in this process, too?
 *
 * If so, nobody else can make it ready.  The ends of a pair are known when it is made
 * (file.c); of other connections we note the ends that controlled threads get by
 * connect and accept, and where they listen.  Over IP, an end is in this process if
 * another one has the same two addresses the other way round, or if we listen where
 * it goes to; locally, the kernel says which process is at the other end.
 *
 * As always that holds only as long as no file was shared with other processes. */
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "control/sched/left.h"
#include "control/sched/world.h"

enum { LINKS_MAX = 256 };

struct place { /* where an end of a connection is: one that has no name has no size */
    struct sockaddr_in6 address;
    socklen_t size;
};

static struct link {
    ino_t inode;
    uint64_t born; /* value of rdl__file_sharings then */
    struct place here, there;
    bool listens;
} links[LINKS_MAX];
static uint32_t link_count;

void rdl__links_begin(void)
{
    link_count = 0;
}

static ino_t inode_of(int fd)
{
    struct stat status;

    return rdl__kernel_fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* call: SYS_getsockname or SYS_getpeername. */
static struct place place_of(int fd, long call)
{
    struct place place = {.size = sizeof place.address};

    if (rdl__kernel(call, fd, (long)&place.address, (long)&place.size, 0, 0, 0) != 0)
        place.size = 0;
    return place;
}

static void note(int fd, bool listens)
{
    if (link_count == LINKS_MAX)
        return;
    links[link_count++] = (struct link){
        .inode = inode_of(fd),
        .born = rdl__file_sharings,
        .here = place_of(fd, SYS_getsockname),
        .there = place_of(fd, SYS_getpeername),
        .listens = listens,
    };
}

void rdl__link_made(int fd)
{
    note(fd, false);
}

/* The last word on this file; NULL: nothing is known, or it is known to others. */
static const struct link *link_of(int fd)
{
    ino_t inode = inode_of(fd);

    for (uint32_t i = link_count; i-- > 0;)
        if (links[i].inode == inode)
            return links[i].born == rdl__file_sharings ? &links[i] : NULL;
    return NULL;
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->size == b->size && memcmp(&a->address, &b->address, a->size) == 0;
}

/* The port is at the same place in both versions of IP. */
static bool leads_to(const struct link *link, const struct link *listener)
{
    return listener->listens &&
           link->there.address.sin6_family == listener->here.address.sin6_family &&
           link->there.address.sin6_port == listener->here.address.sin6_port;
}

static bool is_in_this_process(int fd)
{
    struct ucred other = {0};
    socklen_t size = sizeof other;

    return rdl__kernel(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&other, (long)&size, 0) ==
               0 &&
           other.pid == getpid();
}

bool rdl__link_is_inside(int fd)
{
    const struct link *link = link_of(fd);

    if (!link || link->listens)
        return false;
    if (link->here.address.sin6_family == AF_UNIX)
        return is_in_this_process(fd);
    for (uint32_t i = 0; i < link_count; i++)
        if (links[i].born == rdl__file_sharings &&
            (leads_to(link, &links[i]) || (same_place(&link->here, &links[i].there) &&
                                           same_place(&link->there, &links[i].here))))
            return true;
    return false;
}

RDL__INTERPOSE int listen(int fd, int waiting)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file file;
    struct rdl__op op;
    int result;

    if (!self)
        return RDL__NEXT(listen)(fd, waiting);
    rdl__remains_socket(fd);
    rdl__file_look(fd, &file);
    op = rdl__file_op(&file, RDL__CALLER);
    op.flags |= RDL__OP_BREAKS; /* others may connect to it, by its address */
    rdl__point(self, &op);
    result = RDL__NEXT(listen)(fd, waiting);
    rdl__file_changed(self, &file);
    if (result == 0)
        note(fd, true);
    return result;
}
