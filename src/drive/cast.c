/* cast.c -- are the components of a test well chosen?  Who is real, who plays, who is mocked. */
#include <stdarg.h>
#include <string.h>

#include "drive/stage.h"
#include "raddle/cluster.h"

__attribute__((format(printf, 3, 4))) static bool
wrong(const struct rdl_test *test, struct rdl__error *error, const char *format, ...)
{
    struct rdl__text text = {0};
    va_list args;

    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    rdl__fail(error, "%s:%d: %s: %s", test->file, test->line, test->name, rdl__text_string(&text));
    rdl__text_release(&text);
    return false;
}

static bool check_names(const struct rdl_test *test, const char *const *names,
                        struct rdl__error *error)
{
    uint32_t count = 0;

    for (; names && *names; names++, count++)
        if (!rdl__spec_named(*names))
            return wrong(test, error, "there is no spec called %s in this program", *names);
    return count <= RDL__COMPONENTS_MAX ||
           wrong(test, error, "at most %d specs are possible in it", RDL__COMPONENTS_MAX);
}

/* A spec that plays has to know its answers. */
static bool can_play(const struct rdl_test *test, const struct rdl_spec *spec,
                     struct rdl__error *error)
{
    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i)->judge)
            return wrong(test, error,
                         "spec %s cannot play: it has an operation with .judge, which tells right "
                         "answers from wrong ones but makes none (.post, or .post_any)",
                         spec->name);
    return rdl__spec_check(spec, true, error);
}

static bool can_all_play(const struct rdl_test *test, const char *const *names,
                         struct rdl__error *error)
{
    for (; names && *names; names++)
        if (!can_play(test, rdl__spec_named(*names), error))
            return false;
    return true;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

bool rdl__is_real(const struct rdl_options *options, const struct rdl_spec *spec)
{
    if (!options->cluster)
        return options->spec == spec;
    return options->real && is_one_of(spec->name, options->cluster->specs) &&
           (strcmp(options->real, "all") == 0 || strcmp(options->real, spec->name) == 0);
}

static bool check_cluster(const struct rdl_test *test, struct rdl__error *error)
{
    const struct rdl_options *options = &test->options;
    const char *const *names = options->cluster->specs;

    if (!names || !*names)
        return wrong(test, error, "cluster %s has no components: RDL_CLUSTER names them",
                     options->cluster->name);
    if (!check_names(test, names, error) || !check_names(test, options->mocked, error))
        return false;
    for (const char *const *name = names; *name; name++)
        if (is_one_of(*name, name + 1))
            return wrong(test, error, "cluster %s has %s twice", options->cluster->name, *name);
    if (options->stand_ins)
        return wrong(test, error,
                     "in a cluster all play that are not .real: .stand_ins is for tests of one "
                     "component");
    if (options->real && strcmp(options->real, "all") != 0 && !is_one_of(options->real, names))
        return wrong(test, error,
                     ".real is \"%s\", which is neither a component of the cluster "
                     "nor \"all\"",
                     options->real);
    for (; *names; names++) {
        const struct rdl_spec *spec = rdl__spec_named(*names);

        if (rdl__is_real(options, spec) ? !rdl__spec_check(spec, false, error)
                                        : !can_play(test, spec, error))
            return false;
    }
    return true;
}

bool rdl__plays(const struct rdl_options *options, const char *spec)
{
    if (options->cluster)
        return is_one_of(spec, options->cluster->specs) &&
               !rdl__is_real(options, rdl__spec_named(spec));
    return options->stand_ins && is_one_of(spec, options->stand_ins);
}

static bool check_deviation(const struct rdl_test *test, struct rdl__error *error)
{
    const char *text = test->options.deviation;
    struct rdl__error why;

    if (!text)
        return true;
    if (!rdl__deviation_check(text, &why))
        return wrong(test, error, "%s", why.text);
    return rdl__deviation_plays(text, test) ||
           wrong(test, error, "the deviation '%s' is of no spec that plays in it", text);
}

bool rdl__cast_check(const struct rdl_test *test, struct rdl__error *error)
{
    const struct rdl_options *options = &test->options;

    if (options->calls.max && options->calls.max < options->calls.min)
        return wrong(test, error, ".calls is {%u, %u}: at least the one, at most the other",
                     options->calls.min, options->calls.max);
    if (options->cluster)
        return check_cluster(test, error) && check_deviation(test, error);
    return check_names(test, options->stand_ins, error) &&
           check_names(test, options->mocked, error) &&
           can_all_play(test, options->stand_ins, error) && check_deviation(test, error);
}
