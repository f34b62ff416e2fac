/* page.c -- a page for browsers: the shell around the data. */
#include "report/page.h"

#include <math.h>
#include <string.h>

#include "raddle.h"
#include "report/report.h"

static void begin_file(struct rdl__page *page, const char *name)
{
    rdl__text_add(&page->files, page->files.count ? ",\n{\"name\":" : "{\"name\":");
    rdl__add_json_string(&page->files, name);
    rdl__text_add(&page->files, ",\"lines\":[\n");
}

void rdl__page_add_lines(struct rdl__page *page, const char *name, const struct rdl__text *lines)
{
    bool first = true;
    size_t length;

    begin_file(page, name);
    for (size_t at = 0; at < lines->count; at += length + 1) {
        length = strcspn(lines->bytes + at, "\n");
        if (length == 0)
            continue;
        rdl__text_add(&page->files, first ? "" : ",\n");
        rdl__text_add_bytes(&page->files, lines->bytes + at, length);
        first = false;
    }
    rdl__text_add(&page->files, "]}");
}

void rdl__page_add_value(struct rdl__page *page, const char *name, const struct rdl__text *value)
{
    begin_file(page, name);
    rdl__text_add_bytes(&page->files, value->bytes, value->count);
    rdl__text_add(&page->files, "]}");
}

/* In JSON, a '<' can only be in a string, where it may as well be written by its number. */
static void add_data(struct rdl__text *out, const struct rdl__text *json)
{
    size_t length;

    for (size_t at = 0; at < json->count; at += length + 1) {
        length = strcspn(json->bytes + at, "<");
        rdl__text_add_bytes(out, json->bytes + at, length);
        if (at + length < json->count)
            rdl__text_add(out, "\\u003c");
    }
}

static void add_head(struct rdl__text *out, const struct rdl__page *page)
{
    rdl__text_add(out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; "
                  "form-action 'none'\">\n<title>",
                  rdl__page_style_hash, rdl__page_script_hash);
    rdl__add_xml(out, page->title);
    rdl__text_add(out, "</title>\n<style>%s</style>\n</head>\n", rdl__page_style);
}

void rdl__add_page(struct rdl__text *out, const struct rdl__page *page)
{
    struct rdl__text data = {0};

    add_head(out, page);
    rdl__text_add(out, "<body>\n<noscript><pre>");
    rdl__add_xml(out, page->words.count ? page->words.bytes : "");
    rdl__text_add(out, "</pre></noscript>\n<script type=\"application/json\" id=\"data\">\n");
    rdl__text_add(&data, "{\"raddle\":\"%s\",\"title\":", RDL_VERSION);
    rdl__add_json_string(&data, page->title);
    rdl__text_add(&data, ",\"seconds\":");
    rdl__add_number(&data, page->seconds < 0 ? NAN : page->seconds, 6);
    rdl__text_add(&data, ",\"planned\":%zu,\"files\":[", page->planned);
    rdl__text_add_bytes(&data, page->files.bytes, page->files.count);
    rdl__text_add(&data, "]}\n");
    add_data(out, &data);
    rdl__text_add(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", rdl__page_script);
    rdl__text_release(&data);
}

void rdl__page_release(struct rdl__page *page)
{
    rdl__text_release(&page->files);
    rdl__text_release(&page->words);
}
