/*
 * tyto train: trains a network, validates it after every epoch, writes checkpoints. An interrupt finishes the
 * current step, writes a checkpoint if --save is given, and exits as the signal would.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/command.h"
#include "tools/options/drawing.h"
#include "tools/options/file.h"
#include "tools/options/out.h"
#include "tools/train/train.h"
#include "tools/options/result.h"
#include "tools/train/train_loss.h"
#include "tools/options/message.h"

/* ---- names ---- */

static bool parse_weights(const char *text, void *place) {
    (void)place;
    return strchr(text, '=');
}
static const struct option_type option_weights = {
    .argument = "C=X,C=X", .expected = "CLASS=X with X above 0", .parse = parse_weights, .list = true};
static const struct option_type option_schedule = OPTION_NAMED("NAME", schedule_name);

/* Return true if the network reads a text. */
static bool reads_text(const struct train_settings *s) {
    const ty_network *known = ty_network_named(s->network);
    return known && known->tokens;
}

/* Return a copy of the settings with defaults filled in: networks of text use Adam and more epochs. */
static struct train_settings settled(const struct train_settings *given) {
    struct train_settings s = *given;
    if (!ty_network_named(s.network) && table_named(s.network) && !s.data) { /* tyto train FILE.csv */
        s.data = s.network;
        s.network = "mlp";
    }
    bool text = reads_text(&s), table = s.data && table_named(s.data);
    for (int i = 0; s.optimiser < 0 && ty_rules[i]; i++)
        if (ty_rules[i] == (text || table ? &ty_adam : &ty_adagrad)) s.optimiser = i;
    if (!s.epochs && !table) s.epochs = text ? 60 : 5;
    if (!s.sample && text && !result_json()) s.sample = 300;
    return s;
}

/* Train once, in fold number `fold`, and store the score of the test; return the exit status. */
static int run_fold(const struct train_settings *s, int64_t fold, double *score) {
    struct session r = {.s = s, .progress = {.file = stderr}, .tested_at = -1, .saved_at = -1, .fold = fold};
    r.validation = r.accuracy = r.score = 0.0 / 0.0;
    r.curves = calloc(2, sizeof *r.curves);
    if (!r.curves) return complain("out of memory");
    r.curves[0].name = "training";
    r.curves[1].name = "validation";
    ty_scope *scope = ty_open();
    int status = EXIT_FAILED;
    if (session_open(&r)) status = s->find_rate ? session_find_rate(&r) : session_train(&r);
    ty_trainer_free(r.trainer);
    network_close(&r.network);
    data_close(&r.data);
    labels_drop(&r.labels);
    ty_close(scope);
    free(r.curves);
    *score = r.score;
    if (r.log && fclose(r.log) && status == EXIT_SUCCESS)
        status = complain_code(TY_ERROR_FILE, "%s: cannot be written: %s", s->log, strerror(errno));
    return status;
}

