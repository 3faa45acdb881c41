/*
 * tyto train: trains a network, validates it after every epoch, writes checkpoints. An interrupt finishes the
 * current step, writes a checkpoint if --save is given, and exits as the signal would.
 */
#define _POSIX_C_SOURCE 200809L
#include "tools/command.h"
#include "tools/curves.h"
#include "tools/data.h"
#include "tools/file.h"
#include "tools/log.h"
#include "tools/train_loss.h"
#include "io/several.h"
#include "nn/trainer.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>

struct settings {
    const char *network, *data, *target, *save, *resume, *log, *best, *plot, *weights;
    int optimiser, loss, schedule; /* indices of names; -1: not given */
    int layout;
    int64_t epochs, batch, threads, limit, every, classes, patience, warmup, accumulate, sample;
    uint64_t seed;
    int task; /* index of names: a ty_task */
    int64_t folds;
    double rate, decay, held_out, test, clip;
    bool eager, quiet, half, balanced;
    struct reader_in reader;
};

/* State of one run of the command. */
struct session {
    const struct settings *s;
    struct network network;
    struct data data;
    ty_trainer *trainer;
    ty_batch_source source, held_out; /* over loaded examples */
    bool by_class;
    ty_progress progress;
    struct curve *curves; /* training, validation */
    FILE *log;
    double validation, accuracy; /* validation loss and accuracy at the end of the last epoch */
    int64_t tested_at, saved_at; /* steps */
    int64_t epochs, batch;       /* those of the settings, or chosen by the data */
    int64_t fold;
    double score; /* accuracy or R2 of a table's test; NaN: none */
    bool failed;
};

static volatile sig_atomic_t stopped_by;
static void stop(int number) { stopped_by = number; }

/* Install the handlers that end the training after the present step; a second signal kills the process. */
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- files ---- */

/* Save the checkpoint, if requested and not yet written for this step; false after a message on stderr,
   with r->failed set. */
static bool save(struct session *r) {
    int64_t step = ty_trainer_steps(r->trainer);
    if (!r->s->save || r->saved_at == step) return true;
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    char *curves = curves_text(2, r->curves);
    bool written =
        curves && trainer_set_note(r->trainer, curves) && ty_trainer_save(r->trainer, r->s->save, &error);
    ty_free(curves);
    if (written) r->saved_at = step;
    if (!written) complain("%s", error ? ty_error(error) : r->s->save);
    ty_close(scope);
    r->failed = r->failed || !written;
    return written;
}

/* Print on stderr that the log cannot be written (errno says why), save a checkpoint and set r->failed.
   Always return false, which ends the training. */
static bool lost_log(struct session *r) {
    int why = errno;
    r->failed = true;
    ty_progress_end(&r->progress);
    complain("%s: cannot be written: %s", r->s->log, strerror(why));
    save(r);
    return false;
}

/* Open the log, if requested, and restore earlier losses from the checkpoint's note or else from the log;
   false after a message on stderr. */
static bool open_log(struct session *r) {
    if (r->s->best && !file_holds_several(r->s->best))
        return complain("--best %s: expected a name that ends in .safetensors or .npz", r->s->best) ==
               EXIT_SUCCESS;
    const char *note = r->s->resume ? trainer_note(r->trainer) : NULL;
    bool known = note && curves_read(2, r->curves, note);
    if (r->s->log)
        r->log =
            log_open(r->s->log, r->s->resume, ty_trainer_steps(r->trainer), known ? NULL : &r->curves[0]);
    return !r->s->log || r->log;
}

/* ---- steps and epochs ---- */

/* Log a step, draw the progress and save every few steps as requested; false ends the training. context is
   the session. */
static bool after_step(void *context, const ty_moment *now) {
    struct session *r = context;
    curve_add(&r->curves[0], now->step, now->loss);
    if (r->log && (fprintf(r->log, "%lld %.9g\n", (long long)now->step, now->loss) < 0 || fflush(r->log)))
        return lost_log(r);
    if (!isfinite(now->loss)) return true; /* nothing is saved; ty_trainer_fit reports the reason */
    if (!r->s->quiet) ty_progress_draw(&r->progress, now);
    if (r->s->every && now->step % r->s->every == 0 && !save(r)) return false;
    return !stopped_by;
}

