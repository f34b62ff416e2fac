/* html.c -- a page to read in a browser: the report in JSON as its data, and the one for people
 * as the words for where there are no scripts. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/page.h"
#include "report/report.h"

/* Reports that stay in memory, and all who listen. */
struct rdl__html {
    struct rdl__report data, words;
    struct rdl__listeners all;
};

static void count(void *self, const struct rdl__result *result)
{
    rdl__report_count(self, result);
}

static void end(void *self, double seconds)
{
    struct rdl__report *report = self;
    struct rdl__html *html = report->html;
    struct rdl__page page = {.title = report->plan->command,
                             .seconds = seconds,
                             .planned = report->planned,
                             .words = html->words.text};

    rdl__page_add_lines(&page, report->plan->command, &html->data.text);
    rdl__add_page(&report->text, &page);
    rdl__text_release(&page.files);
    rdl__report_end(report, "");
}

struct rdl__listener rdl__report_html(struct rdl__report *report)
{
    struct rdl__html *html = rdl__allocate(sizeof *html);

    html->data = html->words = (struct rdl__report){.fd = -1, .kept = true};
    html->all.items[0] = rdl__report_json(&html->data);
    html->all.items[1] = rdl__report_human(&html->words, &(struct rdl__looks){.width = 100});
    html->all.items[2] = (struct rdl__listener){
        .run_started = rdl__report_begin, .test_ended = count, .run_ended = end, .self = report};
    html->all.count = 3;
    report->html = html;
    return rdl__report_many(&html->all);
}

void rdl__html_free(struct rdl__html *html)
{
    if (!html)
        return;
    rdl__text_release(&html->data.text);
    rdl__text_release(&html->data.warnings);
    rdl__text_release(&html->words.text);
    rdl__text_release(&html->words.warnings);
    free(html);
}
