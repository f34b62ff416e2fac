/* generate.c -- random programs of threads, as one C file.
 *
 *     generate SEED COUNT [tests] > batch.c
 *
 * Every program is a function that the main of frame.h calls by number.  It is small enough for
 * all of its schedules to be tried: one to three threads with few statements each, of few kinds,
 * or they would hardly meet.  What a thread has seen goes into v, and v into the outcome.
 *
 * With `tests` each program is an RDL_EXPLORE of a test program instead, whose executions are made
 * in one process: none that could end that process, or a deadlock, which would end the search.
 *
 * A statement is text in C.  $ stands for a variable, @ for a small number; both are drawn each
 * time.  ~ is drawn once for a statement: it unlocks what it locked. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static unsigned upto(unsigned max)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (unsigned)((z ^ z >> 31) % (max + 1));
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* Kinds of statements that meet in the same state.  A program is made of one or two. */
static const char *const memory[] = {"SET(p[$], @);",
                                     "SEE(GET(p[$]));",
                                     "INC(p[$]);",
                                     "q[$] = @;",
                                     "SEE(q[$]);",
                                     "q[$]++;",
                                     "if (GET(p[$]) == @) q[$] = @;",
                                     "memcpy(&p[0], &p[1], sizeof *p);",
                                     NULL};
static const char *const atomics[] = {
    "a[$]++;",
    "SEE(a[$]);",
    "a[$] = @;",
    "SEE(atomic_exchange(&a[$], @));",
    "int w = @; SEE(atomic_compare_exchange_strong(&a[$], &w, @));",
    "atomic_thread_fence(memory_order_seq_cst); SET(p[$], @);",
    NULL};
static const char *const locks[] = {
    "pthread_mutex_lock(&m[~]); INC(p[$]); pthread_mutex_unlock(&m[~]);",
    "pthread_mutex_lock(&m[0]); SEE(GET(p[$])); pthread_mutex_unlock(&m[0]);",
    "pthread_mutex_lock(&m[0]); pthread_mutex_lock(&m[1]); INC(p[$]); pthread_mutex_unlock(&m[1]); "
    "pthread_mutex_unlock(&m[0]);",
    "pthread_mutex_lock(&m[1]); pthread_mutex_lock(&m[0]); INC(p[$]); pthread_mutex_unlock(&m[0]); "
    "pthread_mutex_unlock(&m[1]);",
    "if (pthread_mutex_trylock(&m[~]) == 0) { SET(p[0], @); pthread_mutex_unlock(&m[~]); }",
    "INC(p[$]);",
    NULL};
static const char *const conditions[] = {
    "pthread_mutex_lock(&m[0]); while (GET(p[0]) == 0) pthread_cond_wait(&c, &m[0]); "
    "SEE(GET(p[0])); "
    "pthread_mutex_unlock(&m[0]);",
    "pthread_mutex_lock(&m[0]); if (GET(p[0]) == 0) pthread_cond_wait(&c, &m[0]); SEE(GET(p[0])); "
    "pthread_mutex_unlock(&m[0]);",
    "pthread_mutex_lock(&m[0]); SET(p[0], @); pthread_cond_signal(&c); "
    "pthread_mutex_unlock(&m[0]);",
    "pthread_mutex_lock(&m[0]); SET(p[0], @); pthread_mutex_unlock(&m[0]); "
    "pthread_cond_broadcast(&c);",
    "sem_post(&s);",
    "sem_wait(&s); SET(p[$], @);",
    "SEE(sem_trywait(&s));",
    NULL};
static const char *const ends[] = {"if (a[0] == @) _exit(finish(@));",
                                   "if (a[0] == @) exit(finish(@));",
                                   "a[0]++;",
                                   "if (a[0] == 1) quick_exit(finish(@));",
                                   "SET(p[$], @);",
                                   "if (a[0] > 1) pthread_exit(NULL);",
                                   NULL};
static const char *const environment[] = {
    "setenv(\"CLAIMS\", \"@\", 1);",
    "SEE(number(getenv(\"CLAIMS\")));",
    "unsetenv(\"CLAIMS\");",
    "char w[16]; snprintf(w, sizeof w, \"%d\", number(getenv(\"CLAIMS\")) + 1);"
    " setenv(\"CLAIMS\", w, 1);",
    "INC(p[$]);",
    NULL};
