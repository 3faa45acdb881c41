/* tyto predict: runs a trained network on inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/io.h>
#include <tyto/arithmetic.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/context/stop.h"
#include "tools/network/loaded.h"
#include "tools/network/model_in.h"
#include "tools/network/picture.h"
#include "tools/network/table.h"
#include "tools/options/file.h"
#include "tools/options/out.h"
#include "tools/options/result.h"
#include "tools/options/message.h"

struct settings {
    struct model_in in;
    struct file_out out;
    int64_t top;
    bool skip_bad;
};

enum { TOP = 5 }; /* classes that are shown without --top */

/* State of the command. */
struct prediction {
    const struct settings *s;
    struct model model;
    struct text csv; /* answers of tables, or for a csv file */
    int64_t skipped;
};

/* ---- inputs ---- */

/* Return true if x may be a picture: u8 or u16, [H, W] or [H, W, C] with C of 1 to 4. */
static bool is_picture(const ty_tensor *x) {
    bool samples = ty_dtype_of(x) == TY_U8 || ty_dtype_of(x) == TY_U16;
    int rank = ty_rank(x);
    return samples && (rank == 2 || (rank == 3 && ty_shape(x)[2] >= 1 && ty_shape(x)[2] <= 4));
}

/* Return true if x is [H, W], in any dtype, with exactly the height and width of a network whose form f is
   [H, W, 1]. */
static bool is_grey(const struct form *f, const ty_tensor *x) {
    return f->rank == 3 && ty_rank(x) == 2 && f->shape[2] == 1 && ty_shape(x)[0] == f->shape[0] &&
           ty_shape(x)[1] == f->shape[1];
}

/* Return poison that says which shape and dtype the network's form f expects and which x has. */
static ty_tensor *refuse_form(const struct form *f, const ty_tensor *x) {
    char wanted[FORM_WORDS], found[FORM_WORDS];
    bool table = f->rank == 1 && ty_rank(x) == 2;
    network_form_words(wanted, f->rank, f->shape);
    network_form_words(found, table ? 1 : ty_rank(x), ty_shape(x) + table);
    return ty_poison_code(E_ARGUMENT, "expected %s%s%s, found %s%s of %s",
                          table || f->rank == 1 ? "" : "examples of ", wanted,
                          f->rank == 3 ? " or a picture, u8 or u16" : "",
                          table || ty_rank(x) == 1 ? "" : "an array ", found, ty_dtype_name(ty_dtype_of(x)));
}

/* Return x, the contents of a file, as a batch for the network: x may be examples, one example, or a
   picture. Poison if it fits none, or if x is poison. */
static ty_tensor *batch_of(const struct network *n, const struct form *f, ty_tensor *x) {
    if (!ty_ok(x)) return x;
    if (ty_dtype_of(x) >= TY_C64)
        return ty_poison_code(E_DTYPE, "expected real numbers, found %s", ty_dtype_name(ty_dtype_of(x)));
    bool picture = f->rank == 3 && is_picture(x), images = n->known && n->known->images;
    if (network_fits(f, x, 1) && !(images && picture)) return ty_cast(x, f->dtype);
    if (!picture && network_fits(f, x, 0)) return ty_cast(ty_expand(x, 0), f->dtype);
    if (!picture && is_grey(f, x)) return ty_cast(ty_expand(ty_expand(x, -1), 0), f->dtype);
    if (!picture) return refuse_form(f, x);
    x = picture_fit(x, f->shape, images);
    if (images) x = picture_normalise(x);
    return ty_cast(ty_expand(x, 0), f->dtype);
}

/* Return the batch of a file; NULL after a message.  Images of a network that was trained on a folder are prepared as in
   its validation. */
static ty_tensor *read_batch(const struct prediction *p, const char *path) {
    const struct network *n = &p->model.network;
    struct form f;
    if (!network_form(n, &f)) return ty_poison_code(E_ARGUMENT, "the network has no input");
    const struct image_plan plan = {.network = n->known, .shape = f.shape};
    if (f.rank == 3 && ty_model_note(n->model, TY_NOTE_CLASSES) && inputs_image(path))
        return ty_cast(ty_expand(images_read(path, &plan), 0), f.dtype);
    ty_tensor *x = file_tensor(path, &p->s->in.reader);
    return ty_ok(x) ? batch_of(n, &f, x) : NULL;
}

