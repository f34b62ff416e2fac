/* grade_json.c -- the grades for programs: an object a file, always with the same keys. */
#include <inttypes.h>
#include <string.h>

#include "cli/raddle/grade.h"
#include "report/report.h"

static void add_text(struct rdl__text *out, const char *key, const char *value)
{
    rdl__text_add(out, ",\"%s\":", key);
    if (value)
        rdl__add_json_string(out, value);
    else
        rdl__text_add(out, "null");
}

/* 0: there is none. */
static void add_count(struct rdl__text *out, const char *key, int count)
{
    rdl__text_add(out, ",\"%s\":", key);
    rdl__text_add(out, count ? "%d" : "null", count);
}

static void add_rounds(struct rdl__text *out, const struct rdl__grade *grade)
{
    rdl__text_add(out, ",\"rounds\":{");
    for (int i = 1; i <= RDL__ROUNDS; i++) {
        enum rdl__grade_verdict verdict = grade->rounds[i].verdict;

        rdl__text_add(out, verdict ? "%s\"%d\":\"%s\"" : "%s\"%d\":null", i > 1 ? "," : "", i,
                      rdl__grade_name(verdict));
    }
    rdl__text_add(out, "}");
}

static void add_replay(struct rdl__text *out, const struct rdl__grading *grading,
                       const struct rdl__grade *grade)
{
    struct rdl__text command = {0};

    if (grade->grade.token) {
        rdl__grade_command(&command, grading, grade);
        rdl__text_add(&command, " --replay %s", grade->grade.token);
    }
    add_text(out, "replay", command.bytes);
    rdl__text_release(&command);
}

/* What the failing round, or the last, has told of its tests. */
static void add_tests(struct rdl__text *out, const char *lines)
{
    const char *line = lines ? lines : "";
    size_t length;

    rdl__text_add(out, ",\"tests\":[");
    for (; *line; line += length + (line[length] != '\0')) {
        length = strcspn(line, "\n");
        rdl__text_add(out, line == lines ? "" : ",");
        rdl__text_add_bytes(out, line, length);
    }
    rdl__text_add(out, "]");
}

void rdl__grade_json(struct rdl__text *out, const struct rdl__grading *grading,
                     const struct rdl__grade *grade)
{
    const struct rdl__found *found = &grade->grade;

    rdl__text_add(out, "{\"file\":");
    rdl__add_json_string(out, grade->file);
    add_text(out, "verdict", rdl__grade_name(found->verdict));
    add_text(out, "class", found->class);
    add_count(out, "round", grade->found_in);
    add_count(out, "phases", found->phases);
    rdl__text_add(out, ",\"seconds\":");
    rdl__add_number(out, grade->seconds, 6);
    add_text(out, "token", found->token);
    add_replay(out, grading, grade);
    add_rounds(out, grade);
    add_text(out, "message", found->message);
    add_text(out, "report", found->report);
    add_tests(out, found->tests);
    rdl__text_add(out, ",\"seed\":%" PRIu64 "}", grading->seed);
}
