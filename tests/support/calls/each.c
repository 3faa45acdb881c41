#include "tests/support/calls/each.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/support/child.h"

enum { SECONDS = 60 };

bool is_word(const char *words, const char *name, const char *more) {
    char word[128];
    snprintf(word, sizeof word, " %s%s%s ", name, *more ? "." : "", more);
    return strstr(words, word);
}

/* Run `work` in a child process; set wrong if it crashes or times out. */
static void in_process(struct said *said, int function, const char *name,
                       void (*work)(struct said *said, int function)) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        /* the harness's own handlers would continue with the next test */
        static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
        alarm(SECONDS);
        work(said, function);
        _exit(0);
    }
    int status = child_status(child);
    if (status < 0)
        snprintf(said->wrong, sizeof said->wrong, "no process for %s", name);
    else if (WIFSIGNALED(status))
        snprintf(said->wrong, sizeof said->wrong, "signal %d in %s", WTERMSIG(status), said->now);
    else if (WEXITSTATUS(status) != 0)
        snprintf(said->wrong, sizeof said->wrong, "status %d from %s", WEXITSTATUS(status), said->now);
}

/* each_function for n functions whose names `name` returns. */
static int each_of(int n, const char *(*name)(int function), void (*work)(struct said *said, int function),
                   const char *never_well) {
    struct said *said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED) return n;
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        memset(said, 0, sizeof *said);
        said->start = -1;
        in_process(said, i, name(i), work);
        if (never_well && !*said->wrong && !said->well_once && !is_word(never_well, name(i), ""))
            snprintf(said->wrong, sizeof said->wrong, "%s is refused however it is called", name(i));
        if (!*said->wrong) continue;
        fprintf(stderr, "%s\n", said->wrong);
        wrong++;
    }
    munmap(said, sizeof *said);
    return wrong;
}

int each_function(void (*work)(struct said *said, int function), const char *never_well) {
    return each_of(calls_count(), calls_name, work, never_well);
}
int each_sized_function(void (*work)(struct said *said, int function), const char *never_well) {
    return each_of(calls_sized_count(), calls_sized_name, work, never_well);
}
