#!/usr/bin/env bash
# run_corners.sh -- state that two threads share without either of them naming it.
#
# In each program, two threads run `one` and `two`, and then main checks that `bad` is not set: in
# some orders it is.  dpor, which leaves orders out, has to find one of these; or the report has to
# say what was not tried.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_corners.sh: $*" >&2
    exit 1
}

cat >before.h <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static atomic_int bad, step;
static int ends[2];
static pthread_t threads[2];
static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void set_bad(int signal) { bad = 1; }
END
cat >after.h <<'END'
int main(void)
{
    BEFORE;
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    AFTER;
    assert(!bad);
    return 0;
}
END

# explore STATUS BEFORE AFTER <THREADS: what it says in one line is in `said`.
explore() {
    local status=0
    { cat before.h && cat && cat after.h; } >program.c
    "$raddle" cc -w -g -O1 -DBEFORE="$2" -DAFTER="$3" program.c -o program
    "$raddle" explore --strategy dpor --seed 1 --schedules 1000 --shrink-time 0 -- ./program \
        >out 2>&1 </dev/null || status=$?
    [ "$status" = "$1" ] || fail "status $status, not $1:" "$(cat program.c out)"
    said=$(tr -s ' \n' '  ' <out)
}

says() { case $said in *"$1"*) ;; *) fail "it does not say '$1':" "$said" ;; esac; }

# ---- Signals that the kernel sends for what a thread does -------------------------------------

explore 1 'assert(pipe(ends) == 0); close(ends[0]); signal(SIGPIPE, SIG_IGN)' '' <<'END'
static void *one(void *it) { signal(SIGPIPE, set_bad); signal(SIGPIPE, SIG_IGN); return it; }
static void *two(void *it) { write(ends[1], "", 1); return it; }
END
explore 1 'signal(SIGSEGV, go_back)' '' <<'END'
static sigjmp_buf back;
static void go_back(int signal) { siglongjmp(back, 1); }
static void tell(int signal) { bad = 1; siglongjmp(back, 1); }
static void *one(void *it) { signal(SIGSEGV, tell); signal(SIGSEGV, go_back); return it; }
static void *two(void *it)
{
    if (!sigsetjmp(back, 1))
        *(volatile int *)16 = 0;
    return it;
}
END

# ---- Names that lead to descriptors, or depend on the umask -----------------------------------

for path in /proc/self/fd/50 /dev/fd/50; do
    explore 1 '' '' <<END
static void *one(void *it) { dup2(0, 50); close(50); return it; }
static void *two(void *it) { bad = access("$path", F_OK) == 0; return it; }
END
done
explore 1 'umask(0)' 'shm_unlink("/sem.raddle-corners")' <<'END'
static void *one(void *it) { umask(077); umask(0); return it; }
static void *two(void *it)
{
    struct stat file;
    sem_open("/raddle-corners", O_CREAT, 0666, 1);
    stat("/dev/shm/sem.raddle-corners", &file);
    bad = (file.st_mode & 0777) != 0666;
    return it;
}
END

# ---- Memory that others describe --------------------------------------------------------------

explore 1 '' '' <<'END'
static void *one(void *it) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); return it; }
static void *two(void *it) { bad = *(volatile int *)&mutex.__data.__owner != 0; return it; }
END
explore 1 '' '' <<'END'
static void *one(void *it) { void *volatile block = malloc(1 << 20); free(block); return it; }
static void *two(void *it) { bad = mallinfo2().hblks != 0; return it; }
END

# ---- Moments that are not tried, and said so --------------------------------------------------

