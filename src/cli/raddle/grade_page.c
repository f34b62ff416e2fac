/* grade_page.c -- the grades for browsers: the page of their JSON. */
#include "cli/raddle/grade.h"
#include "report/page.h"

static void add_words(struct rdl__text *out, const struct rdl__grading *grading,
                      const struct rdl__grade *grades)
{
    rdl__grade_table_head(out, grading, false);
    for (int i = 0; i < grading->file_count; i++)
        rdl__grade_table_row(out, grading, &grades[i], false);
    rdl__grade_table_foot(out, grading, grades, false);
}

void rdl__grade_page(struct rdl__text *out, const struct rdl__grading *grading,
                     const struct rdl__grade *grades)
{
    struct rdl__page page = {.title = grading->spec, .seconds = -1};
    struct rdl__text list = {0};

    for (int i = 0; i < grading->file_count; i++) {
        rdl__text_add(&list, i ? ",\n" : "[");
        rdl__grade_json(&list, grading, &grades[i]);
    }
    rdl__text_add(&list, "]");
    rdl__page_add_value(&page, grading->spec, &list);
    add_words(&page.words, grading, grades);
    rdl__add_page(out, &page);
    rdl__page_release(&page);
    rdl__text_release(&list);
}
