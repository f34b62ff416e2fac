/* escape.c -- any bytes as text of a certain kind. */
#include "base/escape.h"

void rdl__add_escaped(struct rdl__text *out, const char *text,
                      bool (*special)(struct rdl__text *out, uint32_t code))
{
    while (*text) {
        const char *start = text;
        uint32_t code = rdl__utf8_next(&text);

        if (special(out, code))
            continue;
        if (code == RDL__NO_CHARACTER)
            rdl__text_add(out, "\xef\xbf\xbd");
        else
            rdl__text_add_bytes(out, start, (size_t)(text - start));
    }
}

static bool add_control(struct rdl__text *out, uint32_t code)
{
    bool obeyed = (code < ' ' && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);

    if (obeyed)
        rdl__text_add(out, "\\x%02x", code);
    return obeyed;
}

void rdl__add_harmless(struct rdl__text *out, const char *text)
{
    rdl__add_escaped(out, text, add_control);
}

/* More than JSON asks for: YAML wants all that cannot be printed escaped, and
 * there are readers for whom U+0085 or U+2028 ends a line. */
static bool add_json_special(struct rdl__text *out, uint32_t code)
{
    if (code == '"' || code == '\\')
        rdl__text_add(out, "\\%c", (char)code);
    else if (code == '\n')
        rdl__text_add(out, "\\n");
    else if (code == '\t')
        rdl__text_add(out, "\\t");
    else if (code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
             code == 0xfeff || (code >= RDL__NO_CHARACTER && code <= 0xffff))
        rdl__text_add(out, "\\u%04x", code);
    else
        return false;
    return true;
}

void rdl__add_json_string(struct rdl__text *out, const char *text)
{
    rdl__text_add(out, "\"");
    rdl__add_escaped(out, text, add_json_special);
    rdl__text_add(out, "\"");
}
