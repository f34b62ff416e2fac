/* test_page.c -- what a page for browsers is made of.  What becomes of it in one, run_page.sh
 * tells. */
#include "harness.h"

#include <stdlib.h>
#include <unistd.h>

#include "choice/regress.h"
#include "report/page.h"
#include "report/report.h"

static const char evil[] = "</script><script>alert(1)</script> <!-- ]]> \" ' &amp; \\ \x01\xff";

static struct rdl__line story[] = {
    {RDL__EVENT_DRAW, 0, (char *)evil, (char *)evil, (char *)evil},
    {RDL__EVENT_NOTE, 1, (char *)"", (char *)evil, (char *)""},
};
static struct rdl__failure failure = {
    .outcome = {.cause = RDL__BY_CHECK, .file = "sum.c", .line = 15, .check = "rdl_check(ok)"},
    .story = {.lines = story, .count = 2},
    .token = (char *)"rdl1.adds_up.AAEC",
    .output = (char *)evil,
};
static struct rdl_test evil_test = {.name = evil, .file = evil, .line = 1};
static struct rdl_test plain_test = {.name = "adds_up", .file = "sum.c", .line = 12};

/* The report on a test that fails. */
static char *report_of(const char *format, const struct rdl_test *test, const char *warning)
{
    char *path = run(NULL, "mktemp | tr -d '\\n'"), *text;
    struct rdl__result *result = rdl__allocate(sizeof *result);
    struct rdl__plan plan = {.command = "./tests", .seed = 7};
    struct rdl__report report;
    struct rdl__listener listener;
    struct rdl__error error;

    *result = (struct rdl__result){.test = test,
                                   .verdict = RDL__TEST_FAIL,
                                   .kind = "check",
                                   .failures = &failure,
                                   .failure_count = 1};
    EXPECT(rdl__report_open(&report, format, path, &error));
    listener = rdl__report_listener(&report, &(struct rdl__looks){.width = 80});
    listener.run_started(listener.self, &plan, 3);
    if (warning)
        listener.warning(listener.self, warning);
    listener.test_ended(listener.self, result);
    if (listener.run_ended)
        listener.run_ended(listener.self, 2.5);
    EXPECT(rdl__report_close(&report, &error));
    text = run(NULL, "cat '%s'", path);
    unlink(path);
    free(result);
    return text;
}

/* What a program in Python says of a page, which it finds in `raw`. */
static char *judged(const char *page, const char *program)
{
    char *path = run(NULL, "mktemp | tr -d '\\n'"), *said;
    struct rdl__error error;

    EXPECT(rdl__write_file(path, page, strlen(page), &error));
    said = run(NULL, "python3 - <<'END'\nraw = open('%s', 'rb').read().decode()\n%s\nEND", path,
               program);
    unlink(path);
    return said;
}

TEST(a_page_lets_no_string_become_markup)
{
    EXPECT_STR(judged(report_of("html", &evil_test, evil),
                      "import html.parser, json\n"
                      "tags, odd, text = {}, [], ''\n"
                      "class Page(html.parser.HTMLParser):\n"
                      "    def handle_starttag(self, tag, attributes):\n"
                      "        tags[tag] = tags.get(tag, 0) + 1\n"
                      "        odd.extend(a for a, v in attributes if a.startswith('on') or a in "
                      "('src', 'href', 'style'))\n"
                      "    def handle_endtag(self, tag): tags[tag] = tags.get(tag, 0) - 1\n"
                      "    def handle_data(self, data): global text; text += data\n"
                      "    def handle_comment(self, data): odd.append(data)\n"
                      "    def unknown_decl(self, data): odd.append(data)\n"
                      "Page().feed(raw)\n"
                      "print({t: n for t, n in tags.items() if n}, odd, raw.count('<script'))\n"
                      "data = raw.split('id=\"data\">')[1].split('</script>')[0]\n"
                      "test = json.loads(data)['files'][0]['lines'][0]\n"
                      "evil = '</script><script>alert(1)</script> <!--'\n"
                      "print(evil in text, '<' in data)\n"
                      "print(test['test'].startswith(evil), test['warnings'][0].startswith(evil), "
                      "test['failures'][0]['story'][0]['value'].startswith(evil))"),
               "{'meta': 3} [] 2\nTrue False\nTrue True True\n");
}

TEST(a_page_has_the_lines_of_json_and_the_words_of_human)
{
    char *json = rdl__duplicate(report_of("json", &plain_test, NULL));
    char *page = report_of("html", &plain_test, NULL), *words;

    *strstr(json, "\"story\"") = '\0'; /* where there is what must be escaped */
    EXPECT_CONTAINS(page, json);
    EXPECT_CONTAINS(page, "\"title\":\"./tests\",\"seconds\":2.500000,\"planned\":3,");
    EXPECT_CONTAINS(page, "<title>./tests</title>");
    words = strstr(page, "<noscript>");
    *strstr(words, "</noscript>") = '\0';
    EXPECT_CONTAINS(words, "FAIL   adds_up");
    EXPECT_CONTAINS(words, "./tests --replay rdl1.adds_up.AAEC");
    free(json);
}

/* By their hashes, so that nothing else can run. */
TEST(a_page_allows_its_own_script_and_style_only)
{
    EXPECT_STR(judged(report_of("html", &plain_test, NULL),
                      "import base64, hashlib, re\n"
                      "def allowed(tag):\n"
                      "    text = raw.split('<%s>' % tag)[-1].split('</%s>' % tag)[0]\n"
                      "    digest = hashlib.sha256(text.encode()).digest()\n"
                      "    return \"'sha256-%s'\" % base64.b64encode(digest).decode()\n"
                      "policy = re.search('Policy\" content=\"([^\"]*)', raw).group(1)\n"
                      "print(policy == \"default-src 'none'; style-src \" + allowed('style') + "
                      "\"; script-src \" + allowed('script') + "
                      "\"; base-uri 'none'; form-action 'none'\")"),
               "True\n");
}

TEST(a_page_can_be_of_several_files)
{
    struct rdl__page page = {.title = "2 reports", .seconds = -1};
    struct rdl__text lines = {0}, value = {0}, out = {0};

    rdl__text_add(&lines, "\n{\"test\":\"<a>\"}\n\n{\"test\":\"b\"}");
    rdl__text_add(&value, "[1,\n2]\n");
    rdl__page_add_lines(&page, "one", &lines);
    rdl__page_add_value(&page, "two", &value);
    rdl__add_page(&out, &page);
    EXPECT_CONTAINS(out.bytes,
                    "\"seconds\":null,\"planned\":0,\"files\":[{\"name\":\"one\",\"lines\":[\n"
                    "{\"test\":\"\\u003ca>\"},\n{\"test\":\"b\"}]},\n"
                    "{\"name\":\"two\",\"lines\":[\n[1,\n2]\n]}]}\n</script>");
    rdl__text_release(&lines);
    rdl__text_release(&value);
    rdl__text_release(&out);
    rdl__page_release(&page);
}
