/* files.c -- state of the kernel: what is in files, their names, numbers of descriptors. */
#include "state.h"

#include <dirent.h>
#include <poll.h>
#include <sys/mman.h>

static int file;

static void begin_file(void)
{
    own_folder();
    file = open("file", O_RDWR | O_CREAT, 0600);
    assert(file >= 0);
    assert(write(file, "0", 1) == 1);
}

static int read_number(void)
{
    char text[8] = "";

    assert(pread(file, text, 1, 0) == 1);
    return atoi(text);
}

static void file_has_two(void)
{
    assert(read_number() == 2);
}

static void count_by_pread(int me)
{
    char text[16];

    (void)me;
    snprintf(text, sizeof text, "%d", read_number() + 1);
    assert(pwrite(file, text, 1, 0) == 1);
}

/* Both write at the end, which is 1. */
static void append_by_lseek(int me)
{
    (void)me;
    lseek(file, 0, SEEK_SET);
    lseek(file, 1, SEEK_CUR);
    assert(write(file, "x", 1) == 1);
}

static void append_with_own_offset(int me)
{
    assert(pwrite(file, "x", 1, 1 + me) == 1);
}

static void file_is_at_2(void)
{
    assert(lseek(file, 0, SEEK_CUR) <= 2);
}

/* ---- Names ---- */

static void create_if_missing(int me)
{
    (void)me;
    if (access("new", F_OK) != 0)
        assert(open("new", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0);
}

static void remove_if_there(int me)
{
    struct stat status;

    (void)me;
    if (stat("file", &status) == 0)
        assert(unlink("file") == 0);
}

static void make_folder_if_missing(int me)
{
    (void)me;
    if (access("folder", F_OK) != 0)
        assert(mkdir("folder", 0700) == 0);
}

static void make_folder(int me)
{
    (void)me;
    if (mkdir("folder", 0700) != 0)
        assert(errno == EEXIST);
}

static void rename_then_look(int me)
{
    if (me == 0) {
        assert(rename("file", "other") == 0);
        assert(rename("other", "file") == 0);
    } else {
        assert(access("file", F_OK) == 0);
    }
}

static void folders_a_and_b(void)
{
    begin_file();
    assert(mkdir("a", 0700) == 0 && mkdir("b", 0700) == 0);
    assert(close(open("a/0", O_CREAT | O_WRONLY, 0600)) == 0);
    assert(close(open("b/1", O_CREAT | O_WRONLY, 0600)) == 0);
}

static void work_in_folder(int me)
{
    assert(chdir(me ? "b" : "a") == 0);
    assert(access(me ? "1" : "0", F_OK) == 0);
    assert(chdir("..") == 0);
}

static void work_with_paths(int me)
{
    assert(access(me ? "b/1" : "a/0", F_OK) == 0);
}

/* ---- Numbers ---- */

static int shared = -1;

static void open_shared(void)
{
    begin_file();
    shared = open("file", O_RDONLY);
}

/* The number is closed twice, and another may have got it in between. */
static void close_twice(int me)
{
    struct stat status;
    int fd;

    if (me == 0) {
        close(shared);
        close(shared);
    } else {
        fd = open("other", O_CREAT | O_RDWR, 0600);
        assert(fstat(fd, &status) == 0);
        close(fd);
    }
}

static void close_once(int me)
{
    struct stat status;
    int fd;

    if (me == 0) {
        close(shared);
    } else {
        fd = open("other", O_CREAT | O_RDWR, 0600);
        assert(fstat(fd, &status) == 0);
        close(fd);
    }
}

/* ---- Streams ---- */

static FILE *stream;

static void begin_stream(void)
{
    begin_file();
    stream = fopen("file", "r+");
    assert(stream);
}

static void count_in_stream(int me)
{
    int digit;

    (void)me;
    rewind(stream);
    digit = getc(stream);
    rewind(stream);
    fputc(digit + 1, stream);
    fflush(stream);
}

/* Nothing but calls that read: the only thing that changes is how far the stream has got. */
static int first_read[2];

static void begin_reading(void)
{
    own_folder();
    stream = fopen("file", "w");
    fputs("12", stream);
    fclose(stream);
    stream = fopen("file", "r");
    assert(stream);
}

static void read_one(int me)
{
    first_read[me] = fgetc(stream);
}

static void read_if_first(int me)
{
    first_read[me] = me == 0 ? fgetc(stream) : 0;
}

static void the_first_reads_first(void)
{
    assert(first_read[0] == '1');
}

static void own_files(int me)
{
    char name[16], text[16] = "";
    FILE *own;

    snprintf(name, sizeof name, "own%d", me);
    own = fopen(name, "w+");
    assert(own);
    fprintf(own, "%d", me);
    rewind(own);
    assert(fgets(text, sizeof text, own) && atoi(text) == me);
    fclose(own);
}

/* ---- Numbers, links and private mappings ---- */

static void open_folder(int me)
{
    int number;
    DIR *folder;

    if (me == 0) {
        folder = opendir(".");
        closedir(folder);
    } else {
        number = dup(0);
        close(number);
        assert(number == dup(0));
    }
}

/* A number that comes to stand for another file in between. */
static int first, second, copy_of_first;

static void begin_numbers(void)
{
    first = memfd_create("first", 0);
    second = memfd_create("second", 0);
    copy_of_first = dup(first);
}

static void give_number(int me)
{
    if (me == 0)
        assert(dup2(second, first) == first);
    else
        assert(write(first, "a", 1) == 1 && write(first, "b", 1) == 1);
}

static void one_file_has_all(void)
{
    struct stat file;

    assert(fstat(copy_of_first, &file) == 0 && file.st_size != 1);
}

/* A stream writes to the file that its number stands for at that moment. */
static FILE *numbered;
enum { NUMBER = 7, OTHER_NUMBER = 8 };

static void begin_numbered(void)
{
    begin_numbers();
    assert(dup2(first, NUMBER) == NUMBER);
    numbered = fdopen(NUMBER, "w");
    assert(numbered && setvbuf(numbered, NULL, _IONBF, 0) == 0);
}

static void replace_below_stream(int me)
{
    if (me == 0)
        assert(dup2(second, NUMBER) == NUMBER);
    else
        fputc('a', numbered);
}

static void replace_another(int me)
{
    if (me == 0)
        assert(dup2(second, OTHER_NUMBER) == OTHER_NUMBER);
    else if (fputc('a', numbered) == 'a')
        assert(ftruncate(first, 0) == 0);
}

static void close_below_stream(int me)
{
    if (me == 0)
        assert(close(NUMBER) == 0);
    else
        fputc('a', numbered);
}

/* What is spliced comes to one file from another. */
static int from[2], to[2];

static void begin_pipes(void)
{
    assert(pipe(from) == 0 && pipe(to) == 0 && write(from[1], "a", 1) == 1);
}

static void fill_by_splice(int me)
{
    struct pollfd it = {.fd = to[0], .events = POLLIN};

    if (me == 0)
        assert(splice(from[0], NULL, to[1], NULL, 1, 0) == 1);
    else
        assert(poll(&it, 1, 0) == poll(&it, 1, 0));
}

static int linked;

static void begin_links(void)
{
    begin_file();
    linked = open("file", O_RDONLY);
}

static void count_links(int me)
{
    struct stat before, after;

    if (me == 0)
        assert(link("file", "other") == 0);
    else {
        assert(fstat(linked, &before) == 0 && fstat(linked, &after) == 0);
        assert(before.st_nlink == after.st_nlink);
    }
}

static volatile char *page;

static void begin_page(void)
{
    begin_file();
    linked = open("file", O_RDWR);
    assert(write(linked, "a", 1) == 1);
    page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, linked, 0);
}