explore 0 '' '' <<'END'
static void *one(void *it) { step = 1; fputs("x\n", stderr); step = 2; return it; }
static void *two(void *it) { pthread_cancel(threads[0]); return it; }
END
says 'Threads were not cancelled at every moment.'
explore 0 '' '' <<'END'
static void *one(void *it)
{
    pthread_mutex_lock(&mutex);
    if (!step)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return it;
}
static void *two(void *it)
{
    pthread_mutex_lock(&mutex);
    step = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_cancel(threads[0]);
    return it;
}
END
says 'Threads were not cancelled at every moment.'
explore 0 'pthread_key_create(&key, free)' '' <<'END'
static void *one(void *it) { pthread_key_delete(key); return it; }
static void *two(void *it) { pthread_setspecific(key, NULL); return it; }
END
says 'Keys were not deleted at every moment.'
explore 0 'time_t begin = time(NULL)' 'bad = time(NULL) > begin + 9' <<'END'
static void *one(void *it) { return it; }
static void *two(void *it) { return it; }
END
says 'Clocks were not read at every moment.'

explore 0 '' 'stdout = usual' <<'END'
static FILE *usual;
static void *one(void *it) { usual = stdout; stdout = stderr; return it; }
static void *two(void *it) { step++; return it; }
END
explore 0 '' 'puts("x")' <<'END'
static void *one(void *it) { stdout = stderr; return it; }
static void *two(void *it) { step++; return it; }
END
says 'Assignments to stdout and stderr were not tried at every moment.'

# ---- The end of the process -------------------------------------------------------------------

# exit() writes what is in buffers, and a thread that is alive then may find it written.
explore 1 'setup()' '' <<'END'
static char path[] = "flushed";
static void setup(void)
{
    FILE *file = fopen(path, "w");
    fputs("x", file);
}
static void *one(void *it) { return it; }
static void *two(void *it) { return it; }
static void *look(void *it)
{
    struct stat file;
    if (stat(path, &file) == 0 && file.st_size > 0)
        _exit(1);
    return it;
}
__attribute__((destructor)) static void end(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
}
END
says 'exited with status 1'

# ---- Executions that do not begin alike, and some that do -------------------------------------

explore 0 'sem_open("/raddle-corners", O_CREAT, 0600, 0)' '' <<'END'
static void *one(void *it) { step++; return it; }
static void *two(void *it) { step++; return it; }
END
rm -f /dev/shm/sem.raddle-corners
says 'they look at sem.raddle-corners, which earlier ones have left changed.'
explore 0 'int it = shmget(0x7add1e, 4096, IPC_CREAT | 0600)' '' <<'END'
static void *one(void *it) { step++; return it; }
static void *two(void *it) { step++; return it; }
END
ipcrm -M 0x7add1e
says 'they use System V objects that were there before.'
explore 0 'int it = shmget(0x7add1e, 4096, IPC_CREAT | 0600)' 'shmctl(it, IPC_RMID, NULL)' <<'END'
static void *one(void *it) { step++; return it; }
static void *two(void *it) { step++; return it; }
END
says 'It does not know all that `shmctl` and `shmget` of libc.so.6 can touch.'
explore 0 'write(ends[1], "", 1)' '' <<'END'
__attribute__((constructor)) static void begin(void) { assert(pipe(ends) == 0); }
static void *one(void *it) { step++; return it; }
static void *two(void *it) { step++; return it; }
END
says 'they use a descriptor that was open before main.'
explore 0 'close(open("timed", O_CREAT, 0600)); utimensat(AT_FDCWD, "timed", NULL, 0)' '' <<'END'
static void *one(void *it) { step++; return it; }
static void *two(void *it) { step++; return it; }
END
says 'they change owners or times of files.'
explore 0 'struct stat file; fstat(1, &file); assert(file.st_size == 0); puts("x")' '' <<'END'
static void *one(void *it) { step++; return it; }
static void *two(void *it) { step++; return it; }
END
says 'all 2 distinguishable schedules'

# ---- Queues and semaphores that the kernel has ------------------------------------------------

