#!/usr/bin/env bash
# run_begins.sh -- memory that outlives an execution is put back, or the report names it.
#
# In each test, one thread sets what another one looks at, and the check fails if the look came
# first.  Test `first` fails in its first execution; test `second` passes in its first one, and must
# fail in a later one although an earlier execution has set the variable.
set -eu
# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77
. "$SOURCE/tests/helpers/facts.sh"

printf '#include <%s>\n' raddle.h semaphore.h sys/mman.h >included.h
cat >tests.h <<'END'
static void run(struct rdl_case *t, void (*one)(void *), void (*two)(void *))
{
    struct rdl_thread *a = rdl_spawn(t, "a", one, NULL), *b = rdl_spawn(t, "b", two, NULL);

    rdl_join(a);
    rdl_join(b);
    rdl_check(seen == 1);
}
RDL_EXPLORE(first, .fixture = FIXTURE) { run(t, look, set); }
RDL_EXPLORE(second, .fixture = FIXTURE) { run(t, set, look); }
MAIN
END

# begins NAME: compile the tests of this source.
begins() {
    { cat common.h included.h && cat && cat tests.h; } >"$1.c"
    "$raddle" cc -g "$1.c" -o "$1" -I"$SOURCE/include" -L"$BUILD/lib" \
        -Wl,-rpath,"$BUILD/lib" -lraddle
}

# run NAME TEST STATUS: by three strategies.
run() {
    local status
    for strategy in portfolio dpor dfs; do
        status=0
        "./$1" --seed 1 --regressions none --strategy $strategy --filter="=$2" >out 2>&1 ||
            status=$?
        said=$(tr -s ' \n' '  ' <out)
        [ "$status" = "$3" ] || fail "$1, $2, by $strategy: status $status:" "$said"
        case $status in
        0) says 'Executions do not begin alike: ' ;;
        1) says 'rdl_check(seen == 1)' ;;
        esac
    done
}

# Variables of functions that call rdl_main are put back.
begins frames <<'END'
static atomic_int *at;
static int seen;
static void set(void *it) { (void)it; *at = 1; }
static void look(void *it) { (void)it; seen = *at; }
#define FIXTURE NULL
#define MAIN                                                                                       \
    int main(int count, char **words)                                                              \
    {                                                                                              \
        atomic_int here = 0;                                                                       \
        at = &here;                                                                                \
        return rdl_main(count, words);                                                             \
    }
END
run frames first 1
run frames second 1

# So is private memory that was mapped by number before any execution; shared memory is not.
for how in PRIVATE SHARED; do
    sed "s/HOW/$how/" <<'END' | begins mapped
static atomic_int *at;
static int seen;
static void set(void *it) { (void)it; *at = 1; }
static void look(void *it) { (void)it; seen = *at; }
static void map(void)
{
    at = (atomic_int *)syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE,
                               MAP_HOW | MAP_ANONYMOUS, -1, 0);
}
static const struct rdl_fixture fixture = {.setup_once = map};
#define FIXTURE &fixture
#define MAIN RDL_MAIN
END
    run mapped first 1
    [ $how = SHARED ] || run mapped second 1
done
run mapped second 0

# The C library maps a named semaphore, and says nothing of it.
begins semaphore <<'END'
static sem_t *it;
static int seen;
static void set(void *unused) { (void)unused; sem_post(it); }
static void look(void *unused) { int now; (void)unused; sem_getvalue(it, &now); seen = now > 0; }
static void open_it(void)
{
    char name[32];

    snprintf(name, sizeof name, "/begins-%d", getpid());
    it = sem_open(name, O_CREAT, 0600, 0);
    sem_unlink(name);
}
static const struct rdl_fixture fixture = {.setup_once = open_it};
#define FIXTURE &fixture
#define MAIN RDL_MAIN
END
run semaphore first 1
run semaphore second 0

# ---- Programs: what a constructor has mapped is there in all copies ----------------------------

for how in SEMAPHORE NUMBER SEGMENT; do
    build constructor -D$how <<'END'
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/shm.h>
static atomic_int *at;
static sem_t *it;
__attribute__((constructor)) static void map(void)
{
#if defined SEMAPHORE
    char name[32];

    snprintf(name, sizeof name, "/begins-%d", getpid());
    it = sem_open(name, O_CREAT, 0600, 0);
    sem_unlink(name);
#elif defined NUMBER
    at = (atomic_int *)syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
#else
    int number = shmget(IPC_PRIVATE, 4096, 0600);
    at = shmat(number, NULL, 0);
    shmctl(number, IPC_RMID, NULL);
#endif
}
static int seen = 1;
static void *look(void *unused)
{
    if (it)
        sem_getvalue(it, &seen);
    else
        seen = *at;
    return unused;
}
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, look, NULL);
    if (it)
        sem_post(it);
    else
        *at = 1;
    pthread_join(thread, NULL);
    return seen == 0;
}
END
    explore constructor
    says 'Executions do not begin alike: they share memory that was mapped before main.'
done

# ---- Ends and waits -----------------------------------------------------------------------------

# The process ends by number: the status is that of whoever is first.
build ends <<'END'
static void *end(void *it) { syscall(SYS_exit_group, 9); return it; }
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, end, NULL);
    syscall(SYS_exit_group, 0);
}
END
explore ends 1
says 'exited with status 9'

# A signal comes after the look, and before the wait for it.
build pauses <<'END'
static pthread_t first;
static volatile sig_atomic_t got;
static void note(int signal) { got = signal; }
static void *send(void *it) { pthread_kill(first, SIGUSR1); return it; }
int main(void)
{
    pthread_t thread;

    first = pthread_self();
    signal(SIGUSR1, note);
    pthread_create(&thread, NULL, send, NULL);
    if (!got)
        pause();
    return pthread_join(thread, NULL);
}
END
for strategy in dfs dpor random portfolio; do
    ! "$raddle" explore --seed 1 --strategy $strategy --schedules 1000 -- ./pauses \
        >out 2>&1 </dev/null || fail "pauses, by $strategy:" "$(cat out)"
    grep -q 'main waits for a signal' out || fail "pauses, by $strategy:" "$(cat out)"
done
