#!/usr/bin/env bash
# run_facts.sh -- facts that end a claim are named truthfully, and are not met where they are none.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77
. "$SOURCE/tests/helpers/facts.sh"

# ---- Assembly ---------------------------------------------------------------------------------

# There is nobody to compile it in another way.
build state <<'END'
static char state[512] __attribute__((aligned(16)));
static void *save(void *it) { __asm__ volatile("fxsave %0" : "=m"(state)); return it; }
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, save, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
explore state
says 'It does not know all that assembly in `save` can touch.'
silent 'compile'

# Labels of assembler files have names, whether or not the file says what they are.
cat >labels.s <<'END'
    .data
count: .long 0
    .text
    .globl add
add:
    incl count(%rip)
    ret
    .section .note.GNU-stack,"",@progbits
END
gcc -c labels.s -o labels.o
build labels labels.o <<'END'
void add(void);
static void *run(void *it) { add(); return it; }
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, NULL);
    add();
    pthread_join(thread, NULL);
    return 0;
}
END
explore labels
says 'It did not see what `add` of labels does between them'

# ---- Other processes -------------------------------------------------------------------------

for way in 'fork() == 0 ? _exit(0) : (void)wait(NULL)' '(void)!system("true")' \
    'pclose(popen("true", "r"))' 'if (syscall(SYS_clone, 17, 0, 0, 0, 0) == 0) _exit(0)'; do
    build process <<END
static void *nothing(void *it) { return it; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    $way;
    return pthread_join(thread, NULL);
}
END
    explore process
    says 'It did not control `'
    says ', which the program started'
    silent ' of (null)'
done

# ---- printf ----------------------------------------------------------------------------------

build numbered <<'END'
static char buffer[20];
static void *print(void *it)
{
    int number;
    snprintf(buffer, sizeof buffer, "%2$s %1$d", 3, "x");
    sscanf("1", "%1$d", &number);
    return it;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, print, NULL);
    return pthread_join(thread, NULL);
}
END
explore numbered
says '`printf with numbered arguments` and `scanf with numbered arguments` can touch'

# ---- The end of a thread ---------------------------------------------------------------------

for level in -O0 -O2; do
    build tried $level <<'END'
static void *nothing(void *it) { return it; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    if (pthread_tryjoin_np(thread, NULL) != 0)
        pthread_join(thread, NULL);
    return 0;
}
END
    explore tried
    says 'all 2 distinguishable schedules'

    # A thread that is alive when the process ends is seen as before.
    build alive $level <<'END'
static atomic_int steps;
static void *run(void *it) { steps = 1; steps = 2; return it; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
    return 0;
}
END
    explore alive
    says 'all 4 distinguishable schedules'
done

build team -fopenmp <<'END'
int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        sum++;
    }
    return sum != 2;
}
END
explore team
silent 'did not see'

# ---- Libraries that a program loads ----------------------------------------------------------

gcc -g -shared -fPIC -o late.so -x c - <<'END'
static int count;
int get(void) { return count; }
void set(int to) { count = to; }
END
build loads <<'END'
static int (*get)(void);
static void (*set)(int);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *it)
{
    pthread_mutex_lock(&lock);
    set(get() + 1);
    pthread_mutex_unlock(&lock);
    return it;
}
int main(void)
{
    void *library = dlopen("./late.so", RTLD_NOW);
    pthread_t thread;
    *(void **)&get = dlsym(library, "get");
    *(void **)&set = dlsym(library, "set");
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    return get() != 2;
}
END
explore loads
says '`get` and `set` of late.so'

# Their names may be like those of libraries that Raddle knows.
for name in libm.sound.so libartisan.so; do
    cp late.so $name
    sed "s/late.so/$name/" loads.c | grep -v '^#' | build similar
    explore similar
    says "\`get\` and \`set\` of $name"
done

# One that makes system calls itself is controlled all the same.
cat >pool.c <<'END'
static long futex(int *word, long what, long value)
{
    register long limit __asm__("r10") = 0;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(202L), "D"(word), "S"(what), "d"(value), "r"(limit)
                     : "rcx", "r11", "memory");
    return result;
}
void await(int *word) { while (!__atomic_load_n(word, 5)) futex(word, 0, 0); }
void wake(int *word) { __atomic_store_n(word, 1, 5); futex(word, 1, 1); }
END
gcc -g -O1 -shared -fPIC pool.c -o libpthreadpool.so
build pool ./libpthreadpool.so <<'END'
void await(int *word);
void wake(int *word);
static int word;
static void *sleeper(void *it) { await(&word); return it; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    wake(&word);
    pthread_join(thread, NULL);
    return 0;
}
END
explore pool

