/*
 * tyto train: trains a network, tests it after every epoch, writes checkpoints.  An interrupt ends the step
 * that runs, writes a checkpoint when --save is given, and exits as the signal would have.
 */
#define _POSIX_C_SOURCE 200809L
#include "tools/command.h"
#include "tools/data.h"
#include "io/file.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *network, *data, *save, *resume, *optimiser, *log;
    int64_t epochs, batch, threads, limit, every;
    uint64_t seed;
    double rate;
    bool eager, quiet;
};

static const struct {
    const char *name;
    ty_model *(*make)(ty_model_options options);
} networks[] = {{"lenet", ty_lenet}};

struct session {
    const struct settings *s;
    struct data data;
    ty_model *model;
    ty_trainer *trainer;
    ty_progress progress;
    FILE *log;
    double sum; /* of losses since the epoch, or the run, began */
    int64_t count;
    double accuracy;             /* at the end of an epoch */
    int64_t tested_at, saved_at; /* steps */
    bool failed;
};

static volatile sig_atomic_t stopped_by;
static void stop(int number) { stopped_by = number; }

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static bool save(struct session *r) {
    int64_t step = ty_trainer_steps(r->trainer);
    if (!r->s->save || r->saved_at == step) return true;
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    bool written = ty_trainer_save(r->trainer, r->s->save, &error);
    if (written) r->saved_at = step;
    if (!written) complain("%s", error ? ty_error(error) : r->s->save);
    ty_close(scope);
    r->failed = r->failed || !written;
    return written;
}

/* Tests the model, unless it was just tested. */
static bool test(struct session *r) {
    ty_tensor *error = NULL;
    if (r->tested_at == ty_trainer_steps(r->trainer)) return true;
    ty_scope *scope = ty_open();
    r->accuracy = ty_trainer_accuracy(r->trainer, r->data.test_images, r->data.test_labels, &error);
    if (error) complain("%s", ty_error(error));
    ty_close(scope);
    r->failed = r->failed || error;
    r->tested_at = ty_trainer_steps(r->trainer);
    return !error;
}

static bool end_epoch(struct session *r, ty_moment now) {
    if (!test(r)) return false;
    ty_progress_end(&r->progress);
    if (!r->s->quiet)
        printf("epoch %3.0f/%lld  step %6lld  loss %.4f  test accuracy %6.2f %%  %6.1f ms/step  %6.1f s\n",
               now.epoch, (long long)r->s->epochs, (long long)now.step, r->sum / (double)r->count,
               100 * r->accuracy, now.ms, now.seconds);
    fflush(stdout);
    r->sum = 0;
    r->count = 0;
    return true;
}

/* What is asked for and lost ends the training; what was learned is saved. */
static bool lost_log(struct session *r) {
    int why = errno;
    r->failed = true;
    ty_progress_end(&r->progress);
    complain("%s: cannot be written: %s", r->s->log, strerror(why));
    save(r);
    return false;
}

static bool after_step(void *context, ty_moment now) {
    struct session *r = context;
    r->sum += now.loss;
    r->count++;
    if (r->log && (fprintf(r->log, "%lld %.9g\n", (long long)now.step, now.loss) < 0 || fflush(r->log)))
        return lost_log(r);
    if (!r->s->quiet) ty_progress_draw(&r->progress, now);
    int64_t epoch = ty_trainer_steps_per_epoch(r->trainer), every = r->s->every ? r->s->every : epoch;
    if (now.step % epoch == 0 && !end_epoch(r, now)) return false;
    if (now.step % every == 0 && !save(r)) return false;
    return !stopped_by;
}

static int finish(struct session *r) {
    ty_progress_end(&r->progress);
    if (*ty_trainer_error(r->trainer)) return complain("%s", ty_trainer_error(r->trainer));
    if (r->failed || !save(r)) return EXIT_FAILED; /* which was told */
    if (stopped_by) {
        complain("stopped at step %lld%s%s", (long long)ty_trainer_steps(r->trainer),
                 r->s->save ? "; saved in " : "; nothing saved (no --save)", r->s->save ? r->s->save : "");
        return EXIT_SIGNAL + (int)stopped_by;
    }
    if (!test(r)) return EXIT_FAILED;
    printf("test accuracy %.2f %%\n", 100 * r->accuracy);
    return EXIT_SUCCESS;
}

static bool resume(struct session *r) {
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    bool read = !r->s->resume || ty_trainer_load(r->trainer, r->s->resume, &error);
    if (!read) complain("%s", error ? ty_error(error) : r->s->resume);
    ty_close(scope);
    if (read && r->s->resume && !r->s->quiet)
        printf("resumed from %s at step %lld\n", r->s->resume, (long long)ty_trainer_steps(r->trainer));
    if (r->s->rate > 0) ty_trainer_set_rate(r->trainer, r->s->rate);
    return read;
}

static void introduce(const struct session *r) {
    char *summary = ty_model_summary(r->model);
    if (summary) printf("%s", summary);
    ty_free(summary);
    printf("%lld images for training, %lld for testing (%s); %s, %d thread%s\n",
           (long long)ty_shape(r->data.images)[0], (long long)ty_shape(r->data.test_images)[0],
           r->s->data ? r->s->data : "generated digits", r->s->eager ? "eager" : "compiled", ty_threads(),
           ty_threads() == 1 ? "" : "s");
    fflush(stdout);
}