static const char *const files[] = {
    "char w = '@'; pwrite(file, &w, 1, $);",
    "char w = 0; pread(file, &w, 1, $); SEE(w);",
    "char w = 0; read(file, &w, 1); SEE(w);",
    "lseek(file, $, SEEK_SET);",
    "SEE(access(\"other\", F_OK));",
    "close(open(\"other\", O_CREAT | O_WRONLY, 0600));",
    "unlink(\"other\");",
    "SEE(mkdir(\"folder\", 0700));",
    "rename(\"other\", \"another\");",
    "char w = 0; pread(file, &w, 1, 0); w++; pwrite(file, &w, 1, 0);",
    "SEE(open(\"other\", O_RDONLY));",
    NULL};
static const char *const library[] = {
    "SEE(rand() % 8);",
    "srand(@);",
    "char w[8] = \"a,b\"; strtok(w, \",\"); SEE(strtok(NULL, \",\") != NULL);",
    "time_t w = @ * 100000; SEE(localtime(&w)->tm_yday); ",
    "umask(@);",
    "SEE(umask(0));",
    "sprintf(text, \"%d\", @);",
    "SEE(text[0]);",
    "strcat(text, \"@\"); text[4] = 0;",
    "SET(p[$], @);",
    NULL};
static const char *const unseen[] = {"unseen_set(unseen_get() + 1);",
                                     "SEE(unseen_get());",
                                     "unseen_write((int *)&p[$], @);",
                                     "INC(p[$]);",
                                     "SEE(GET(p[$]));",
                                     "unseen_call(increment, (int *)&p[$]);",
                                     NULL};
static const char *const assembly[] = {
    "__asm__ volatile(\"incl %0\" : \"+m\"(p[$]));",
    "__asm__ volatile(\"lock incl %0\" : \"+m\"(p[$]));",
    "int w; __asm__ volatile(\"movl %1, %0\" : \"=r\"(w) : \"m\"(p[$])); SEE(w);",
    "__asm__ volatile(\"movl %1, %0\" : \"=m\"(p[$]) : \"r\"(@));",
    "__asm__ volatile(\"\" ::: \"memory\");",
    "int w = @; __asm__ volatile(\"xchgl %0, %1\" : \"+r\"(w), \"+m\"(p[$])); SEE(w);",
    "SEE(GET(p[$]));",
    NULL};
static const char *const firsts[] = {
    "pthread_once(&once, init);",
    "SEE(GET(p[0]));",
    "if (!GET(lazy)) { SET(lazy, (int *)&p[1]); INC(p[0]); } SEE(*GET(lazy));",
    "SET(p[$], @);",
    "pthread_setspecific(key, &p[$]); SEE(pthread_getspecific(key) != NULL);",
    NULL};

static const char *const other_locks[] = {
    "pthread_rwlock_rdlock(&rw); SEE(GET(p[$])); pthread_rwlock_unlock(&rw);",
    "pthread_rwlock_wrlock(&rw); INC(p[$]); pthread_rwlock_unlock(&rw);",
    "if (pthread_rwlock_trywrlock(&rw) == 0) { SET(p[0], @); pthread_rwlock_unlock(&rw); }",
    "if (pthread_rwlock_tryrdlock(&rw) == 0) { SEE(GET(p[$])); pthread_rwlock_unlock(&rw); }",
    "pthread_spin_lock(&spin); INC(p[$]); pthread_spin_unlock(&spin);",
    "SEE(pthread_spin_trylock(&spin) == 0 ? (pthread_spin_unlock(&spin), 1) : 0);",
    "pthread_mutex_lock(&recursive); pthread_mutex_lock(&recursive); INC(p[$]); "
    "pthread_mutex_unlock(&recursive); pthread_mutex_unlock(&recursive);",
    "INC(p[$]);",
    NULL};