# ---- Threads that are no threads, or are detached --------------------------------------------

build cloned <<'END'
static int count;
static int add(void *it) { count++; return it != NULL; }
int main(void)
{
    char *stack = malloc(65536);
    clone(add, stack + 65536, CLONE_VM | 17, NULL);
    return wait(NULL) < 0;
}
END
explore cloned
says 'It did not control `a thread made by clone`'
silent 'was ever started'

# The thread may be detached when it is joined.
build detached <<'END'
static void *detach(void *it) { pthread_detach(pthread_self()); return it; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, detach, NULL);
    assert(pthread_join(thread, NULL) == 0);
    return 0;
}
END
explore detached 1
says 'assert(pthread_join(thread, NULL) == 0)'

# A thread that joins its own child may get anywhere before the process ends.
build child <<'END'
static _Atomic int said;
static void *child(void *it) { return it; }
static void *parent(void *it)
{
    pthread_t thread;

    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    said = 1;
    return it;
}
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, parent, NULL);
    assert(!said);
    return 0;
}
END
explore child 1
says 'assert(!said)'

# ---- Threads ----------------------------------------------------------------------------------

# A thread that the system refuses is not one that the program never started.
build refused <<'END'
#include <sys/resource.h>
static void *run(void *it) { return it; }
int main(void)
{
    struct rlimit little = {1 << 20, 1 << 20};
    pthread_t thread;

    syscall(SYS_setrlimit, RLIMIT_AS, &little); /* which Raddle's memory counts against, too */
    return pthread_create(&thread, NULL, run, NULL) != EAGAIN;
}
END
explore refused
says 'The system refused to start some threads.'
silent 'nothing to schedule'

# A thread that has ended is gone: nobody can send it a signal.
build gone <<'END'
static atomic_int number;
static void *run(void *it)
{
    number = gettid();
    return it;
}
int main(void)
{
    pthread_t thread;
    int it;

    pthread_create(&thread, NULL, run, NULL);
    it = number;
    assert(it == 0 || tgkill(getpid(), it, 0) == 0);
    pthread_join(thread, NULL);
    return 0;
}
END
explore gone 1
says 'tgkill(getpid(), it, 0)'

# /proc shows threads, and some of them are Raddle's.
build shown -DPATH=NULL <<'END'
static void *run(void *it) { return it; }
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, NULL);
    if (PATH)
        close(open(PATH, O_RDONLY));
    pthread_join(thread, NULL);
    return 0;
}
END
for with in '"/proc/self/status"' '"/proc/self/task"'; do
    "$raddle" cc -g -DPATH="$with" shown.c -o shown
    explore shown
    says "Files below /proc showed threads of Raddle's, too."
done
"$raddle" cc -g -DPATH='"/proc/self/exe"' shown.c -o shown
explore shown
silent 'Files below'

# ---- The environment --------------------------------------------------------------------------

# The text that putenv is given is part of the environment, and anybody may write to it.
build kept -DWHICH=text -DAT=7 <<'END'
static char text[] = "COLOUR=red";
static void *run(void *it)
{
    text[AT] = 'K';
    return it;
}
int main(void)
{
    pthread_t thread;

    putenv(WHICH);
    pthread_create(&thread, NULL, run, NULL);
    (void)getenv("COLOUR");
    pthread_join(thread, NULL);
    return 0;
}
END
"$raddle" cc -g -DWHICH=text -DAT=7 kept.c -o kept
explore kept
says 'It does not know all that `putenv` of libc.so.6 can touch.'
"$raddle" cc -g -DWHICH='(char *)"COLOUR=red"' -DAT=7 kept.c -o kept
explore kept
says 'the only distinguishable schedule'

# getenv looks at the names of all variables.
"$raddle" cc -g -DWHICH=text -DAT=0 kept.c -o kept
status=0
"$raddle" explore --seed 1 -- ./kept >out 2>&1 </dev/null || status=$?
[ $status = 1 ] || fail "a name of the environment is changed: status $status:" "$(cat out)"
grep -q 'data race between main and thread 1 on text' out || fail "no race:" "$(cat out)"
