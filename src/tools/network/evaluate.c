/* tyto evaluate: metrics of a trained network on tables with their target, folders of images by class, and arrays. */
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/shape.h>
#include "base/list.h"
#include "base/alloc.h"
#include "io/archive.h"
#include "tools/network/data.h"
#include "tools/network/model_in.h"
#include "tools/network/table.h"
#include "tools/options/message.h"
#include "tools/options/result.h"

struct settings {
    struct model_in in;
    const char *curve;
};

enum { BATCH = 32 };

/* ---- tables ---- */

/* Evaluate the network on a table; false after a message on stderr. */
static bool evaluate_table(const struct settings *s, const struct model *m, const char *path) {
    const struct report r = {.labels = &m->labels, .curve = s->curve};
    ty_table *table = reader_open(path, &s->in.reader);
    if (!table) return false;
    ty_tensor *x = ty_preparation_inputs(m->preparation, table, TY_F32),
              *t = ty_preparation_targets(m->preparation, table), *y[TY_MAX_RANK];
    bool well = ty_ok(x) && ty_ok(t);
    if (well) {
        table_warn(m->preparation, path, table);
        ty_model_predict(m->network.model, 1, &x, y);
        well = table_report(m->preparation, &r, path, y[0], t);
    } else {
        complain_about(ty_ok(x) ? t : x, "%s", path);
    }
    ty_table_free(table);
    return well;
}

/* ---- images and arrays ---- */

/* Predictions and labels of examples, a tensor for each batch; the scope owns them. */
struct scored {
    int n, capacity;
    ty_tensor **scores, **labels;
};

/* Append scores of a batch of inputs and its labels; false after a message. */
static bool score(struct scored *all, const struct model *m, ty_tensor *x, ty_tensor *labels) {
    ty_tensor *y[TY_MAX_RANK];
    int capacity = all->capacity;
    ty_model_predict(m->network.model, 1, &x, y);
    ty_tensor *value = ty_eval(y[0]);
    if (!ty_ok(value)) return complain_of(value) == EXIT_SUCCESS;
    if (!list_reserve(all->scores, all->n + 1, capacity) ||
        !list_reserve(all->labels, all->n + 1, all->capacity))
        return complain("out of memory") == EXIT_SUCCESS;
    all->scores[all->n] = value;
    all->labels[all->n++] = labels;
    return true;
}

/* Report on all batches; false after a message. */
static bool report_all(const struct settings *s, const struct model *m, const char *path,
                       struct scored *all) {
    const struct report r = {.labels = &m->labels, .curve = s->curve};
    if (!all->n) return complain("%s: there are no examples", path) == EXIT_SUCCESS;
    ty_tensor *scores = ty_concat(all->n, all->scores, 0), *labels = ty_concat(all->n, all->labels, 0);
    if (!ty_ok(scores) || !ty_ok(labels))
        return complain_about(ty_ok(scores) ? labels : scores, "%s", path) == EXIT_SUCCESS;
    if (ty_rank(scores) != 2 || ty_shape(scores)[1] < 2)
        return complain("%s: the network has no scores of classes to compare with labels", path) ==
               EXIT_SUCCESS;
    return report_classes(&r, path, scores, labels);
}

/* Return i64 [classes of the set]: their numbers in the network; NULL after a message if one is unknown. */
static ty_tensor *numbers_of(const struct model *m, const char *path, const ty_dataset *set) {
    int64_t n = ty_dataset_classes(set), *numbers = calloc((size_t)n + 1, sizeof *numbers);
    ty_tensor *x = NULL;
    for (int64_t i = 0; numbers && i < n; i++) {
        const char *name = ty_dataset_class(set, (int)i);
        numbers[i] = m->labels.n ? labels_find(&m->labels, name) : i;
        if (numbers[i] >= 0) continue;
        struct text known = {0};
        for (int64_t k = 0; k < m->labels.n && known.length < 400; k++)
            text_add(&known, "%s%.60s", k ? ", " : "", m->labels.at[k]);
        complain("%s/%s: the network has no such class; expected %s", path, name,
                 known.failed ? "" : known.data);
        text_drop(&known);
        free(numbers);
        return NULL;
    }
    if (numbers) x = ty_from(TY_I64, 1, &n, numbers);
    if (!numbers) complain("out of memory");
    free(numbers);
    return x;
}

/* Score all batches of a loader; false after a message. */
static bool score_all(struct scored *all, const struct model *m, const struct form *f, ty_loader *loader,
                      ty_tensor *numbers) {
    ty_tensor *batch[2];
    while (ty_loader_next(loader, 2, batch)) {
        if (!ty_ok(batch[0])) return complain_of(batch[0]) == EXIT_SUCCESS;
        if (!score(all, m, ty_cast(batch[0], f->dtype), ty_take(numbers, batch[1], 0))) return false;
    }
    return true;
}

