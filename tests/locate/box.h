/* box.h -- part of a program whose places are found; two units have a copy of what is here. */
#ifndef BOX_H
#define BOX_H

struct item {
    int id;
    char name[8];
    struct item *next;
};

struct box {
    int count;
    unsigned open : 1, colour : 3;
    struct item items[4];
    struct item *first;
};

static inline __attribute__((always_inline)) int add_to(struct box *box, int id)
{
    int at = box->count;

    box->items[at].id = id; /* the line in the header */
    box->count = at + 1;
    return at;
}

int append(struct box *box, int id);
int lookup(const struct box *box, int id);
int in_a(int n);
int in_b(int n);
int nobody_calls(int n);
int worth(int kind, int n);
int pass_on(int n);
int shadow(int n);
int late(struct box *box, int n);
int call_late(struct box *box, int unused);
void touch(void *it);
int measure(struct box *box, double scale, const char *label);

#endif
