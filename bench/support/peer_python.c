#define _GNU_SOURCE
#include "bench/support/peer_python.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 512 };

struct python {
    FILE *to, *from;
    pid_t process;
    char version[LINE];
};

const char *python_path(void) {
    static char path[4096];
    const char *given = getenv("TY_PYTHON"), *environment = getenv("VIRTUAL_ENV");
    if (given && *given) return given;
    if (environment && *environment) {
        snprintf(path, sizeof path, "%s/bin/python3", environment);
        if (!access(path, X_OK)) return path;
    }
    return access("/usr/bin/python3", X_OK) ? "python3" : "/usr/bin/python3";
}

/* ---- stopping and continuing ---- */

static void go_on(const struct python *p) { kill(p->process, SIGCONT); }

/* Stop the process; returns after all of its threads have stopped. */
static void stand(const struct python *p) {
    int status;
    kill(p->process, SIGSTOP);
    while (waitpid(p->process, &status, WUNTRACED) < 0 && errno == EINTR) {
    }
}

static bool read_line(struct python *p, char *line) {
    if (!fgets(line, LINE, p->from)) return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

/* Send the text written to p->to and wait for the answer; false if the process has ended. */
static bool ask(struct python *p, char *answer) {
    go_on(p);
    bool well = !fflush(p->to) && read_line(p, answer);
    if (well) stand(p);
    return well;
}

/* ---- starting ---- */

static void be_python(const int *down, const int *up, const char *name, int most_threads) {
    char threads[16];
    const char *script = getenv("TY_BENCH_PEER");
    snprintf(threads, sizeof threads, "%d", most_threads);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a stopped process would outlive a killed benchmark */
    unsetenv("OMP_PROC_BIND"); /* OpenBLAS's own threads would all be bound to their creator's processor */
    unsetenv("OMP_PLACES");
    dup2(down[0], 0);
    dup2(up[1], 1);
    close(down[1]);
    close(up[0]);
    execlp(python_path(), python_path(), script ? script : "bench/support/peer.py", name, threads,
           (char *)NULL);
    _exit(127);
}

static struct python *start(const char *name, int most_threads) {
    int down[2], up[2];
    struct python *p = calloc(1, sizeof *p);
    if (!p || pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)) {
        free(p);
        return NULL;
    }
    fflush(NULL);
    p->process = fork();
    if (p->process == 0) be_python(down, up, name, most_threads);
    close(down[0]);
    close(up[1]);
    signal(SIGPIPE, SIG_IGN);
    p->to = fdopen(down[1], "w");
    p->from = fdopen(up[0], "r");
    return p;
}

struct python *python_open(const char *name, int most_threads) {
    struct python *p = start(name, most_threads);
    if (!p) return NULL;
    char line[LINE];
    bool answered = p->to && p->from && read_line(p, line);
    if (answered && !strncmp(line, "found ", 6)) {
        snprintf(p->version, sizeof p->version, "%s", line + 6);
        printf("peer: %s\n", p->version);
        stand(p);
        return p;
    }
    printf("no peer %s: %s\n", name,
           answered ? line : "there is no python3, or bench/support/peer.py failed");
    python_close(p);
    return NULL;
}

const char *python_version(const struct python *p) { return p->version; }

void python_close(struct python *p) {
    if (!p) return;
    go_on(p);
    if (p->to) fclose(p->to);
    if (p->from) fclose(p->from);
    while (waitpid(p->process, NULL, 0) < 0 && errno == EINTR) {
    }
    free(p);
}

/* ---- commands ---- */

bool python_prepare(struct python *p, const struct bench_case *c, const char *expression) {
    char answer[LINE];
    if (!p || !expression) return false;
    fprintf(p->to, "{\"inputs\": [");
    for (int i = 0; i < c->ninputs; i++) {
        const struct bench_input *in = &c->inputs[i];
        fprintf(p->to, "%s{\"dtype\": \"%s\", \"low\": %g, \"high\": %g, \"shape\": [", i ? ", " : "",
                ty_dtype_name(in->dtype), in->low, in->high);
        for (int k = 0; k < in->rank; k++) fprintf(p->to, "%s%lld", k ? ", " : "", (long long)in->shape[k]);
        fprintf(p->to, "]}");
    }
    fprintf(p->to, "], \"code\": \"%s\"}\n", expression);
    return ask(p, answer) && !strcmp(answer, "able");
}

double python_time(struct python *p, int threads) {
    char answer[LINE];
    fprintf(p->to, "{\"threads\": %d}\n", threads);
    return ask(p, answer) ? atof(answer) : (double)NAN;
}

double python_value(struct python *p, const char *expression) {
    char answer[LINE];
    if (!p) return (double)NAN;
    fprintf(p->to, "{\"value\": \"%s\"}\n", expression);
    return ask(p, answer) ? atof(answer) : (double)NAN;
}