/* Print the line of an epoch; numbers that are NaN are left out. */
static void print_epoch(struct session *r, const ty_epoch *e) {
    printf("epoch %3lld/%lld  step %6lld  loss %.4f", (long long)e->epoch, (long long)e->epochs,
           (long long)e->step, e->loss);
    if (e->validation == e->validation) printf("  validation %.4f", e->validation);
    if (e->accuracy == e->accuracy) printf("  accuracy %6.2f %%", 100 * e->accuracy);
    printf("  %6.1f ms/step  %6.1f s%s\n", e->ms, e->seconds, r->s->best && e->best ? "  best" : "");
    fflush(stdout);
}

/* Record and print the results of an epoch, and save after it unless saving goes by steps; false ends the
   training. context is the session. */
static bool after_epoch(void *context, const ty_epoch *e) {
    struct session *r = context;
    if (r->failed) return false;
    r->validation = e->validation;
    r->accuracy = e->accuracy;
    r->tested_at = e->step;
    r->saved_at = -1; /* save again: the checkpoint records the epoch's result */
    if (e->validation == e->validation) curve_add(&r->curves[1], e->step, e->validation);
    ty_progress_end(&r->progress);
    if (!r->s->quiet) print_epoch(r, e);
    if (!r->s->every && !save(r)) return false;
    if (e->since_best && r->s->patience && e->since_best >= r->s->patience && !r->s->quiet)
        printf("stopped: no improvement in %lld epochs; back to epoch %lld\n", (long long)e->since_best,
               (long long)(e->epoch - e->since_best));
    return !stopped_by;
}

/* Evaluate the final model on the test set, if any, into r->validation and r->accuracy, unless this step
   was just validated; false after a message on stderr. */
static bool test(struct session *r) {
    ty_tensor *error = NULL, *parts[] = {r->data.test_images, r->data.test_labels};
    bool held_out = r->held_out.batch || parts[0];
    if (r->tested_at == ty_trainer_steps(r->trainer) || !held_out) return true;
    ty_scope *scope = ty_open();
    r->validation =
        ty_trainer_evaluate(r->trainer, 2, parts, r->held_out.batch ? &r->held_out : NULL, &error);
    if (!error && r->by_class)
        r->accuracy = r->held_out.batch ? ty_trainer_accuracy_of(r->trainer, &r->held_out, &error)
                                        : ty_trainer_accuracy(r->trainer, parts[0], parts[1], &error);
    if (error) complain("%s", ty_error(error));
    ty_close(scope);
    r->failed = r->failed || error;
    return !error;
}

static int64_t places(const struct session *r) { return r->network.known->shape[0]; }

