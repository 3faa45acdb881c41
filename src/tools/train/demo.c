/*
 * tyto demo: trains the zoo's lenet eagerly and compiled from the same seed. Each run is a process of its own, so that
 * its peak memory can be measured; this process computes nothing.
 */
#define _DEFAULT_SOURCE
#include "base/files/folders.h"
#include "tools/command.h"
#include "tools/options/result.h"
#include "tools/train/demo.h"
#include "tools/options/message.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
    const char *out;
    int64_t steps, eager_steps, threads;
};

/* Train in a child process, which shares the memory of `run` and sets its results; drawings go to `folder`.
   False after a message on stderr. */
static bool train_apart(struct demo_run *run, const char *folder) {
    say("training %s, %lld steps of 100 digits\n", run->name, (long long)run->steps);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        demo_train(run, folder);
        fflush(NULL);
        _exit(*run->sentence ? EXIT_FAILED : EXIT_SUCCESS);
    }
    int status = 0;
    struct rusage usage = {0};
    while (child > 0 && wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    run->peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
    if (child < 0)
        complain_code(TY_ERROR_FILE, "the %s run could not be started: %s", run->name,
                      errno == ENOSYS
                          ? "this system cannot copy a process; tyto train lenet trains the same network"
                          : strerror(errno));
    else if (*run->sentence)
        complain("%s: %s", run->name, run->sentence);
    else if (!WIFEXITED(status) || WEXITSTATUS(status))
        complain("the %s run ended early", run->name);
    else
        return true;
    return false;
}

/* Run the command demo with the parsed settings `given`, compiled and eager training in processes of their
   own; return the exit status. */
static int run(const void *given) {
    const struct settings *s = given;
    if (!folders_make(s->out, 0777)) return complain_code(TY_ERROR_FILE, "%s: %s", s->out, strerror(errno));
    if (s->threads) ty_set_threads((int)s->threads);
    struct demo_run *runs =
        mmap(NULL, 2 * sizeof *runs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (runs == MAP_FAILED) return complain("out of memory");
    runs[0] = (struct demo_run){
        .name = "eager", .curve = {.name = "eager"}, .eager = true, .steps = s->eager_steps};
    runs[1] = (struct demo_run){.name = "compiled", .curve = {.name = "compiled"}, .steps = s->steps};
    int status = EXIT_FAILED;
    if (train_apart(&runs[0], s->out) && train_apart(&runs[1], s->out)) {
        say("\n");
        status = demo_report(&runs[0], &runs[1], s->out);
    }
    munmap(runs, 2 * sizeof *runs);
    return status;
}

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"--out", &option_folder, AT(out), "write to this folder (build/demo)"},
    {"--steps", &option_count, AT(steps), "run N compiled steps (800)"},
    {"--eager-steps", &option_count, AT(eager_steps), "run N steps eagerly (100)"},
    {"--threads", &option_width, AT(threads), "use N threads (all processors)"},
    {0}};
static const struct settings defaults = {.out = "build/demo", .steps = 800, .eager_steps = 100};

const struct command command_demo = {
    .name = "demo",
    .doc = "Train a network eagerly and compiled, and compare time and memory.",
    .details =
        "Draws the losses, the optimised graph and its memory, and writes an HTML page that explains the\n"
        "program and its times.  Fails if the test accuracy is below 97 %.\n"
        "  tyto demo --out drawn --steps 800",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .prints = true,
    .computes = true,
    .forks = true,
    .own_line = true};