/* What could not be written after an epoch is told before the first one. */
static bool check_written(struct session *r) {
    struct fault fault = {0};
    if (r->s->save && !replacement_try(r->s->save, &fault)) return complain("%s", fault.text) == EXIT_SUCCESS;
    if (!r->s->log || (r->log = fopen(r->s->log, "we"))) return true;
    return complain("%s: cannot be written: %s", r->s->log, strerror(errno)) == EXIT_SUCCESS;
}

static int train(struct session *r) {
    if (*ty_model_error(r->model)) return complain("%s", ty_model_error(r->model));
    if (*ty_trainer_error(r->trainer)) return complain("%s", ty_trainer_error(r->trainer));
    if (!r->s->quiet) introduce(r);
    if (!resume(r)) return EXIT_FAILED;
    if (!check_written(r)) return EXIT_FAILED;
    catch_signals();
    ty_trainer_run(r->trainer, r->s->epochs * ty_trainer_steps_per_epoch(r->trainer), after_step, r);
    return finish(r);
}

/* Unknown names are misuse, before anything is read. */
static bool check_names(const struct settings *s, size_t *network, const ty_rule **rule) {
    struct nearest near = {.wanted = s->network}, near_rule = {.wanted = s->optimiser};
    size_t n = sizeof networks / sizeof networks[0];
    for (*network = 0; *network < n && strcmp(networks[*network].name, s->network); ++*network)
        nearest_offer(&near, networks[*network].name);
    if (*network == n) {
        if (*s->network)
            complain("there is no network %s%s; see tyto train --help", s->network,
                     nearest_hint(&near, (char[NEAREST_HINT]){0}));
        else
            complain("the network is missing: tyto train lenet");
        return false;
    }
    *rule = ty_rule_find(s->optimiser);
    for (int i = 0; ty_rules[i]; i++) nearest_offer(&near_rule, ty_rules[i]->name);
    if (!*rule)
        complain("there is no optimiser %s%s", s->optimiser,
                 nearest_hint(&near_rule, (char[NEAREST_HINT]){0}));
    return *rule != NULL;
}

static int run(const void *given) {
    const struct settings *s = given;
    size_t network;
    const ty_rule *rule;
    if (!check_names(s, &network, &rule)) return EXIT_USAGE;
    if (s->threads) ty_set_threads((int)s->threads);
    struct session r = {.s = s, .progress = {.file = stderr}, .tested_at = -1, .saved_at = -1};
    ty_scope *scope = ty_open();
    int status = EXIT_FAILED;
    if (data_open(&r.data, s->data, s->limit)) {
        r.model = networks[network].make((ty_model_options){.seed = s->seed, .lazy = !s->eager});
        r.trainer =
            ty_trainer_new(r.model, (ty_trainer_options){.inputs = r.data.images,
                                                         .targets = r.data.labels,
                                                         .batch = s->batch,
                                                         .seed = s->seed,
                                                         .optimiser = {.rule = rule, .rate = s->rate}});
        status = train(&r);
        ty_trainer_free(r.trainer);
        ty_model_free(r.model);
    }
    ty_close(scope);
    if (r.log && fclose(r.log) && status == EXIT_SUCCESS)
        status = complain("%s: cannot be written: %s", s->log, strerror(errno));
    return status;
}

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), "lenet: 5x5 convolution, pooling, dropout, two linear layers"},
    {"--data", &option_folder, AT(data), "a folder with MNIST's four files, plain or .gz (generated digits)"},
    {"--epochs", &option_count, AT(epochs), "passes over the examples (5)"},
    {"--batch", &option_count, AT(batch), "examples in a step (100)"},
    {"--limit", &option_count, AT(limit), "use at most N examples (all)"},
    {"--optimiser", &option_name, AT(optimiser), "sgd, momentum, adagrad, adam (adagrad)"},
    {"--rate", &option_number, AT(rate), "learning rate (the optimiser's own)"},
    {"--seed", &option_seed, AT(seed), "of first values, order and dropout (1)"},
    {"--eager", &option_flag, AT(eager), "compute operator by operator instead of compiling the step"},
    {"--threads", &option_width, AT(threads), "threads (all processors); changes no bit of the result"},
    {"--save", &option_file, AT(save), "write a checkpoint after every epoch and at the end"},
    {"--every", &option_count, AT(every), "write it every N steps instead"},
    {"--resume", &option_file, AT(resume), "continue from a checkpoint"},
    {"--log", &option_file, AT(log), "write step and loss of every step, one line each"},
    {"--quiet", &option_flag, AT(quiet), "print only the result"},
    {0}};

static const struct settings defaults = {
    .network = "", .optimiser = "adagrad", .epochs = 5, .batch = 100, .seed = 1};

const struct command command_train = {.name = "train",
                                      .doc = "Trains a network on images of digits.",
                                      .details = "An interrupt (ctrl-C) writes a checkpoint when --save is "
                                                 "given; --resume goes on with the same losses.",
                                      .options = options,
                                      .defaults = &defaults,
                                      .bytes = sizeof defaults,
                                      .run = run};
