/* requirements.c -- which requirements there are, and which of them a case exercises. */
#include "case/requirements.h"

#include <stdio.h>
#include <string.h>

static struct rdl__requirement table[RDL__REQUIREMENTS_MAX];
static uint32_t count, lost;
static bool settled;

_Thread_local struct rdl__reached rdl__reached;
bool rdl__reached_matters;

uint32_t rdl__requirement_count(void)
{
    return count;
}

const struct rdl__requirement *rdl__requirement_at(uint32_t number)
{
    return &table[number];
}

uint32_t rdl__requirements_lost(void)
{
    return lost;
}

void rdl__requirements_settle(void)
{
    settled = true;
}

/* Its number, from 1; 0: there is no room. */
static uint32_t know(const char *id, size_t length, const char *text)
{
    uint32_t i = 0;

    length = length < RDL__NAME_ROOM ? length : RDL__NAME_ROOM - 1;
    while (i < count && (strncmp(table[i].id, id, length) != 0 || table[i].id[length]))
        i++;
    if (i == count && (settled || count == RDL__REQUIREMENTS_MAX)) {
        lost++;
        return 0;
    }
    if (i == count) {
        snprintf(table[i].id, sizeof table[i].id, "%.*s", (int)length, id);
        table[i].text = "";
        count++;
    }
    if (text && !table[i].text[0])
        table[i].text = text;
    return i + 1;
}

void rdl__requirements_known(struct rdl_requirement **from, struct rdl_requirement **to)
{
    for (; from < to; from++) {
        struct rdl_requirement *it = *from;

        if (!it || it->number)
            continue;
        it->number = know(it->id, strlen(it->id), it->text);
        rdl__reached_matters |= it->is_line;
    }
}

struct rdl__ids rdl__requirements_named(const char *ids)
{
    struct rdl__ids set = {{0}};

    for (ids += strspn(ids, " \n\t,"); *ids; ids += strspn(ids, " \n\t,")) {
        size_t length = strcspn(ids, " \n\t,");
        uint32_t number = know(ids, length, NULL);

        if (number)
            rdl__ids_add(&set, number - 1);
        ids += length;
    }
    return set;
}

/* Any thread may. */
void rdl__exercised(const struct rdl__ids *these)
{
    struct rdl_case *t = rdl__current;

    for (int i = 0; t && i < RDL__IDS_WORDS; i++)
        if (these->words[i] & ~t->outcome->exercised.words[i])
            __atomic_fetch_or(&t->outcome->exercised.words[i], these->words[i], __ATOMIC_RELAXED);
}

void rdl__requirement_met(const struct rdl_requirement *it)
{
    struct rdl__ids one = {{0}};

    if (!it->number)
        return;
    if (rdl__reached.set_aside) {
        rdl__ids_add(&rdl__reached.set, it->number - 1);
        rdl__reached.any = true;
    } else {
        rdl__ids_add(&one, it->number - 1);
        rdl__exercised(&one);
    }
}