# They make threads wait, and put their accesses in order.
open='queue = mq_open("/raddle-corners", O_CREAT | O_RDWR, 0600, &one_int)'
unlink='mq_unlink("/raddle-corners")'
cat >queue.h <<'END'
#include <mqueue.h>
static struct mq_attr one_int = {.mq_maxmsg = 1, .mq_msgsize = sizeof(int)};
static mqd_t queue;
static int number;
static void *one(void *it)
{
    for (int i = 1; i <= 2; i++) {
        if (i == 1)
            number = i;
        assert(mq_send(queue, (char *)&i, sizeof i, 0) == 0);
    }
    return it;
}
static void *two(void *it)
{
    for (int i = 1, got; i <= TIMES; i++) {
        assert(mq_receive(queue, (char *)&got, sizeof got, NULL) == sizeof got);
        assert(got == i && number == 1);
    }
    return it;
}
END
{ echo '#define TIMES 2' && cat queue.h; } >queues
explore 0 "$open" "$unlink" <queues
{ echo '#define TIMES 3' && cat queue.h; } >queues
explore 1 "$open" "$unlink" <queues
says 'deadlock: all threads wait'
rm -f /dev/mqueue/raddle-corners
explore 0 'queue = msgget(IPC_PRIVATE, 0600)' 'msgctl(queue, IPC_RMID, NULL)' <<'END'
#include <sys/msg.h>
static struct { long type; int number; } message = {1, 5};
static int queue, number;
static void *one(void *it)
{
    number = 7;
    assert(msgsnd(queue, &message, sizeof(int), 0) == 0);
    return it;
}
static void *two(void *it)
{
    struct { long type; int number; } got;
    assert(msgrcv(queue, &got, sizeof(int), 1, 0) == sizeof(int) && got.number == 5);
    assert(number == 7);
    return it;
}
END
says 'different orders of the calls that Raddle sees passed.'
explore 0 'set = semget(IPC_PRIVATE, 1, 0600); semctl(set, 0, SETVAL, 1)' \
    'assert(number == 2); semctl(set, 0, IPC_RMID)' <<'END'
#include <sys/sem.h>
static int set, number;
static void change(int by)
{
    struct sembuf operation = {0, by, 0};
    assert(semop(set, &operation, 1) == 0);
}
static void *one(void *it) { change(-1); number++; change(1); return it; }
#define two one
END
says 'different orders of the calls that Raddle sees passed.'

# ---- Memory and files that functions of the C library use ---------------------------------------

# The number of a descriptor is closed and given anew between two uses of it.
explore 0 'number = open("it", O_RDWR | O_CREAT, 0600)' '' <<'END'
static int number;
static void *one(void *it) { close(number); open("/dev/null", O_RDWR); return it; }
static void *two(void *it)
{
    for (int i = 0; i < 2; i++)
        (void)!write(number, "z", 1);
    return it;
}
END
says 'Descriptors were not closed at every moment.'

# What is inlined of getc_unlocked and putc_unlocked uses the stream.
explore 1 'stream = fopen("it", "w"); fputc(0, stream)' '' <<'END'
static FILE *stream;
static void *one(void *it) { putc_unlocked(1, stream); return it; }
static void *two(void *it) { if (ftell(stream) == 1 && ftell(stream) == 2) bad = 1; return it; }
END

# A function of streams reads a page that is mapped, too; and a buffer at a time.
cat >pages.h <<'END'
#include <sys/mman.h>
static _Atomic char *page;
static FILE *stream;
static int fill(int byte)
{
    static char bytes[6000];
    int fd = open("pages", O_RDWR | O_CREAT, 0600);
    memset(bytes, byte, sizeof bytes);
    (void)!pwrite(fd, bytes, sizeof bytes, 0);
    return fd;
}
END
{ cat pages.h && cat <<'END'; } >code
static void *one(void *it) { page[0] = 1; page[0] = 0; return it; }
static void *two(void *it) { bad = getc(stream) == 1; return it; }
END
explore 1 'page = mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fill(0), 0); stream = fopen("pages", "r")' \
    '' <code
{ cat pages.h && cat <<'END'; } >code
static char bytes[6000];
static void *one(void *it) { close(fill(1)); return it; }
static void *two(void *it) { (void)!fread(bytes, 1, sizeof bytes, stream); return it; }
END
explore 0 'close(fill(0)); stream = fopen("pages", "r")' '' <code
says 'Functions of streams were not interrupted between two of their system calls.'