static void write_below_page(int me)
{
    char before;

    if (me == 0)
        assert(pwrite(linked, "b", 1, 0) == 1);
    else {
        before = *page;
        assert(before == *page);
    }
}

const struct pair file_pairs[] = {
    {.name = "pread", .before = begin_file, .body = count_by_pread, .after = file_has_two},
    {.name = "lseek",
     .before = begin_file,
     .body = append_by_lseek,
     .after = file_is_at_2,
     .right_body = append_with_own_offset},
    {.name = "access", .before = own_folder, .body = create_if_missing},
    {.name = "unlink", .before = begin_file, .body = remove_if_there},
    {.name = "mkdir",
     .before = own_folder,
     .body = make_folder_if_missing,
     .right_body = make_folder},
    {.name = "rename", .before = begin_file, .body = rename_then_look},
    {.name = "chdir",
     .before = folders_a_and_b,
     .body = work_in_folder,
     .right_body = work_with_paths},
    {.name = "close", .before = open_shared, .body = close_twice, .right_body = close_once},
    {.name = "stream", .before = begin_stream, .body = count_in_stream, .after = file_has_two},
    {.name = "reading",
     .before = begin_reading,
     .body = read_one,
     .after = the_first_reads_first,
     .right_body = read_if_first},
    {.name = "opendir", .body = open_folder},
    {.name = "dup2", .before = begin_numbers, .body = give_number, .after = one_file_has_all},
    {.name = "stream_dup2",
     .before = begin_numbered,
     .body = replace_below_stream,
     .after = one_file_has_all,
     .right_body = replace_another},
    {.name = "stream_close",
     .before = begin_numbered,
     .body = close_below_stream,
     .after = one_file_has_all,
     .right_body = replace_another},
    {.name = "splice", .before = begin_pipes, .body = fill_by_splice},
    {.name = "fstat", .before = begin_links, .body = count_links},
    {.name = "private", .before = begin_page, .body = write_below_page, .instrumented = true},
    {.name = "own_files", .before = own_folder, .body = create_if_missing, .right_body = own_files},
    {0},
};