/* ---- results ---- */

/* Print the s->top classes with the largest probabilities of example `row`, from 0, of scores [n, classes],
   in descending order; false after a message on stderr. */
static bool print_classes(const struct prediction *p, ty_tensor *scores, int64_t row) {
    int64_t n = ty_shape(scores)[1], top = p->s->top && p->s->top < n ? p->s->top
                                           : !p->s->top && n > TOP    ? TOP
                                                                      : n;
    ty_tensor *shares = ty_softmax(ty_cast(ty_slice(scores, 0, row, row + 1, 1), TY_F32), 1);
    ty_tensor *order = ty_argsort(ty_neg(ty_reshape(shares, 1, &n)), 0, false);
    char room[LABEL_ROOM];
    double *values = malloc((size_t)n * sizeof *values);
    int64_t *places = malloc((size_t)n * sizeof *places);
    bool well = values && places && ty_read(shares, TY_F64, values) && ty_read(order, TY_I64, places);
    for (int64_t i = 0; well && i < top; i++) {
        const char *name = labels_name(&p->model.labels, places[i], room);
        result_open(NULL, '{');
        result_text("name", name);
        result_number("probability", values[places[i]]);
        result_close();
        say("  %6.*f %%  ", precision_or(2), 100 * values[places[i]]);
        print_padded(name, text_visible_width(name)); /* a file of weights may be anybody's */
        say("\n");
    }
    if (!well) complain_of(values && places ? order : NULL);
    free(values);
    free(places);
    return well;
}

/* Return true if results are scores of classes. */
static bool are_scores(const ty_tensor *y) {
    return ty_rank(y) == 2 && ty_shape(y)[1] >= 2 && ty_dtype_of(y) >= TY_F16;
}

/* Print the result y of the file `path`: the best classes of scores [n, classes], else the array. False after a message
   on stderr. */
static bool print_results(const struct prediction *p, const char *path, ty_tensor *y) {
    if (!are_scores(y)) {
        say("%s\n", path);
        return result_tensor(NULL, path, y) && print_tensor(y);
    }
    for (int64_t i = 0; i < ty_shape(y)[0]; i++) {
        ty_scope *scope = ty_open();
        if (ty_shape(y)[0] > 1)
            say("%s, example %lld\n", path, (long long)i);
        else
            say("%s\n", path);
        result_open(NULL, '{');
        result_text("file", path);
        result_whole("example", i);
        result_open("classes", '[');
        bool well = print_classes(p, y, i);
        result_close();
        result_close();
        ty_close(scope);
        if (!well) return false;
    }
    return true;
}

/* Save n results y[]: a single one in any format, several under the names "0", "1", ...; false after a message on
   stderr. */
static bool write(const struct file_out *out, int n, ty_tensor *const *y) {
    char words[TY_MAX_RANK][16];
    const char *names[TY_MAX_RANK];
    for (int i = 0; i < n; i++) {
        snprintf(words[i], sizeof words[i], "%d", i);
        names[i] = words[i];
    }
    if (n == 1) names[0] = ty_name(y[0]);
    return out_save(out, n, names, y, (ty_file_options){0});
}

/* Return true if the results go to a csv file, or to the standard output without another format. */
static bool to_csv(const struct settings *s) {
    const char *ending = s->out.path ? strrchr(s->out.path, '.') : NULL;
    if (s->out.path && s->out.format) return !strcmp(s->out.format, "csv");
    return s->out.path && (out_is_standard(s->out.path) || (ending && !strcmp(ending, ".csv")));
}

/* ---- files ---- */

/* Predict for the file `path` and print the first result or save all; false after a message on stderr. */
static bool predict(struct prediction *p, const char *path) {
    ty_tensor *batch = read_batch(p, path), *x = batch ? ty_eval(batch) : NULL, *y[TY_MAX_RANK];
    bool well = x && ty_ok(x);
    if (x && !well) complain_about(x, "%s", path);
    if (!well || !network_whole(path, 0, NULL, 0, x)) return false;
    ty_model *model = p->model.network.model;
    ty_model_predict(model, 1, &x, y);
    if (!ty_ok(y[0])) return complain_about(y[0], "%s", path) == EXIT_SUCCESS;
    if (!p->s->out.path) return print_results(p, path, y[0]);
    if (!to_csv(p->s) || !are_scores(y[0])) {
        if (p->model.inputs.n > 1)
            return complain("--output: several inputs go to one file only if the results are scores of "
                            "classes") == EXIT_SUCCESS;
        return write(&p->s->out, ty_model_results(model), y);
    }
    const struct answers a = {
        .labels = &p->model.labels, .classes = ty_shape(y[0])[1], .target = "class", .file = path};
    return answers_add(&p->csv, &a, y[0]);
}

