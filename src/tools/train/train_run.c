/* tyto train: steps, epochs and files of one training. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/shape.h>
#include "base/files/folders.h"
#include "io/several.h"
#include "nn/trainer.h"
#include "tools/command.h"
#include "tools/network/writing.h"
#include "tools/options/message.h"
#include "tools/train/log.h"
#include "tools/train/train.h"
#include "tools/options/result.h"

static const double SAVE_SECONDS = 1; /* least time between checkpoints of epochs */

static volatile sig_atomic_t stopped_by;
static void stop(int number) { stopped_by = number; }

/* Install the handlers that end the training after the present step; a second signal kills the process. */
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(SIGHUP, &action, NULL);
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
    if (!written) complain_of(error);
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
    complain_code(TY_ERROR_FILE, "%s: cannot be written: %s", r->s->log, strerror(why));
    save(r);
    return false;
}

/* Open the log, if requested, and restore earlier losses from the checkpoint's note or else from the log;
   false after a message on stderr. */
static bool open_log(struct session *r) {
    if (r->s->best && !file_holds_several(r->s->best))
        return complain("--best %s: expected a name that ends in .safetensors or .npz", r->s->best) ==
               EXIT_SUCCESS;
    const char *name = r->s->export ? folders_name(r->s->export) : NULL;
    if (r->s->export && strchr(name, '.') && !file_holds_several(r->s->export))
        return complain("--export %s: expected a name that ends in .safetensors or .npz, or without a point",
                        r->s->export) == EXIT_SUCCESS;
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

static void add_epoch(const ty_epoch *e) {
    result_open(NULL, '{');
    result_whole("epoch", e->epoch);
    result_whole("step", e->step);
    result_number("loss", e->loss);
    result_number("validation", e->validation);
    result_number("accuracy", e->accuracy);
    result_number("step_milliseconds", e->ms);
    result_number("seconds", e->seconds);
    result_close();
}

/* Print the line of an epoch; numbers that are NaN are left out. */
static void print_epoch(struct session *r, const ty_epoch *e) {
    say("epoch %3lld/%lld  step %6lld  loss %s", (long long)e->epoch, (long long)e->epochs,
        (long long)e->step, shown((char[SHOWN]){0}, 4, e->loss));
    if (e->validation == e->validation) say("  validation %s", shown((char[SHOWN]){0}, 4, e->validation));
    if (e->accuracy == e->accuracy) say("  accuracy %6s %%", shown((char[SHOWN]){0}, 2, 100 * e->accuracy));
    say("  %6s ms/step  %6s s%s\n", shown((char[SHOWN]){0}, 1, e->ms), shown((char[SHOWN]){0}, 1, e->seconds),
        r->s->best && e->best ? "  best" : "");
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
    add_epoch(e);
    if (!r->s->quiet) print_epoch(r, e);
    bool due = trainer_seconds() - r->saved >= SAVE_SECONDS; /* short epochs would wait for the disk only */
    if (!r->s->every && due && !save(r)) return false;
    if (due) r->saved = trainer_seconds();
    bool last = e->epoch == e->epochs, over = r->patience && e->since_best >= r->patience;
    if (r->patience && e->since_best && (over || last) && !r->s->quiet)
        say("%s%s epoch %lld, the best%s\n", over ? "stopped: no improvement; " : "",
            r->trainer->kept ? "back to" : "not back to", (long long)(e->epoch - e->since_best),
            r->trainer->kept ? "" : ", which the checkpoint has not kept");
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
    if (error) complain_of(error);
    ty_close(scope);
    r->failed = r->failed || error;
    return !error;
}

/* End the training: save, plot, test and print a sample of text, each if requested; return the exit status. */
static int finish(struct session *r) {
    ty_progress_end(&r->progress);
    result_close();
    result_whole("steps", ty_trainer_steps(r->trainer));
    if (*ty_trainer_error(r->trainer)) return COMPLAIN_FAILURE(ty_trainer_failure(r->trainer));
    bool saved = !r->failed && save(r),
         drawn = !r->s->plot || curves_draw(&r->curves[0], &r->curves[1], r->s->plot);
    if (!saved || !drawn) return EXIT_FAILED; /* already reported */
    if (stopped_by) {
        complain("stopped at step %lld%s%s", (long long)ty_trainer_steps(r->trainer),
                 r->s->save ? "; saved in " : "; nothing saved (no --save)", r->s->save ? r->s->save : "");
        return EXIT_SIGNAL + (int)stopped_by;
    }
    if (!test(r)) return EXIT_FAILED;
    if (r->s->export && !network_save(&r->network, r->s->export, r->s->layout)) return EXIT_FAILED;
    if (!r->s->quiet && !r->s->folds && !r->s->export && !r->s->save && !r->s->best)
        complain("the weights are not kept; --export FILE writes them");
    result_number("validation", r->validation);
    result_number("accuracy", r->by_class ? r->accuracy : NAN);
    if (r->data.table.preparation)
        return table_report_parts(&r->data.table, r->network.model, &r->score) ? EXIT_SUCCESS : EXIT_FAILED;
    if (r->by_class && (r->data.test_images || r->held_out.batch))
        say("validation accuracy %s %%\n", shown((char[SHOWN]){0}, 2, 100 * r->accuracy));
    else if (r->validation == r->validation)
        say("validation loss %s\n", shown((char[SHOWN]){0}, 4, r->validation));
    if (!r->data.loaded.tokens[0] || !r->s->sample) return EXIT_SUCCESS;
    say("\n");
    struct writing w = {
        .model = ty_trainer_model(r->trainer), .prompt = "\n", .length = 1, .most = r->s->sample};
    w.how = (ty_draw_options){.temperature = TEMPERATURE, .seed = r->s->seed};
    return text_write(&w) ? EXIT_SUCCESS : EXIT_FAILED;
}

/* Load the checkpoint, if requested, and then set the rate that the command line gives; false after a
   message on stderr. */
static bool resume(struct session *r) {
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    bool read = !r->s->resume || ty_trainer_load(r->trainer, r->s->resume, &error);
    if (!read) complain_of(error);
    ty_close(scope);
    if (read && r->s->resume && !r->s->quiet)
        say("resumed from %s at step %lld\n", r->s->resume, (long long)ty_trainer_steps(r->trainer));
    if (r->s->rate > 0 && r->s->resume) ty_trainer_set_rate(r->trainer, r->s->rate);
    return read;
}

/* Print the summary of the model, the sizes of the data and how it is trained. */
static void introduce(const struct session *r) {
    const struct data *d = &r->data;
    if (d->table.preparation) ty_preparation_print(stdout, d->table.preparation);
    if (d->table.unknown) say("%lld rows without a target are left out\n", (long long)d->table.unknown);
    char *summary = ty_model_summary(r->network.model);
    if (summary) say("%s", summary);
    ty_free(summary);
    const struct loaded *l = &d->loaded;
    if (l->tokens[0])
        say("%lld tokens for training, %lld for validation", (long long)l->tokens[0],
            (long long)l->tokens[1]);
    else if (l->parts[0])
        say("%lld images of %lld classes for training, %lld for validation",
            (long long)ty_dataset_size(l->parts[0]), (long long)l->classes,
            (long long)ty_dataset_size(l->parts[1]));
    else
        say("%lld %s for training, %lld for validation", (long long)ty_shape(d->images)[0], d->what,
            (long long)(d->test_images ? ty_shape(d->test_images)[0] : 0));
    say(" (%s); %s, %d thread%s\n",
        r->s->data     ? r->s->data
        : l->tokens[0] ? "the system's copy of the GPL"
                       : "generated digits",
        r->s->eager ? "eager" : "compiled", ty_threads(), plural(ty_threads()));
    fflush(stdout);
}

int session_train(struct session *r) {
    const struct train_settings *s = r->s;
    if (*ty_trainer_error(r->trainer)) return COMPLAIN_FAILURE(ty_trainer_failure(r->trainer));
    if (s->weights && !network_load(&r->network, s->weights, s->layout)) return EXIT_FAILED;
    if (!s->quiet && !result_json()) introduce(r);
    if (!resume(r)) return EXIT_FAILED;
    if (!open_log(r)) return EXIT_FAILED;
    catch_signals();
    result_open("epochs", '[');
    ty_tensor *error = NULL, *parts[] = {r->data.test_images, r->data.test_labels};
    ty_fit_options options = {.epochs = r->epochs,
                              .validation = parts[0] ? parts : NULL,
                              .nvalidation = parts[0] ? 2 : 0,
                              .validation_source = r->held_out.batch ? &r->held_out : NULL,
                              .accuracy = r->by_class,
                              .patience = r->patience,
                              .restore = r->patience > 0,
                              .best = s->best,
                              .step = after_step,
                              .epoch = after_epoch,
                              .context = r};
    if (!ty_trainer_fit(r->trainer, options, &error) && !*ty_trainer_error(r->trainer)) {
        const char *kept = s->save ? "; nothing was written since the last checkpoint in " : "";
        ty_progress_end(&r->progress);
        complain_code(error ? ty_error_code(error) : TY_ERROR_MEMORY, "%s%s%s",
                      error ? ty_error(error) : "out of memory", kept, s->save ? s->save : "");
        r->failed = true;
    }
    if (r->patience || s->ema > 0 || s->swa) r->tested_at = -1; /* the model is that of the best epoch */
    if (r->patience) r->saved_at = -1; /* a checkpoint of the last epoch has other parameters */
    return finish(r);
}

/* ---- the search of a rate ---- */

enum { RATE_LINES = 25, BAR = 40 };

/* Print every few rows of the curve f64 [n, 3], as numbers and as bars between the least and the first loss. */
static void print_curve(const double *curve, int64_t n, double found) {
    int64_t each = n > RATE_LINES ? n / RATE_LINES : 1;
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        least = fmin(least, curve[3 * i + 2]);
        most = fmax(most, curve[3 * i + 2]);
    }
    say("     rate        loss    smoothed\n");
    for (int64_t i = 0; i < n; i += each) {
        const double *row = curve + 3 * i;
        int bar = most > least ? (int)(BAR * (row[2] - least) / (most - least) + 0.5) : 0;
        bool here = found >= row[0] && (i + each >= n || found < curve[3 * (i + each)]);
        say("%9.*e %11.*g %11.*g  %.*s%s\n", precision_or(3) - 1, row[0], precision_or(4), row[1],
            precision_or(4), row[2], bar, "########################################", here ? " <" : "");
    }
}

int session_find_rate(struct session *r) {
    ty_tensor *curve = NULL, *error = NULL;
    if (*ty_trainer_error(r->trainer)) return COMPLAIN_FAILURE(ty_trainer_failure(r->trainer));
    if (r->s->weights && !network_load(&r->network, r->s->weights, r->s->layout)) return EXIT_FAILED;
    double found = ty_trainer_find_rate(r->trainer, (ty_rate_options){0}, &curve, &error);
    if (curve && ty_ok(curve)) print_curve(ty_data(curve), ty_shape(curve)[0], found);
    if (error) return complain_of(error);
    result_elements("curve", curve);
    result_number("rate", found);
    say("suggested: --rate %.*g, where the loss falls most steeply\n", precision_or(2), found);
    return EXIT_SUCCESS;
}
