/* test_regress.c -- files of failing cases lose nothing, whoever writes them. */
#include "choice/regress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static char folder[] = "/tmp/raddle-regress-XXXXXX";
static char path[200];

static void new_folder(void)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/test.raddle", folder);
}

static void remove_folder(void)
{
    int status;

    run(&status, "rm -r %s", folder);
    EXPECT_EQ(status, 0);
}

static char *token_of(const char *name, uint64_t number)
{
    struct rdl__choice choice = {.index = number, .max = UINT64_MAX};
    struct rdl__settings settings = {.size = 100, .choices_max = 100};
    struct rdl__text text = {0};

    rdl__token_write(&text, name, &settings, &choice, 1);
    return text.bytes;
}

static bool add(const char *name, uint64_t number)
{
    char *token = token_of(name, number);
    struct rdl__error error;
    bool ok = rdl__regress_add(path, token, "what\nfailed", &error);

    free(token);
    return ok;
}

static size_t count_entries(size_t *out_damaged)
{
    struct rdl__regress regress;
    struct rdl__error error;
    size_t count;

    EXPECT(rdl__regress_load(&regress, path, &error));
    count = regress.count;
    *out_damaged = 0;
    for (size_t i = 0; i < count; i++)
        *out_damaged += regress.entries[i].damaged;
    rdl__regress_release(&regress);
    return count;
}

TEST(what_is_added_is_found_and_is_there_once)
{
    size_t damaged;

    new_folder();
    EXPECT_EQ(count_entries(&damaged), 0); /* there is no file yet */
    EXPECT(add("one", 1));
    EXPECT(add("two", 2));
    EXPECT(add("one", 1));
    EXPECT_EQ(count_entries(&damaged), 2);
    EXPECT_EQ(damaged, 0);
    remove_folder();
}

TEST(damaged_lines_are_told_and_kept)
{
    struct rdl__regress regress;
    struct rdl__error error;
    struct rdl__text text = {0};
    size_t damaged;
    FILE *file;

    new_folder();
    EXPECT((file = fopen(path, "w")) != NULL);
    fprintf(file, "# a comment\n\nrdl1.x.damaged\n<<<<<<< merge\n");
    fputc(0, file);
    fputc(0xff, file);
    fclose(file); /* and no newline at the end */
    EXPECT(add("good", 1));
    EXPECT_EQ(count_entries(&damaged), 4);
    EXPECT_EQ(damaged, 3);
    EXPECT(rdl__regress_load(&regress, path, &error));
    EXPECT_EQ(regress.entries[0].line, 3);
    EXPECT_CONTAINS(regress.entries[0].why, "damaged");
    EXPECT_STR(regress.entries[3].token.name, "good");
    rdl__regress_release(&regress);
    EXPECT(rdl__read_file(&text, path, &error));
    EXPECT_CONTAINS(text.bytes, "<<<<<<< merge\n");
    rdl__text_release(&text);
    remove_folder();
}

TEST(runs_that_add_at_the_same_time_lose_nothing)
{
    enum { RUNS = 8, EACH = 20 };
    size_t damaged;

    new_folder();
    for (int i = 0; i < RUNS; i++)
        if (fork() == 0) {
            bool ok = true;

            for (int k = 0; k < EACH; k++)
                ok = add("test", (uint64_t)(i * EACH + k)) && ok;
            _exit(!ok);
        }
    for (int i = 0; i < RUNS; i++) {
        int status;

        EXPECT(wait(&status) > 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(count_entries(&damaged), RUNS * EACH);
    EXPECT_EQ(damaged, 0);
    remove_folder();
}

/* A limit on the size of files stands for a full disk: both fail a write. */
TEST(a_full_disk_leaves_the_old_file_and_nothing_else)
{
    struct rdl__text before = {0}, after = {0};
    struct rdl__error error;
    int status, listing;

    new_folder();
    EXPECT(add("one", 1));
    EXPECT(rdl__read_file(&before, path, &error));
    if (fork() == 0) {
        struct rlimit none = {10, 10};

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        _exit(add("two", 2) ? 1 : 0);
    }
    EXPECT(wait(&status) > 0);
    EXPECT_EQ(status, 0);
    EXPECT(rdl__read_file(&after, path, &error));
    EXPECT_STR(after.bytes, before.bytes);
    EXPECT_STR(run(&listing, "ls %s", folder), "test.raddle\n");
    rdl__text_release(&before);
    rdl__text_release(&after);
    remove_folder();
}

TEST(a_file_that_cannot_be_written_is_told)
{
    struct rdl__error error = {""};
    char *token = token_of("x", 1);

    EXPECT(!rdl__regress_add("/no/such/folder/x.raddle", token, "", &error));
    EXPECT_CONTAINS(error.text, "/no/such/folder/x.raddle");
    EXPECT_CONTAINS(error.text, strerror(ENOENT));
    free(token);
}

TEST(the_file_lies_beside_the_source)
{
    struct rdl__text text = {0};

    rdl__regress_path(&text, "tests/queue.c", NULL);
    EXPECT_STR(text.bytes, "tests/queue.raddle");
    rdl__text_clear(&text);
    rdl__regress_path(&text, "queue.test.c", NULL);
    EXPECT_STR(text.bytes, "queue.test.raddle");
    rdl__text_clear(&text);
    rdl__regress_path(&text, "../a/queue.c", "kept");
    EXPECT_STR(text.bytes, "kept/queue.raddle");
    rdl__text_release(&text);
}
