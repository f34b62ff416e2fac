/* page.h -- a page for browsers, complete in itself.
 *
 *     struct rdl__page page = {.title = "./tests", .seconds = -1};
 *
 *     rdl__page_add_lines(&page, "report.json", lines);
 *     rdl__text_add(&page.words, ...);
 *     rdl__add_page(&out, &page);
 *     rdl__page_release(&page);
 *
 * A page is data, the very JSON that reports have, and a script that shows it: the files of
 * src/report/page, which are the same on every page.  Strings of tests are text and nothing else:
 * none can end the element that the data are in, the script makes no markup of any, and the
 * page's policy allows no other script, no other style, and nothing to be loaded.  Where there
 * are no scripts, the words are shown. */
#ifndef RDL__PAGE_H
#define RDL__PAGE_H

#include "base/text.h"

struct rdl__page {
    const char *title;
    double seconds;         /* that it all took; -1: the sum of what tests took */
    size_t planned;         /* tests; 0: those that there are */
    struct rdl__text files; /* JSON, to be filled by rdl__page_add_lines */
    struct rdl__text words;
};

/* What a JSON report has, in lines; or one value that takes several: a list of grades. */
void rdl__page_add_lines(struct rdl__page *page, const char *name, const struct rdl__text *lines);
void rdl__page_add_value(struct rdl__page *page, const char *name, const struct rdl__text *value);

void rdl__add_page(struct rdl__text *out, const struct rdl__page *page);
void rdl__page_release(struct rdl__page *page);

/* Made when the library is built; see cmake/page.cmake. */
extern const char rdl__page_style[], rdl__page_style_hash[];
extern const char rdl__page_script[], rdl__page_script_hash[];

#endif