/* Return true, or false after a message if two given options exclude each other, or one has no effect on the data. */
static bool agree(const struct train_settings *s, bool table) {
    const struct {
        const char *name;
        bool given;
    } others[] = {{"--save", s->save},
                  {"--best", s->best},
                  {"--export", s->export},
                  {"--resume", s->resume},
                  {"--log", s->log},
                  {"--plot", s->plot},
                  {"--test", s->test > 0 && s->folds},
                  {"--ema", s->ema > 0 && !s->folds},
                  {"--swa", s->swa > 0 && !s->folds}};
    const char *alone = s->folds ? "--folds" : s->find_rate ? "--find-rate" : NULL;
    if (!table && (s->folds || s->test > 0 || s->task || s->target))
        return complain("--folds, --target, --task, --test: these are for tables") == EXIT_SUCCESS;
    if (s->sample && !reads_text(s)) return complain("--sample: it is for texts") == EXIT_SUCCESS;
    if (s->tokenizer && !reads_text(s)) return complain("--tokenizer: it is for texts") == EXIT_SUCCESS;
    if (s->vocabulary && (!s->tokenizer || strcmp(s->tokenizer, "bpe") != 0))
        return complain("--vocabulary: expected --tokenizer bpe, too") == EXIT_SUCCESS;
    if (table && s->skip_bad)
        return complain("--skip-bad: of a table, rows that cannot be read are errors; expected a folder of "
                        "images") == EXIT_SUCCESS;
    if (result_json() && s->sample)
        return complain("--json and --sample: expected one of them") == EXIT_SUCCESS;
    if (s->log && out_is_standard(s->log))
        return complain("--log -: expected the name of a file, as results are printed") == EXIT_SUCCESS;
    if (s->every && !s->save) return complain("--every: expected --save, too") == EXIT_SUCCESS;
    if (s->folds == 1) return complain("--folds: expected at least 2, found 1") == EXIT_SUCCESS;
    if (s->folds && s->find_rate)
        return complain("--folds and --find-rate: expected one of them") == EXIT_SUCCESS;
    for (size_t i = 0; alone && i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return complain("%s and %s: expected one of them", others[i].name, alone) == EXIT_SUCCESS;
    return !(s->ema > 0 && s->swa) || complain("--ema and --swa: expected one of them") == EXIT_SUCCESS;
}

/* Run the command train with the parsed settings `given`; return the exit status. */
static int run(const void *given) {
    const struct train_settings all = settled(given), *s = &all;
    double sum = 0, squares = 0, score = 0;
    if (!network_check(s->network)) return EXIT_USAGE;
    if (!agree(s, s->data && table_named(s->data))) return EXIT_USAGE;
    if (s->threads) ty_set_threads((int)s->threads);
    int status = EXIT_SUCCESS;
    if (s->folds) result_open("folds", '[');
    for (int64_t k = 0; k < (s->folds ? s->folds : 1) && status == EXIT_SUCCESS; k++) {
        if (s->folds) say("fold %lld of %lld\n", (long long)k + 1, (long long)s->folds);
        if (s->folds) result_open(NULL, '{');
        status = run_fold(s, k, &score);
        if (s->folds) result_close();
        sum += score;
        squares += score * score;
    }
    double n = (double)s->folds, mean = sum / n, deviation = sqrt(fmax(squares / n - mean * mean, 0));
    if (s->folds) result_close();
    if (s->folds && status == EXIT_SUCCESS) {
        result_number("mean", mean);
        result_number("deviation", deviation);
        say("mean of %lld folds: %s, deviation %s\n", (long long)s->folds, shown((char[SHOWN]){0}, 4, mean),
            shown((char[SHOWN]){0}, 4, deviation));
    }
    return status;
}

#define AT(field) offsetof(struct train_settings, field)
static const struct option options[] = {
    {"NETWORK", &option_source, AT(network), network_names},
    {"[DATA]", &option_source, AT(data), "the same as --data; a table alone is a network's too: mlp"},
    {"--data", &option_source, AT(data),
     "learn FILE.csv, FILE.npz, FILE.safetensors, a text, a folder of MNIST's files, or a folder of images"},
    READER_OPTIONS(AT(reader)),
    {"--target", &option_name, AT(target), "for a table: predict this column (the last)"},
    {"--epochs", &option_count, AT(epochs),
     "pass over the examples N times (5; for text 60; for tables until 20 epochs do not improve, at most "
     "2000 steps)"},
    {"--batch", &option_count, AT(batch), "take N examples in a batch (100; for text and tables 32)"},
    {"--limit", &option_count, AT(limit), "use at most N examples (all)"},
    {"--validate", &option_share, AT(held_out),
     "validate on this fraction of the examples, 0 for none (0.1)"},
    {"--test", &option_share, AT(test),
     "for a table: keep this fraction of the rows for a test at the end (0)"},
    {"--folds", &option_count, AT(folds),
     "for a table: train N times, each time with another Nth as the test"},
    {"--task", &option_task, AT(task),
     "for a table: predict classes, or numbers by regression (chosen by the target)"},
    {"--balance", &option_flag, AT(balanced), "weigh classes by the inverse of their rows"},
    {"--class-weight", &option_weights, AT(weighted), "weigh classes, such as yes=3,no=1; repeatable (1)"},
    {"--optimiser", &option_rule, AT(optimiser),
     "learn by sgd, momentum, adagrad, rmsprop, adam, adamw, lion, ... (adagrad; for text and tables adam)"},
    {"--rate", &option_number, AT(rate), "learn at this rate (the optimiser's default)"},
    {"--schedule", &option_schedule, AT(schedule),
     "change the learning rate by this schedule: cosine, one_cycle, exponential, ... (constant)"},
    {"--warmup", &option_count, AT(warmup), "raise the learning rate in the first N steps (0)"},
    {"--decay", &option_number, AT(decay), "decay weights by this rate (0)"},
    {"--clip", &option_number, AT(clip), "clip gradients to this norm of all together (none)"},
    {"--loss", &option_loss, AT(loss),
     "minimise cross_entropy, multi_hinge, bce, focal, mse, mae, huber, ... (chosen by the target)"},
    {"--loss-option", &option_loss_number, AT(loss_options),
     "set a number of the loss: smoothing=0.1, delta=2, ... (docs/training.md); repeatable"},
    {"--ema", &option_share, AT(ema),
     "keep a mean of parameters, of which each step keeps this share, such as 0.999"},
    {"--swa", &option_count, AT(swa), "keep the mean of the parameters after each epoch from number N on"},
    {"--freeze", &option_names, AT(frozen), "leave parameters whose names begin so as they are; repeatable"},
    {"--augment", &option_text, AT(augment),
     "change training images by these steps: random_crop:pad=4,flip,affine:degrees=10, or none "
     "(docs/data.md)"},
    {"--skip-bad", &option_flag, AT(skip_bad), "leave out images that cannot be read, and say which"},
    {"--find-rate", &option_flag, AT(find_rate), "show losses of rising rates alone, and suggest one"},
    {"--classes", &option_count, AT(classes), "distinguish N classes or tokens (that of the data)"},
    {"--accumulate", &option_count, AT(accumulate),
     "compute each batch in N parts, one after the other, to save memory (1)"},
    {"--bf16", &option_flag, AT(half), "compute in bf16; parameters remain f32"},
    {"--early-stop", &option_count, AT(patience),
     "stop after N epochs without improvement, and go back to the best one"},
    {"--seed", &option_seed, AT(seed),
     "draw initial parameters, order of examples and dropout from this seed (1)"},
    {"--eager", &option_flag, AT(eager), "run operator by operator instead of compiling the step"},
    {"--threads", &option_width, AT(threads),
     "use N threads (all processors); results have the same bits for any number"},
    {"--weights", &option_file, AT(weights), "start with weights from a file"},
    {"--layout", &option_layout, AT(layout),
     "expect and write names and order of axes in files of weights, --weights and --export, as in tyto, "
     "pytorch or keras (tyto)"},
    {"--export", &option_target, AT(export), "write the final weights to FILE, in the order of --layout"},
    {"--save", &option_target, AT(save),
     "write a checkpoint to FILE after epochs, at most once a second, and at the end"},
    {"--every", &option_count, AT(every), "with --save: write the checkpoint every N steps instead"},
    {"--best", &option_target, AT(best), "write the parameters of the best epoch to FILE"},
    {"--resume", &option_file, AT(resume), "continue from a checkpoint"},
    {"--plot", &option_drawing, AT(plot), "draw the losses to a file, .svg or .png, and on the terminal"},
    {"--tokenizer", &option_name, AT(tokenizer),
     "for text: bpe, which is trained on it, or a file tokenizer.json (bytes)"},
    {"--vocabulary", &option_count, AT(vocabulary),
     "for --tokenizer bpe: train a tokenizer of N tokens (4096)"},
    {"--sample", &option_count, AT(sample), "for text: generate N tokens at the end (300; none with --json)"},
    {"--log", &option_target, AT(log),
     "write the loss of every step, one line each; --resume continues the file"},
    {"--quiet", &option_flag, AT(quiet), "print only the result"},
    {0}};

static const struct train_settings defaults = {
    .network = "", .optimiser = -1, .loss = -1, .schedule = -1, .seed = 1, .held_out = 0.1};

const struct command command_train = {
    .name = "train",
    .doc = "Train a network on your data, on digits or on text.",
    .details = "  tyto train titanic.csv --target Survived --save ship\n"
               "  tyto train resnet18 flowers/ --augment flip --save flowers.net\n"
               "  tyto predict ship more.csv\n"
               "With --save, an interrupt (ctrl-C) or a hang-up writes a checkpoint first.  "
               "--resume continues with the same losses.",
    .options = options,
    .defaults = &defaults,
    .bytes = sizeof defaults,
    .run = run,
    .prints = true,
    .computes = true,
    .own_line = true};
