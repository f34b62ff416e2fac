/* test_report_places.c -- where reports go: files, links, pipes, full disks. */
#include "harness.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reports.h"

TEST(several_reports_are_written_at_once)
{
    static const char *const formats[] = {"tap", "junit", "json", "html", "human"};
    struct rdl__report reports[5];
    struct rdl__listeners listeners = {.count = 5};
    struct rdl__result *result = failing_result(1);
    struct rdl__listener all;
    struct rdl__error error;
    char *paths[5];

    for (int i = 0; i < 5; i++) {
        paths[i] = fresh_path("report");
        EXPECT(rdl__report_open(&reports[i], formats[i], paths[i], &error));
        listeners.items[i] = rdl__report_listener(&reports[i], &(struct rdl__looks){0});
    }
    all = rdl__report_many(&listeners);
    all.test_started(all.self, result->test);
    tell(&all, &result, 1, 1);
    for (int i = 0; i < 5; i++) {
        EXPECT(rdl__report_close(&reports[i], &error));
        EXPECT_CONTAINS(contents(paths[i]), "rdl_check_eq(sum(xs), 2)");
        remove_folder_of(paths[i]);
    }
}

TEST(lines_go_out_when_their_test_ends)
{
    static const char *const formats[] = {"tap", "json"};

    for (int i = 0; i < 2; i++) {
        char *path = fresh_path("report");
        struct rdl__report report;
        struct rdl__listener listener;
        struct rdl__error error;

        EXPECT(rdl__report_open(&report, formats[i], path, &error));
        listener = rdl__report_listener(&report, NULL);
        listener.run_started(listener.self, &plan, 2);
        listener.test_ended(listener.self, failing_result(1));
        EXPECT_CONTAINS(contents(path), "adds_up");
        EXPECT(rdl__report_close(&report, &error));
        remove_folder_of(path);
    }
}

TEST(a_document_is_whole_or_not_there)
{
    char *path = fresh_path("report.xml");
    struct rdl__report report;
    struct rdl__listener listener;
    struct rdl__error error;

    EXPECT(rdl__report_open(&report, "junit", path, &error));
    listener = rdl__report_listener(&report, NULL);
    listener.run_started(listener.self, &plan, 2);
    listener.test_ended(listener.self, failing_result(1));
    EXPECT(rdl__report_close(&report, &error));
    EXPECT_STR(run(NULL, "ls -A \"$(dirname '%s')\"", path), "");
    remove_folder_of(path);
}

TEST(a_document_goes_where_a_link_points)
{
    char *path = fresh_path("link");
    struct rdl__result *result = failing_result(1);
    struct rdl__error error;

    run(NULL, "cd \"$(dirname '%s')\" && touch real && ln -s real link", path);
    EXPECT(write_to(path, "html", &result, 1, 1, &error));
    EXPECT_CONTAINS(run(NULL, "cat \"$(dirname '%s')/real\"", path), "</html>");
    EXPECT_STR(run(NULL, "readlink '%s'", path), "real\n");
    remove_folder_of(path);
}

TEST(a_place_that_cannot_be_written_is_told_at_once)
{
    static const char *const formats[] = {"tap", "json", "junit", "html"};
    struct rdl__report report;
    struct rdl__error error;

    for (int i = 0; i < 4; i++) {
        EXPECT(!rdl__report_open(&report, formats[i], "/nowhere/at/all", &error));
        EXPECT_STR(error.text, "cannot write /nowhere/at/all: No such file or directory");
        EXPECT(!rdl__report_open(&report, formats[i], "/tmp", &error));
        EXPECT_STR(error.text, "cannot write /tmp: Is a directory");
        EXPECT(!rdl__report_open(&report, formats[i], "", &error));
    }
    EXPECT(!rdl__report_open(&report, "yaml", NULL, &error));
    EXPECT_STR(error.text, "unknown format yaml: it can be human, tap, junit, json or html");
}

/* Documents are not given the path: were they to replace the device, as the
 * superuser they could. */
TEST(a_full_disk_is_told_in_the_end)
{
    static const char *const formats[] = {"tap", "json", "human", "junit", "html"};
    int full = open("/dev/full", O_WRONLY), output = dup(STDOUT_FILENO);
    struct rdl__result *result = failing_result(1);
    struct rdl__error errors[5];
    bool ok = false;

    EXPECT(full >= 0 && output >= 0);
    fflush(stdout);
    dup2(full, STDOUT_FILENO);
    for (int i = 0; i < 5; i++)
        ok = write_to(NULL, formats[i], &result, 1, 1, &errors[i]) || ok;
    dup2(output, STDOUT_FILENO);
    EXPECT(!ok);
    for (int i = 0; i < 5; i++)
        EXPECT_STR(errors[i].text, "cannot write to standard output: No space left on device");
    EXPECT(!write_to("/dev/full", "tap", &result, 1, 1, &errors[0]));
    EXPECT_STR(errors[0].text, "cannot write /dev/full: No space left on device");
    close(full);
    close(output);
}

TEST(a_document_does_not_take_the_place_of_a_pipe)
{
    char *path = fresh_path("pipe");
    struct rdl__result *result = failing_result(1);
    struct rdl__error error;
    struct stat status;
    char head[6] = "";
    int reader;

    EXPECT(mkfifo(path, 0600) == 0);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    EXPECT(write_to(path, "junit", &result, 1, 1, &error));
    EXPECT(stat(path, &status) == 0 && S_ISFIFO(status.st_mode));
    EXPECT_EQ(read(reader, head, 5), 5);
    EXPECT_STR(head, "<?xml");
    close(reader);
    remove_folder_of(path);
}

TEST(a_reader_that_went_away_is_told_and_does_not_end_us)
{
    struct rdl__result *result = failing_result(1);
    struct rdl__report report;
    struct rdl__listener listener;
    struct rdl__error error;
    char path[64];
    int ends[2];

    EXPECT(pipe(ends) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    EXPECT(rdl__report_open(&report, "tap", path, &error));
    close(ends[0]);
    listener = rdl__report_listener(&report, NULL);
    tell(&listener, &result, 1, 1);
    EXPECT(!rdl__report_close(&report, &error));
    EXPECT_CONTAINS(error.text, "Broken pipe");
    close(ends[1]);
}

/* Whoever shares our standard output may have made it so. */
TEST(a_pipe_that_does_not_block_gets_everything_all_the_same)
{
    struct rdl__result *result = failing_result(1);
    struct rdl__failure failure = plain_failures[0];
    struct rdl__text output = {0};
    int ends[2], status;
    pid_t writer;

    for (int i = 0; i < 300000; i++)
        rdl__text_add(&output, "x");
    failure.output = output.bytes;
    result->failures = &failure;
    EXPECT(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    writer = fork();
    if (writer == 0) {
        struct rdl__error error;

        dup2(ends[1], STDOUT_FILENO);
        _exit(!write_to(NULL, "json", &result, 1, 1, &error));
    }
    close(ends[1]);
    EXPECT_STR(run(NULL, "sleep 0.1; tail -c 21 <&%d", ends[0]), "x\"}],\"suspected\":[]}\n");
    close(ends[0]);
    EXPECT(waitpid(writer, &status, 0) == writer && status == 0);
    rdl__text_release(&output);
}