/* Predict for the table at `path` by the preparation that the weights hold; false after a message on stderr. */
static bool predict_table(struct prediction *p, const char *path) {
    const struct model *m = &p->model;
    ty_table *table = reader_open(path, &p->s->in.reader);
    if (!table) return false;
    ty_tensor *x = ty_preparation_inputs(m->preparation, table, TY_F32), *y[TY_MAX_RANK];
    bool well = ty_ok(x) || complain_about(x, "%s", path) == EXIT_SUCCESS;
    if (well) table_warn(m->preparation, path, table);
    ty_table_free(table);
    if (!well) return false;
    ty_model_predict(m->network.model, 1, &x, y);
    if (p->s->out.path && !to_csv(p->s)) {
        y[0] = ty_preparation_answers(m->preparation, y[0]);
        return write(&p->s->out, 1, y);
    }
    return table_answers(&p->csv, m->preparation, &m->labels, m->inputs.n > 1 || result_json() ? path : NULL,
                         y[0]);
}

/* Predict for all files; false after a message on stderr. */
static bool predict_all(struct prediction *p) {
    const struct inputs *in = &p->model.inputs;
    bool well = !p->s->out.path || in->n == 1 || to_csv(p->s) ||
                complain("--output: of several inputs, a name that ends in .csv is needed") == EXIT_SUCCESS;
    result_open("predictions", '[');
    for (int64_t i = 0; well && i < in->n; i++) {
        ty_scope *scope = ty_open();
        well = p->model.preparation ? predict_table(p, in->paths[i]) : predict(p, in->paths[i]);
        ty_close(scope);
        if (well || !p->s->skip_bad || !stop_check_thread(&(struct fault){0})) continue;
        p->skipped++;
        well = true;
    }
    result_close();
    if (p->skipped) complain("%lld of %lld files are left out", (long long)p->skipped, (long long)in->n);
    if (p->skipped == in->n) return false;
    if (!well || !p->csv.length) return well;
    if (p->s->out.path) return file_write_text(p->s->out.path, text_take(&p->csv));
    say("%s", p->csv.data);
    return true;
}

/* Run the command predict with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    struct prediction p = {.s = chosen};
    int status = EXIT_FAILED;
    if (!out_check(&p.s->out, "--output")) return EXIT_USAGE;
    ty_scope *scope = ty_open();
    bool opened = model_open(&p.model, &p.s->in, false, &status);
    bool outputs = p.model.preparation || p.s->out.path;
    if (opened && p.s->top && outputs) {
        complain("--top: it is for printed classes of images and arrays; tables and files have the "
                 "probabilities of "
                 "all classes");
        status = EXIT_USAGE;
    } else if (opened)
        status = predict_all(&p) ? EXIT_SUCCESS : EXIT_FAILED;
    model_close(&p.model);
    text_drop(&p.csv);
    ty_close(scope);
    return status;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    MODEL_IN_OPTIONS(struct settings),
    {"--top", &option_count, AT(top), "show the N most probable classes (5)"},
    FILE_OUT_OPTIONS(
        struct settings, "--output",
        "write the results to a file (.csv, .npy, ...) instead of printing them; - writes to the standard "
        "output"),
    {"--skip-bad", &option_flag, AT(skip_bad), "go on behind files that cannot be read, and count them"},
    {0}};

const struct command command_predict = {
    .name = "predict",
    .doc = "Predict by a trained network, for images, tables or arrays.",
    .details =
        "  tyto predict ship more.csv                    the network of tyto train ... --save ship\n"
        "  tyto predict flowers.net photos/ --output said.csv\n"
        "  tyto predict resnet18 --weights resnet18.safetensors --layout pytorch cat.jpg\n"
        "Images are resized to the input of the network.  Columns of a table are matched by name; answers "
        "are csv.",
    .options = options,
    .defaults = &(const struct settings){.top = 0},
    .bytes = sizeof(struct settings),
    .run = run,
    .computes = true,
    .prints = true};