/* End the training: save, plot, test and print a sample of text, each if requested; return the exit status. */
static int finish(struct session *r) {
    ty_progress_end(&r->progress);
    if (*ty_trainer_error(r->trainer)) return complain("%s", ty_trainer_error(r->trainer));
    bool saved = !r->failed && save(r),
         drawn = !r->s->plot || curves_draw(&r->curves[0], &r->curves[1], r->s->plot);
    if (!saved || !drawn) return EXIT_FAILED; /* already reported */
    if (stopped_by) {
        complain("stopped at step %lld%s%s", (long long)ty_trainer_steps(r->trainer),
                 r->s->save ? "; saved in " : "; nothing saved (no --save)", r->s->save ? r->s->save : "");
        return EXIT_SIGNAL + (int)stopped_by;
    }
    if (!test(r)) return EXIT_FAILED;
    if (r->data.table.preparation)
        return table_report_parts(&r->data.table, r->network.model, &r->score) ? EXIT_SUCCESS : EXIT_FAILED;
    if (r->by_class && (r->data.test_images || r->held_out.batch))
        printf("validation accuracy %.2f %%\n", 100 * r->accuracy);
    else if (r->validation == r->validation)
        printf("validation loss %.4f\n", r->validation);
    if (!r->data.loaded.tokens[0] || !r->s->sample) return EXIT_SUCCESS;
    printf("\n");
    bool well = text_write(ty_trainer_model(r->trainer), places(r), "\n", r->s->sample, 0.7, r->s->seed);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

/* Load the checkpoint, if requested, and then set the rate that the command line gives; false after a
   message on stderr. */
static bool resume(struct session *r) {
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    bool read = !r->s->resume || ty_trainer_load(r->trainer, r->s->resume, &error);
    if (!read) complain("%s", error ? ty_error(error) : r->s->resume);
    ty_close(scope);
    if (read && r->s->resume && !r->s->quiet)
        printf("resumed from %s at step %lld\n", r->s->resume, (long long)ty_trainer_steps(r->trainer));
    if (r->s->rate > 0 && r->s->resume) ty_trainer_set_rate(r->trainer, r->s->rate);
    return read;
}

/* Print the summary of the model, the sizes of the data and how it is trained. */
static void introduce(const struct session *r) {
    const struct data *d = &r->data;
    if (d->table.preparation) ty_preparation_print(stdout, d->table.preparation);
    if (d->table.unknown) printf("%lld rows without a target are left out\n", (long long)d->table.unknown);
    char *summary = ty_model_summary(r->network.model);
    if (summary) printf("%s", summary);
    ty_free(summary);
    const struct loaded *l = &d->loaded;
    if (l->tokens[0])
        printf("%lld tokens for training, %lld for validation", (long long)l->tokens[0],
               (long long)l->tokens[1]);
    else if (l->all)
        printf("%lld images of %lld classes for training, %lld for validation",
               (long long)ty_dataset_size(l->parts[0]), (long long)l->classes,
               (long long)ty_dataset_size(l->parts[1]));
    else
        printf("%lld %s for training, %lld for validation", (long long)ty_shape(d->images)[0], d->what,
               (long long)(d->test_images ? ty_shape(d->test_images)[0] : 0));
    printf(" (%s); %s, %d thread%s\n",
           r->s->data     ? r->s->data
           : l->tokens[0] ? "the system's copy of the GPL"
                          : "generated digits",
           r->s->eager ? "eager" : "compiled", ty_threads(), ty_threads() == 1 ? "" : "s");
    fflush(stdout);
}

/* Load weights or a checkpoint if requested, train and finish; return the exit status. */
static int train(struct session *r) {
    const struct settings *s = r->s;
    if (*ty_trainer_error(r->trainer)) return complain("%s", ty_trainer_error(r->trainer));
    if (s->weights && !network_load(&r->network, s->weights, s->layout)) return EXIT_FAILED;
    if (!s->quiet) introduce(r);
    if (!resume(r)) return EXIT_FAILED;
    if (!open_log(r)) return EXIT_FAILED;
    catch_signals();
    ty_tensor *error = NULL, *parts[] = {r->data.test_images, r->data.test_labels};
    ty_fit_options options = {.epochs = r->epochs,
                              .validation = parts[0] ? parts : NULL,
                              .nvalidation = parts[0] ? 2 : 0,
                              .validation_source = r->held_out.batch ? &r->held_out : NULL,
                              .accuracy = r->by_class,
                              .patience = s->patience,
                              .restore = s->patience > 0,
                              .best = s->best,
                              .step = after_step,
                              .epoch = after_epoch,
                              .context = r};
    if (!ty_trainer_fit(r->trainer, options, &error) && !*ty_trainer_error(r->trainer)) {
        const char *kept = s->save ? "; nothing was written since the last checkpoint in " : "";
        ty_progress_end(&r->progress);
        complain("%s%s%s", error ? ty_error(error) : "the training failed", kept, s->save ? s->save : "");
        r->failed = true;
    }
    if (s->patience) r->tested_at = -1; /* the model is that of the best epoch */
    return finish(r);
}

/* ---- names ---- */

static const char *rule_name(int i) { return ty_rules[i] ? ty_rules[i]->name : NULL; }
static const char *schedule_name(int i) {
    static const char *const names[] = {
#define SCHEDULE(name, ...) #name,
#include <tyto/tables/schedules.def>
        NULL};
    return names[i];
}
static const struct option_type option_rule = OPTION_NAMED("NAME", rule_name);
static const struct option_type option_loss = OPTION_NAMED("NAME", loss_name);
static const struct option_type option_schedule = OPTION_NAMED("NAME", schedule_name);

/* Return true unless the data are tables or arrays of another shape than a network's description expects;
   false after a message on stderr. */
static bool check_form(const struct session *r) {
    char wanted[FORM_WORDS], found[FORM_WORDS];
    const ty_tensor *x = r->data.images;
    struct form f;
    if (x && r->data.table.preparation && r->network.known && strcmp(r->network.known->name, "mlp") != 0)
        return complain("%s: a table needs the network mlp, or a description of inputs of %lld features",
                        r->s->data, (long long)ty_shape(x)[1]) == EXIT_SUCCESS;
    if (!x || r->network.known || !network_form(&r->network, &f) || network_fits(&f, x, 1)) return true;
    network_form_words(wanted, f.rank, f.shape);
    network_form_words(found, ty_rank(x) - 1, ty_shape(x) + 1);
    return complain("%s: the network expects examples of %s, found %s%s", r->s->data ? r->s->data : "digits",
                    wanted, found, ty_rank(x) == 2 ? ", besides the target" : "") == EXIT_SUCCESS;
}

/* ---- session ---- */

/* Return the number of classes to build the network with: the given one, else that of the data; 0 means the
   network's own. */
static int64_t classes_of(const struct session *r) {
    const struct settings *s = r->s;
    if (s->classes) return s->classes;
    if (r->data.table.preparation) return r->data.classes ? r->data.classes : 1;
    int64_t own = r->network.known ? r->network.known->classes : 0;
    /* Number of classes of the data, except for digits, for which the network has its own. */
    return r->network.known && !r->network.known->tokens && s->data && r->data.classes > 1 &&
                   r->data.classes != own
               ? r->data.classes
               : 0;
}

/* Create the trainer with the settings. */
static void make_trainer(struct session *r) {
    const struct settings *s = r->s;
    ty_schedule_function schedule = s->schedule >= 0 ? ty_schedule_named(schedule_name(s->schedule)) : NULL;
    struct data *d = &r->data;
    ty_trainer_options o = {
        .inputs = d->images,
        .targets = d->labels,
        .batch = r->batch,
        .seed = s->seed,
        .accumulate = s->accumulate,
        .clip_global_norm = s->clip,
        .optimiser = {.rule = ty_rules[s->optimiser], .rate = s->rate, .decay = s->decay}};
    if (d->loaded.all) {
        r->source = ty_loader_source(d->loaded.loaders[0], 2);
        if (d->loaded.loaders[1]) r->held_out = ty_loader_source(d->loaded.loaders[1], 2);
        o.source = &r->source;
    }
    r->by_class = d->classes > 0 && s->loss <= 0;
    o.loss = loss_at(s->loss >= 0 ? s->loss : d->loaded.all || d->classes ? 0 : 1);
    if (s->balanced) o.loss = loss_balanced(d->labels, d->classes);
    int64_t n = o.source ? 0 : ty_shape(d->images)[0], batch = r->batch ? r->batch : n < 100 ? n : 100;
    int64_t steps = r->epochs * (o.source ? r->source.steps_per_epoch : batch ? n / batch : 1);
    ty_schedule plan = {.at = schedule ? schedule : ty_schedule_constant,
                        .steps = (double)(steps > 0 ? steps : 1),
                        .warmup = (double)s->warmup};
    if (schedule || s->warmup) o.schedule = &plan;
    r->trainer = ty_trainer_new(r->network.model, o);
}

/* Open data and network and train; return the exit status. */
static int run_session(struct session *r) {
    const struct settings *s = r->s;
    struct data_options data = {.path = s->data,
                                .target = s->target,
                                .limit = s->limit,
                                .held_out = s->held_out,
                                .batch = s->batch,
                                .seed = s->seed,
                                .test = s->test,
                                .folds = s->folds,
                                .fold = r->fold,
                                .task = !s->task && loss_of_numbers(s->loss) ? TY_TASK_REGRESSION
                                                                             : (ty_task)s->task,
                                .reader = &s->reader};
    ty_model_options model = {.seed = s->seed, .lazy = !s->eager, .compute = s->half ? TY_BF16 : 0};
    const ty_network *known = r->network.known = ty_network_named(s->network);
    int rank = known ? known->rank : 0;
    if (known) data.shape = known->shape;
    /* A description has its own number of classes; known networks get the data's. */
    if (!known && !network_open(&r->network, s->network, 0, model)) return EXIT_FAILED;
    if (!known) ty_model_input(r->network.model, 0, NULL, NULL, &rank, &data.shape);
    if (rank != 3) data.shape = NULL;
    if (!data_open(&r->data, known, &data)) return EXIT_FAILED;
    if (s->balanced && (!r->data.classes || s->loss >= 0))
        return complain(
            "--balance: it weighs the cross entropy of classes; expected a target of classes, and no --loss");
    if (known && !network_open(&r->network, s->network, classes_of(r), model)) return EXIT_FAILED;
    if (!check_form(r) || !table_keep(&r->data.table, s->data, r->network.model)) return EXIT_FAILED;
    r->epochs = s->epochs;
    r->batch = s->batch;
    table_length(&r->data.table, &r->epochs, &r->batch);
    make_trainer(r);
    return train(r);
}

/* Return a copy of the settings with defaults filled in: networks of text use Adam and more epochs. */
static struct settings settled(const struct settings *given) {
    struct settings s = *given;
    const ty_network *known = ty_network_named(s.network);
    bool text = known && known->tokens, table = s.data && table_named(s.data);
    for (int i = 0; s.optimiser < 0 && ty_rules[i]; i++)
        if (ty_rules[i] == (text || table ? &ty_adam : &ty_adagrad)) s.optimiser = i;
    if (!s.epochs && !table) s.epochs = text ? 60 : 5;
    return s;
}

/* Train once, in fold number `fold`, and store the score of the test; return the exit status. */
static int run_fold(const struct settings *s, int64_t fold, double *score) {
    struct session r = {.s = s, .progress = {.file = stderr}, .tested_at = -1, .saved_at = -1, .fold = fold};
    r.validation = r.accuracy = r.score = 0.0 / 0.0;
    r.curves = calloc(2, sizeof *r.curves);
    if (!r.curves) return complain("out of memory");
    r.curves[0].name = "training";
    r.curves[1].name = "validation";
    ty_scope *scope = ty_open();
    int status = run_session(&r);
    ty_trainer_free(r.trainer);
    network_close(&r.network);
    data_close(&r.data);
    ty_close(scope);
    free(r.curves);
    *score = r.score;
    if (r.log && fclose(r.log) && status == EXIT_SUCCESS)
        status = complain("%s: cannot be written: %s", s->log, strerror(errno));
    return status;
}

/* Run the command train with the parsed settings `given`; return the exit status. */
static int run(const void *given) {
    const struct settings all = settled(given), *s = &all;
    double sum = 0, squares = 0, score = 0;
    if (!network_check(s->network)) return EXIT_USAGE;
    bool table = s->data && table_named(s->data), kept = s->save || s->resume || s->best || s->log;
    if (!table && (s->folds || s->test > 0 || s->balanced || s->task))
        return complain("--folds, --test, --balance, --task: these are for tables"), EXIT_USAGE;
    if (s->folds && (s->folds < 2 || s->test > 0 || kept))
        return complain("--folds: expected at least 2, without --test, --save, --best, --resume and --log"),
               EXIT_USAGE;
    if (s->threads) ty_set_threads((int)s->threads);
    int status = EXIT_SUCCESS;
    for (int64_t k = 0; k < (s->folds ? s->folds : 1) && status == EXIT_SUCCESS; k++) {
        if (s->folds) printf("fold %lld of %lld\n", (long long)k + 1, (long long)s->folds);
        status = run_fold(s, k, &score);
        sum += score;
        squares += score * score;
    }
    double n = (double)s->folds, mean = sum / n;
    if (s->folds && status == EXIT_SUCCESS)
        printf("mean of %lld folds: %.4f, deviation %.4f\n", (long long)s->folds, mean,
               sqrt(fmax(squares / n - mean * mean, 0)));
    return status;
}

#define AT(field) offsetof(struct settings, field)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), network_names},
    {"--data", &option_name, AT(data),
     "FILE.csv, FILE.npz, FILE.safetensors, a text, a folder of MNIST's files, or a folder of images"},
    READER_OPTIONS(AT(reader)),
    {"--target", &option_name, AT(target), "for a table: the target column (the last)"},
    {"--epochs", &option_count, AT(epochs),
     "number of passes over the examples (5; for text 60, for tables 500 steps)"},
    {"--batch", &option_count, AT(batch), "number of examples in a batch (100; for text and tables 32)"},
    {"--limit", &option_count, AT(limit), "use at most N examples (all)"},
    {"--validate", &option_share, AT(held_out), "fraction of the examples for validation, 0 for none (0.1)"},
    {"--test", &option_share, AT(test), "for a table: fraction of the rows for a test at the end (0)"},
    {"--folds", &option_count, AT(folds),
     "for a table: train N times, each time with another Nth as the test"},
    {"--task", &option_task, AT(task), "for a table: classes or regression (chosen by the target)"},
    {"--balance", &option_flag, AT(balanced), "for a table: weigh classes by the inverse of their rows"},
    {"--optimiser", &option_rule, AT(optimiser),
     "sgd, momentum, adagrad, rmsprop, adam, adamw, lion, ... (adagrad; for text and tables adam)"},
    {"--rate", &option_number, AT(rate), "learning rate (the optimiser's default)"},
    {"--schedule", &option_schedule, AT(schedule),
     "learning rate schedule: cosine, one_cycle, exponential, ... (constant)"},
    {"--warmup", &option_count, AT(warmup), "number of first steps, in which the learning rate rises (0)"},
    {"--decay", &option_number, AT(decay), "weight decay (0)"},
    {"--clip", &option_number, AT(clip), "maximum norm of all gradients together (none)"},
    {"--loss", &option_loss, AT(loss), "cross_entropy, mse, mae, huber, bce (chosen by the target)"},
    {"--classes", &option_count, AT(classes), "number of classes or tokens (that of the data)"},
    {"--accumulate", &option_count, AT(accumulate),
     "number of parts of a batch, computed one after the other to save memory (1)"},
    {"--bf16", &option_flag, AT(half), "compute in bf16; parameters remain f32"},
    {"--early-stop", &option_count, AT(patience),
     "stop after N epochs without improvement, and go back to the best one"},
    {"--seed", &option_seed, AT(seed), "seed of initial parameters, order of examples and dropout (1)"},
    {"--eager", &option_flag, AT(eager), "run operator by operator instead of compiling the step"},
    {"--threads", &option_width, AT(threads),
     "number of threads (all processors); results have the same bits for any number"},
    {"--weights", &option_file, AT(weights), "start with weights from a file"},
    {"--layout", &option_layout, AT(layout),
     "names and order of axes in the file of weights: tyto, pytorch, keras (tyto)"},
    {"--save", &option_target, AT(save), "write a checkpoint to FILE after every epoch and at the end"},
    {"--every", &option_count, AT(every), "with --save: write the checkpoint every N steps instead"},
    {"--best", &option_target, AT(best), "write the parameters of the best epoch to FILE"},
    {"--resume", &option_file, AT(resume), "continue from a checkpoint"},
    {"--plot", &option_target, AT(plot), "draw the losses to an SVG file, and on the terminal"},
    {"--sample", &option_count, AT(sample), "for text: generate N tokens at the end (300)"},
    {"--log", &option_file, AT(log),
     "write the loss of every step, one line each; --resume continues the file"},
    {"--quiet", &option_flag, AT(quiet), "print only the result"},
    {0}};

static const struct settings defaults = {
    .network = "", .optimiser = -1, .loss = -1, .schedule = -1, .seed = 1, .held_out = 0.1, .sample = 300};

const struct command command_train = {.name = "train",
                                      .doc = "Train a network on your data, on digits or on text.",
                                      .details =
                                          "With --save, an interrupt (ctrl-C) writes a checkpoint first.  "
                                          "--resume continues with the same losses.",
                                      .options = options,
                                      .defaults = &defaults,
                                      .bytes = sizeof defaults,
                                      .run = run,
                                      .computes = true,
                                      .own_line = true};