# Objects are made ready while another thread uses them already.
explore 1 'pthread_create(&third, NULL, post, NULL); sem_init(&count, 0, 0)' \
    'sem_wait(&count)' <<'END'
static sem_t count;
static pthread_t third;
static void *post(void *it) { sem_post(&count); return it; }
static void *one(void *it) { return it; }
static void *two(void *it) { return it; }
END
# Opening a file makes it empty, whatever there is in it, or looks for its end.
for mode in w a; do
    explore 1 'number = open("opened", O_RDWR | O_CREAT | O_TRUNC, 0600)' "$(
        echo "fstat(number, &file); bad = mode[0] == 'w' ? file.st_size == 0 : end == 1")" <<END
static const char mode[] = "$mode";
static int number, end;
static struct stat file;
static void *one(void *it) { end = (int)ftell(fopen("opened", mode)); return it; }
static void *two(void *it) { (void)!write(number, "x", 1); return it; }
END
done
# A file loses pages that are mapped; a descriptor is closed before it is mapped.
{ cat pages.h && cat <<'END'; } >code
static int seen;
static void *one(void *it) { (void)!truncate("pages", 1); return it; }
static void *two(void *it) { seen = page[5]; return it; }
END
explore 1 'page = mmap(NULL, 6000, PROT_WRITE, MAP_SHARED, fill(1), 0)' 'bad = seen == 0' <code
{ cat pages.h && cat <<'END'; } >code
static int number;
static void *one(void *it) { close(number); return it; }
static void *two(void *it)
{
    bad = mmap(NULL, 6000, PROT_READ, MAP_SHARED, number, 0) == MAP_FAILED;
    return it;
}
END
explore 1 'number = fill(1)' '' <code

# stdout is a variable, which functions without a stream read.
explore 1 'usual = stdout' '' <<'END'
static FILE *usual;
static void *one(void *it) { stdout = stderr; stdout = usual; return it; }
static void *two(void *it) { printf("%s", "it"); return it; }
END
says 'data race'

# Functions that wait fill memory afterwards.
explore 0 '(void)!pipe(ends); stream = fdopen(ends[0], "r")' '' <<'END'
static FILE *stream;
static char line[8];
static void *one(void *it) { line[0] = 'q'; (void)!write(ends[1], "it\n", 3); return it; }
static void *two(void *it)
{
    assert(fgets(line, sizeof line, stream) && line[0] == 'i');
    return it;
}
END
explore 0 'pthread_create(&third, NULL, tell, NULL)' \
    'void *got; pthread_join(third, &got); assert(got == &result)' <<'END'
static void *result;
static pthread_t third;
static void *tell(void *it) { result = &result; return &result; }
static void *one(void *it) { return it; }
static void *two(void *it) { return it; }
END
# Others read no more than they need.
explore 0 '' '' <<'END'
#include <strings.h>
static struct { char name[4], text[8]; int other; } it = {"ab", "xyzuvw", 0};
static char copy[64];
static void *one(void *unused)
{
    memccpy(copy, it.name, 0, sizeof copy);
    return strcasecmp(it.text, "abc") > 0 ? unused : NULL;
}
static void *two(void *unused) { it.text[6] = 'z'; it.other++; return unused; }
END
says 'the only distinguishable schedule'
# A function that the C library is given tells others.
explore 1 '' '' <<'END'
static int numbers[2] = {2, 1};
static volatile int seen;
static int compare(const void *left, const void *right)
{
    step = 1;
    return *(int *)left - *(int *)right;
}
static void *one(void *it) { qsort(numbers, 2, sizeof *numbers, compare); return it; }
static void *two(void *it) { if (step) seen = numbers[0]; return it; }
END
says 'data race'

