/* requirements.c -- in words, which requirements were exercised: one line, or a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice/regress.h"
#include "report/report.h"

enum { NAMED_MAX = 10, LINES_SHOWN = 20 };

static void add_never(struct rdl__text *out, const struct rdl__exercise *exercises, size_t count,
                      size_t never)
{
    size_t named = 0;

    for (size_t i = 0; i < count && named < NAMED_MAX; i++)
        if (exercises[i].cases == 0)
            rdl__text_add(out, "%s%s", named++ ? ", " : "; never: ", exercises[i].requirement->id);
    if (never > named)
        rdl__text_add(out, " and %zu more", never - named);
}

void rdl__add_exercised(struct rdl__text *out, const struct rdl__exercise *exercises, size_t count)
{
    size_t never = 0;

    for (size_t i = 0; i < count; i++)
        never += exercises[i].cases == 0;
    if (count == 0)
        rdl__text_add(out, "requirements: the program speaks of none");
    else
        rdl__text_add(out, "requirements: %zu of %zu exercised", count - never, count);
    add_never(out, exercises, count, never);
    rdl__text_add(out, "\n");
}

static void add_smallest(struct rdl__text *out, const struct rdl__plan *plan,
                         const struct rdl__exercise *exercise)
{
    const struct rdl__story_looks looks = {"      ", "", "", LINES_SHOWN};
    struct rdl__failure failure = {.token = exercise->token};

    if (!exercise->token) {
        rdl__text_add(out, "      no case of it could be repeated\n");
        return;
    }
    rdl__add_story(out, &exercise->story, &looks);
    rdl__text_add(out, "      Replay:  ");
    rdl__replay_command(out, plan, &failure);
    rdl__text_add(out, "\n");
}

static void add_row(struct rdl__text *out, const struct rdl__plan *plan,
                    const struct rdl__exercise *exercise)
{
    const struct rdl__requirement *requirement = exercise->requirement;

    rdl__text_add(out, "\n  %s", requirement->id);
    if (requirement->text[0])
        rdl__text_add(out, ": %s", requirement->text);
    rdl__text_add(out, "\n    ");
    if (exercise->cases == 0) {
        rdl__text_add(out, "never\n");
        return;
    }
    rdl__text_add_many(out, exercise->cases, "case");
    for (size_t i = 0; i < exercise->test_count; i++)
        rdl__text_add(out, "%s%s", i ? ", " : " of ", exercise->tests[i]->name);
    rdl__text_add(out, "\n");
    add_smallest(out, plan, exercise);
}

void rdl__add_exercised_table(struct rdl__text *out, const struct rdl__plan *plan,
                              const struct rdl__exercise *exercises, size_t count)
{
    rdl__add_exercised(out, exercises, count);
    for (size_t i = 0; i < count; i++)
        add_row(out, plan, &exercises[i]);
    rdl__text_add(out, "%s", count ? "\n" : "");
}

/* ---- To a file of its own ------------------------------------------------------------------- */

static void run_started(void *self, const struct rdl__plan *plan, size_t tests)
{
    struct rdl__requirements_file *file = self;

    (void)tests;
    file->plan = plan;
}

static void exercised(void *self, const struct rdl__exercise *exercises, size_t count)
{
    struct rdl__requirements_file *file = self;
    struct rdl__text text = {0};

    rdl__add_exercised_table(&text, file->plan, exercises, count);
    rdl__write_file(file->path, text.bytes, text.count, &file->error);
    rdl__text_release(&text);
}

struct rdl__listener rdl__report_requirements(struct rdl__requirements_file *file)
{
    return (struct rdl__listener){.run_started = run_started, .exercised = exercised, .self = file};
}