static const char *const streams[] = {"fputc('@', output);",
                                      "fprintf(output, \"%d\", @0);",
                                      "SEE(ftell(output));",
                                      "rewind(output);",
                                      "flockfile(output); fputc('@', output); SEE(ftell(output)); "
                                      "funlockfile(output);",
                                      "SEE(fgetc(input));",
                                      "ungetc('@', input);",
                                      "SEE(feof(input));",
                                      "rewind(input);",
                                      "SET(p[$], @);",
                                      NULL};
static const char *const pipes[] = {"char w = '@'; SEE(write(ways[1], &w, 1));",
                                    "char w = 0; SEE(read(ways[0], &w, 1)); SEE(w);",
                                    "uint64_t w = @; SEE(write(event, &w, sizeof w));",
                                    "uint64_t w = 0; SEE(read(event, &w, sizeof w)); SEE(w);",
                                    "int w = dup(event); SEE(w); close(w);",
                                    "int w[2]; SEE(pipe(w)); SEE(w[0]); close(w[0]); close(w[1]);",
                                    "SET(p[$], @);",
                                    NULL};
static const char *const shapes[] = {"bits.one = @;",
                                     "SEE(bits.two);",
                                     "bits.two++;",
                                     "pairs[0] = pairs[1];",
                                     "pairs[1].x = @;",
                                     "SEE(pairs[0].x + 10 * pairs[0].y);",
                                     "mapped[0][$] = @;",
                                     "SEE(mapped[1][$]);",
                                     "mapped[1][$]++;",
                                     "memset(&pairs[$], @, sizeof *pairs);",
                                     "local = @; SET(p[$], local);",
                                     NULL};
static const char *const signals[] = {
    "raise(SIGUSR1);",
    "pthread_kill(pthread_self(), SIGUSR1);",
    "kill(getpid(), SIGUSR1);",
    "block(SIG_BLOCK); INC(p[0]); block(SIG_UNBLOCK);",
    "signal(SIGUSR1, count_signal);",
    "signal(SIGUSR1, SIG_IGN);",
    "SEE(GET(p[0]));",
    "INC(p[0]);",
    NULL};
static const char *const folders[] = {"SEE(mkdir(\"folder\", 0700));",
                                      "SEE(chdir(\"folder\"));",
                                      "SEE(fchdir(home));",
                                      "SEE(access(\"contents\", F_OK));",
                                      "SEE(rmdir(\"folder\"));",
                                      "struct stat w; SEE(stat(\"folder\", &w));",
                                      "SEE(symlink(\"contents\", \"other\"));",
                                      "SEE(unlink(\"other\"));",
                                      "SEE(truncate(\"contents\", @));",
                                      "struct stat w = {0}; SEE(fstat(file, &w)); SEE(w.st_size);",
                                      NULL};
static const char *const nested[] = {
    "pthread_t w; start(&w, run_child, 3); INC(p[1]); pthread_join(w, NULL);",
    "INC(p[0]);",
    "SEE(GET(p[$]));",
    "SET(p[$], @);",
    NULL};

static const char *const safe_locks[] = {
    "pthread_mutex_lock(&m[~]); INC(p[$]); pthread_mutex_unlock(&m[~]);",
    "pthread_mutex_lock(&m[0]); SEE(GET(p[$])); pthread_mutex_unlock(&m[0]);",
    "if (pthread_mutex_trylock(&m[0]) == 0) { SET(p[0], @); pthread_mutex_unlock(&m[0]); }",
    "pthread_mutex_lock(&m[0]); SET(p[0], @); pthread_cond_signal(&c); "
    "pthread_mutex_unlock(&m[0]);",
    "sem_post(&s);",
    "SEE(sem_trywait(&s));",
    "INC(p[$]);",
    NULL};

static const char *const *const kinds[] = {
    memory, atomics,  locks,  conditions, ends,        memory,  locks, environment, files,  library,
    unseen, assembly, firsts, ends,       other_locks, streams, pipes, shapes,      nested, signals,
    folders};
static const char *const *const safe_kinds[] = {
    memory, atomics, safe_locks,  safe_locks, environment, files,  library, unseen, assembly,
    firsts, firsts,  other_locks, streams,    pipes,       shapes, nested,  signals};

static bool tests;

