/* token.c -- raddle token: what a token holds. */
#include "choice/token.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "choice/regress.h"
#include "cli/raddle/commands.h"

static const char usage[] = "Usage: raddle token TOKEN|@FILE\n\n"
                            "Shows which test a token is for, its settings, and its choices.\n";

static void show(const struct rdl__token *token)
{
    printf("test     %s\n", token->name);
    printf("size     %" PRIu32 "\n", token->settings.size);
    printf("limit    %" PRIu32 " choices\n", token->settings.choices_max);
    printf("choices  %" PRIu32 ":", token->count);
    for (uint32_t i = 0; i < token->count; i++)
        printf(" %" PRIu64, token->indexes[i]);
    printf("\n");
}

int rdl__command_token(int argc, char **argv)
{
    struct rdl__token token;
    struct rdl__text text = {0};
    struct rdl__error error;
    bool ok;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    if (argc != 2) {
        fprintf(stderr, "raddle token: which token?  raddle token TOKEN|@FILE\n");
        return RDL__EXIT_SETUP;
    }
    if (argv[1][0] == '@')
        ok = rdl__read_file(&text, argv[1] + 1, &error) &&
             rdl__token_read(&token, rdl__text_string(&text), &error);
    else
        ok = rdl__token_read(&token, argv[1], &error);
    rdl__text_release(&text);
    if (!ok) {
        fprintf(stderr, "raddle token: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    show(&token);
    rdl__token_release(&token);
    return fflush(stdout) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
}