/* Evaluate the network on a folder of images by class; false after a message on stderr. */
static bool evaluate_folder(const struct settings *s, const struct model *m, const char *path) {
    struct form f;
    struct scored all = {0};
    if (!network_form(&m->network, &f) || f.rank != 3)
        return complain("%s: a folder of images needs a network whose input is (rows, columns, channels)",
                        path) == EXIT_SUCCESS;
    const struct image_plan plan = {.network = m->network.known, .shape = f.shape, .batch = BATCH};
    ty_dataset *set = ty_dataset_folder(path, (ty_folder_options){.channels = (int)f.shape[2]});
    ty_tensor *numbers = NULL;
    if (*ty_dataset_error(set))
        COMPLAIN_FAILURE(ty_dataset_failure(set));
    else
        numbers = numbers_of(m, path, set);
    ty_loader *loader = numbers ? images_loader(set, &plan) : NULL;
    bool well = loader && score_all(&all, m, &f, loader, numbers) && report_all(s, m, path, &all);
    ty_loader_free(loader);
    ty_dataset_free(set);
    mem_free(all.scores);
    mem_free(all.labels);
    return well;
}

/* Evaluate the network on the arrays of a file; false after a message on stderr. */
static bool evaluate_arrays(const struct settings *s, const struct model *m, const char *path) {
    struct form f;
    struct scored all = {0};
    struct data d = {0};
    const struct data_options o = {.path = path, .reader = &s->in.reader};
    if (table_named(path)) /* standardised by its own rows, it would give other numbers */
        return complain("%s: is a table, but the weights do not say how tables become inputs; expected those "
                        "of tyto train TABLE --save",
                        path) == EXIT_SUCCESS;
    bool well = network_form(&m->network, &f) && data_open(&d, NULL, &o);
    if (well && !d.classes) well = complain("%s: the labels are no classes", path) == EXIT_SUCCESS;
    if (well && !network_fits(&f, d.images, 1)) {
        char wanted[FORM_WORDS], found[FORM_WORDS];
        network_form_words(wanted, f.rank, f.shape);
        network_form_words(found, ty_rank(d.images) - 1, ty_shape(d.images) + 1);
        well =
            complain("%s: the network expects examples of %s, found %s", path, wanted, found) == EXIT_SUCCESS;
    }
    well = well && score(&all, m, ty_cast(d.images, f.dtype), d.labels);
    if (well && d.test_images) well = score(&all, m, ty_cast(d.test_images, f.dtype), d.test_labels);
    well = well && report_all(s, m, path, &all);
    mem_free(all.scores);
    mem_free(all.labels);
    data_close(&d);
    return well;
}

/* ---- command ---- */

/* Run the command evaluate with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    struct model m;
    int status = EXIT_FAILED;
    ty_scope *scope = ty_open();
    bool well = model_open(&m, &s->in, true, &status);
    if (well) status = EXIT_SUCCESS;
    if (well && s->curve && m.preparation && ty_preparation_task(m.preparation) != TY_TASK_CLASSES) {
        complain("--roc: the network predicts numbers; a curve needs two classes");
        status = EXIT_USAGE;
        well = false;
    }
    bool gzip;
    const struct format *format = s->curve ? format_of_path(s->curve, &gzip) : NULL;
    if (well && format && strcmp(format->name, "csv")) {
        complain("--roc %s: the curve is written as csv, not as %s", s->curve, format->name);
        status = EXIT_USAGE;
        well = false;
    }
    if (well && s->curve && m.inputs.n > 1) {
        complain("--roc: expected one input, found %" PRId64 ", each with a curve of its own", m.inputs.n);
        status = EXIT_USAGE;
        well = false;
    }
    if (well) result_open("reports", '[');
    for (int64_t i = 0; well && i < m.inputs.n; i++) {
        const char *path = m.inputs.paths[i];
        ty_scope *inner = ty_open();
        well = m.preparation            ? evaluate_table(s, &m, path)
               : inputs_is_folder(path) ? evaluate_folder(s, &m, path)
                                        : evaluate_arrays(s, &m, path);
        ty_close(inner);
        if (!well) status = EXIT_FAILED;
    }
    if (m.inputs.n) result_close();
    model_close(&m);
    ty_close(scope);
    return status;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    MODEL_IN_OPTIONS(struct settings),
    {"--data", &option_files, offsetof(struct settings, in.further),
     "read a further file, as --input does; repeatable"},
    {"--roc", &option_target, AT(curve), "write the ROC curve of two classes to FILE.csv"},
    {0}};

const struct command command_evaluate = {
    .name = "evaluate",
    .doc = "Print metrics of a trained network on tables, images or arrays with their labels.",
    .details =
        "  tyto evaluate ship more.csv        the network of tyto train ... --save ship\n"
        "  tyto evaluate flowers.net photos/  a folder for each class\n"
        "Columns are matched by name.  Rows with another target than those of the training do not count.",
    .options = options,
    .defaults = &(const struct settings){.curve = NULL},
    .bytes = sizeof(struct settings),
    .run = run,
    .computes = true,
    .prints = true};