static const char *const *draw_kind(void)
{
    return tests ? safe_kinds[upto(LENGTH(safe_kinds) - 1)] : kinds[upto(LENGTH(kinds) - 1)];
}

static void print_statement(const char *const *kind)
{
    unsigned count = 0, once = upto(1);
    const char *text;

    while (kind[count])
        count++;
    text = kind[upto(count - 1)];
    printf("    {");
    for (; *text; text++)
        if (*text == '$')
            printf("%u", upto(1));
        else if (*text == '~')
            printf("%u", once);
        else if (*text == '@')
            printf("%u", 1 + upto(2));
        else
            putchar(*text);
    printf("}\n");
}

static void print_body(unsigned program, unsigned thread, unsigned statements,
                       const char *const *one, const char *const *two)
{
    printf("static void *program_%u_%u(void *argument)\n{\n    int v = 0;\n\n", program, thread);
    for (unsigned i = 0; i < statements; i++)
        print_statement(upto(3) ? one : two);
    printf("    return told(argument, v);\n}\n\n");
}

/* How the main thread leaves: it joins all, some or none, looks, or detaches. */
static void print_main(unsigned program, unsigned threads, const char *const *one,
                       const char *const *two)
{
    printf("static int program_%u(void)\n{\n    pthread_t t[4];\n    int v = 0;\n\n", program);
    if (one == files || two == files || one == folders || two == folders)
        printf("    make_files();\n");
    if (one == streams || two == streams)
        printf("    make_streams();\n");
    if (one == pipes || two == pipes)
        printf("    make_pipes();\n");
    if (one == signals || two == signals)
        printf("    signal(SIGUSR1, count_signal);\n");
    for (unsigned i = 0; i < threads; i++)
        printf("    start(&t[%u], program_%u_%u, %u);\n", i, program, i, i);
    for (unsigned i = upto(1); i > 0; i--)
        print_statement(upto(3) ? one : two);
    for (unsigned i = 0; i < threads; i++) {
        unsigned how = upto(9);

        if (tests && (one == streams || two == streams)) /* which are closed after the program */
            how = 9;
        if (how == 0)
            printf("    pthread_detach(t[%u]);\n", i);
        else if (how == 1)
            printf("    if (pthread_tryjoin_np(t[%u], NULL) == EBUSY) {\n        SEE(1);\n"
                   "        pthread_join(t[%u], NULL);\n    }\n",
                   i, i);
        else if (how > 2)
            printf("    pthread_join(t[%u], NULL);\n", i);
    }
    printf("    return finish(v);\n}\n\n");
}

static void print_table(unsigned count)
{
    printf("static int (*const programs[])(void) = {");
    for (unsigned program = 0; program < count; program++)
        printf("%sprogram_%u", program ? ", " : "", program);
    printf("};\n\nint main(int argc, char **argv)\n{\n    return run(argc, argv, programs);\n}\n");
}

static void print_tests(unsigned count)
{
    for (unsigned program = 0; program < count; program++)
        printf("static const struct rdl_fixture fixture_%u = {.setup_once = close_leftovers};\n\n"
               "RDL_EXPLORE(test_%u, .fixture = &fixture_%u)\n{\n    (void)t;\n    set_up(%u);\n"
               "    program_%u();\n    tear_down();\n}\n\n",
               program, program, program, program, program);
    printf("RDL_MAIN\n");
}

int main(int argc, char **argv)
{
    unsigned count;

    if (argc != 3 && argc != 4)
        return 2;
    tests = argc == 4;
    state = strtoull(argv[1], NULL, 10);
    count = (unsigned)atoi(argv[2]);
    printf("#define _GNU_SOURCE\n%s#include \"frame.h\"\n\n", tests ? "#include <raddle.h>\n" : "");
    for (unsigned program = 0; program < count; program++) {
        const char *const *one = draw_kind(), *const *two = draw_kind();
        unsigned threads = upto(3) ? 2 : 1 + 2 * upto(1);

        for (unsigned i = 0; i < threads; i++)
            print_body(program, i, 1 + upto(threads < 3 ? 2 : 0), one, two);
        print_main(program, threads, one, two);
    }
    if (tests)
        print_tests(count);
    else
        print_table(count);
    return 0;
}