# A function of the program's own has the name of one that reads a text.
cat >own.c <<'END'
struct node { long number; char text[8]; int other; };
void unlink(struct node *it);
void unlink(struct node *it) { it->number++; }
END
cat >uses.c <<'END'
#include <pthread.h>
struct node { long number; char text[8]; int other; };
void unlink(struct node *it);
static struct node node = {0, "1234567", 1};
static void *run(void *it) { unlink(&node); return it; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    node.other++;
    return pthread_join(thread, NULL);
}
END
"$raddle" cc -g -O0 -w own.c uses.c -o own
"$raddle" explore --seed 1 -- ./own >out 2>&1 </dev/null || fail "its own unlink:" "$(cat out)"

# A stream of C++'s reads the text that it is given.
cat >prints.cc <<'END'
#include <sstream>
#include <string>
#include <thread>
int main()
{
    std::ostringstream out;
    std::string text = "it";
    std::thread writer([&] { text[0] = 'x'; }), reader([&] { out << text; });
    writer.join();
    reader.join();
}
END
RADDLE_CC=g++ "$raddle" cc -g -O1 prints.cc -o prints
! "$raddle" explore --seed 1 -- ./prints >out 2>&1 </dev/null || fail "no race:" "$(cat out)"
grep -q 'data race' out || fail "no race:" "$(cat out)"

# What a test writes to texts of the environment is put back, and it is told of memory that is not.
cat >kept.c <<'END'
#include <raddle.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#ifdef SEGMENT
static char *text;
__attribute__((constructor)) static void attach(void)
{
    int it = shmget(IPC_PRIVATE, 4096, 0600);
    text = shmat(it, NULL, 0);
    shmctl(it, IPC_RMID, NULL);
}
#else
#define text getenv("PATH")
#endif
static void nothing(void *unused) { (void)unused; }
RDL_EXPLORE(is_first_again)
{
    struct rdl_thread *one = rdl_spawn(t, "one", nothing, NULL);
    struct rdl_thread *two = rdl_spawn(t, "two", nothing, NULL);
#ifndef SEGMENT
    rdl_check_ne(text[0], '!');
#endif
    text[0] = '!';
    rdl_join(one);
    rdl_join(two);
}
RDL_MAIN
END
for segment in '' -DSEGMENT; do
    "$raddle" cc -g $segment -I"$SOURCE/include" kept.c -o kept -L"$BUILD/lib" \
        -Wl,-rpath,"$BUILD/lib" -lraddle
    ./kept --seed 1 --regressions none >out 2>&1 || fail "kept.c:" "$(cat out)"
done
said=$(tr -s ' \n' '  ' <out)
says 'shared memory that was there before keeps its contents'

# ---- As without Raddle ------------------------------------------------------------------------

explore 0 'assert(strcmp(name(), "program") == 0); prctl(PR_SET_NAME, "it")' \
    'read(open("/proc/self/comm", O_RDONLY), text, 9); assert(!memcmp(text, "it\n", 3))' <<'END'
static char text[16];
static char *name(void)
{
    pthread_getname_np(pthread_self(), text, sizeof text);
    return text;
}
static void *one(void *it) { assert(strcmp(name(), "it") == 0); return it; }
static void *two(void *it) { return it; }
END
# A thread may join main, which has left by pthread_exit.
explore 0 'main_thread = pthread_self(); pthread_create(&joiner, NULL, join_main, NULL)' \
    'pthread_exit(&step)' <<'END'
static pthread_t main_thread, joiner;
static void *join_main(void *it)
{
    void *result = NULL;
    assert(pthread_join(main_thread, &result) == 0 && result == &step);
    return it;
}
static void *one(void *it) { return it; }
static void *two(void *it) { return it; }
END
says 'Main was not left by pthread_exit at every moment.'
explore 2 '' '' <<'END'
static void *one(void *it) { return it; }
static void *two(void *it) { return it; }
__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
}
END
says 'the program starts a thread before main'
