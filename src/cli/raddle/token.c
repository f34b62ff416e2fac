/* token.c -- raddle token: what a token holds. */
#include "choice/token.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/raddle/commands.h"

static const char usage[] = "Usage: raddle token TOKEN|@FILE\n\n"
                            "Shows which test a token is for, its settings, and its choices.\n";

static void show(const struct rdl__token *token)
{
    printf("test     %s\n", token->name);
    printf("size     %" PRIu32 "\n", token->settings.size);
    printf("limit    %" PRIu32 " choices\n", token->settings.choices_max);
    if (token->settings.volatiles)
        printf("volatile %s\n", rdl__volatile_name(token->settings.volatiles));
    printf("choices  %" PRIu32 ":", token->count);
    for (uint32_t i = 0; i < token->count; i++)
        printf(" %" PRIu64, token->indexes[i]);
    printf("\n");
}

int rdl__command_token(int argc, char **argv)
{
    struct rdl__token token;
    struct rdl__error error;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    if (argc < 2) {
        fprintf(stderr, "raddle token: which token?  raddle token TOKEN|@FILE\n");
        return RDL__EXIT_SETUP;
    }
    if (argc > 2) {
        fprintf(stderr, "raddle token: one token at a time; what is '%s'?\n", argv[2]);
        return RDL__EXIT_SETUP;
    }
    if (!rdl__read_token(&token, argv[1], &error)) {
        fprintf(stderr, "raddle token: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    show(&token);
    rdl__token_release(&token);
    return fflush(stdout) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
}
