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
#include "tools/file.h"
#include "tools/network.h"
#include "tools/picture.h"
#include "tools/table.h"

struct settings {
    const char *network, *weights, *labels, *output;
    int layout;
    struct option_list inputs;
    int64_t classes, top, threads;
    struct reader_in reader;
};

enum { MOST_LABELS = 65536 };

struct class_labels {
    char *text; /* lines end in zeros */
    char **at;
    int64_t n;
};

/* ---- class names ---- */

/* Read the labels, one a line, of the file `path`; drop_labels frees them, also on failure. Line i,
   empty or not, is class i. False after a message on stderr, also for a file above the limits. */
static bool read_labels(struct class_labels *l, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return complain("%s: cannot be opened", path) == EXIT_SUCCESS;
    size_t room = 1 << 22;
    l->text = malloc(room + 1);
    l->at = malloc(MOST_LABELS * sizeof *l->at);
    size_t n = l->text && l->at ? fread(l->text, 1, room, file) : 0;
    bool whole = n < room || fgetc(file) == EOF;
    fclose(file);
    if (!l->text || !l->at) return complain("out of memory") == EXIT_SUCCESS;
    l->text[n] = 0;
    char *line = l->text;
    while (*line && l->n < MOST_LABELS) {
        l->at[l->n++] = line;
        char *end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = 0;
        if (end > line && end[-1] == '\r') end[-1] = 0;
        line = end + !last;
    }
    if (!whole || *line)
        return complain("%s: too long; expected at most %d lines and 4 MiB", path, MOST_LABELS) ==
               EXIT_SUCCESS;
    return true;
}

static void drop_labels(struct class_labels *l) {
    free(l->text);
    free(l->at);
}

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
static ty_tensor *batch_of(const struct network *n, ty_tensor *x) {
    struct form f;
    if (!network_form(n, &f)) return ty_poison_code(E_ARGUMENT, "the network has no input");
    if (!ty_ok(x)) return x;
    if (ty_dtype_of(x) >= TY_C64)
        return ty_poison_code(E_DTYPE, "expected real numbers, found %s", ty_dtype_name(ty_dtype_of(x)));
    bool picture = f.rank == 3 && is_picture(x), images = n->known && n->known->images;
    if (network_fits(&f, x, 1) && !(images && picture)) return ty_cast(x, f.dtype);
    if (!picture && network_fits(&f, x, 0)) return ty_cast(ty_expand(x, 0), f.dtype);
    if (!picture && is_grey(&f, x)) return ty_cast(ty_expand(ty_expand(x, -1), 0), f.dtype);
    if (!picture) return refuse_form(&f, x);
    x = picture_fit(x, f.shape, images);
    if (images) x = picture_normalise(x);
    return ty_cast(ty_expand(x, 0), f.dtype);
}

/* ---- results ---- */

/* Print the share, 0..1 as a percentage, and the label of a class, or its number from 0 if it has no label. */
static void print_class(const struct class_labels *l, int64_t class, double share) {
    if (class < l->n)
        printf("  %6.2f %%  %s\n", 100 * share, l->at[class]);
    else
        printf("  %6.2f %%  class %lld\n", 100 * share, (long long)class);
}

/* Print the s->top classes with the largest probabilities of example `row`, from 0, of scores [n, classes],
   in descending order; false after a message on stderr. */
static bool print_classes(const struct settings *s, const struct class_labels *l, ty_tensor *scores,
                          int64_t row) {
    int64_t n = ty_shape(scores)[1], top = s->top < n ? s->top : n;
    ty_tensor *shares = ty_softmax(ty_cast(ty_slice(scores, 0, row, row + 1, 1), TY_F32), 1);
    ty_tensor *order = ty_argsort(ty_neg(ty_reshape(shares, 1, &n)), 0, false);
    double *values = malloc((size_t)n * sizeof *values);
    int64_t *places = malloc((size_t)n * sizeof *places);
    bool well = values && places && ty_read(shares, TY_F64, values) && ty_read(order, TY_I64, places);
    for (int64_t i = 0; well && i < top; i++) print_class(l, places[i], values[places[i]]);
    if (!well) complain("%s", values && places ? ty_error(order) : "out of memory");
    free(values);
    free(places);
    return well;
}

/* Print the result y of the file `path`: the best classes of scores [n, classes], else the array; nothing
   if it is saved instead. False after a message on stderr. */
static bool print_results(const struct settings *s, const struct class_labels *l, const char *path,
                          ty_tensor *y) {
    if (s->output) return true;
    if (ty_rank(y) != 2 || ty_shape(y)[1] < 2 || ty_dtype_of(y) < TY_F16) {
        printf("%s\n", path);
        return ty_print(stdout, y) || complain("%s", ty_error(y)) == EXIT_SUCCESS;
    }
    for (int64_t i = 0; i < ty_shape(y)[0]; i++) {
        ty_scope *scope = ty_open();
        if (ty_shape(y)[0] > 1)
            printf("%s, example %lld\n", path, (long long)i);
        else
            printf("%s\n", path);
        bool well = print_classes(s, l, y, i);
        ty_close(scope);
        if (!well) return false;
    }
    return true;
}

/* Save n results y[] to `path`: a single one in any format, several under the names "0", "1", ...; false
   sets *error to poison. */
static bool write(const char *path, int n, ty_tensor *const *y, ty_tensor **error) {
    char words[TY_MAX_RANK][16];
    const char *names[TY_MAX_RANK];
    for (int i = 0; i < n; i++) {
        snprintf(words[i], sizeof words[i], "%d", i);
        names[i] = words[i];
    }
    return n == 1 ? ty_save(path, y[0], error)
                  : ty_archive_save(path, n, names, y, (ty_file_options){0}, error);
}

/* Predict for the file `path` and print the first result or save all; false after a message on stderr. */
static bool predict(const struct settings *s, struct network *n, const struct class_labels *l,
                    const char *path) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_eval(batch_of(n, file_tensor(path, &s->reader))), *y[TY_MAX_RANK], *error = NULL;
    bool well = ty_ok(x) || complain("%s: %s", path, ty_error(x)) == EXIT_SUCCESS;
    if (well && !(ty_item(ty_any(ty_ne(x, x), TY_ALL)) == 0))
        well = complain("%s: has missing values (NaN), which networks do not accept", path) == EXIT_SUCCESS;
    if (well) {
        ty_model_predict(n->model, 1, &x, y);
        well = ty_ok(y[0]) || complain("%s: %s", path, ty_error(y[0])) == EXIT_SUCCESS;
    }
    well = well && print_results(s, l, path, y[0]);
    if (well && s->output && !write(s->output, ty_model_results(n->model), y, &error))
        well = complain("%s", error ? ty_error(error) : s->output) == EXIT_SUCCESS;
    ty_close(scope);
    return well;
}

/* ---- tables ---- */

/* Predict for the table at `path` by the preparation that the weights hold, and write csv; false after a message on
   stderr. */
static bool predict_table(const struct settings *s, struct network *n, const ty_preparation *p,
                          const char *path) {
    ty_table *table = reader_open(path, &s->reader);
    if (!table) return false;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_preparation_inputs(p, table, TY_F32), *y[TY_MAX_RANK];
    bool well = ty_ok(x) || complain("%s: %s", path, ty_error(x)) == EXIT_SUCCESS;
    ty_table_free(table);
    if (well) ty_model_predict(n->model, 1, &x, y);
    const char *ending = s->output ? strrchr(s->output, '.') : NULL;
    if (well && ending && strcmp(ending, ".csv") != 0) {
        ty_tensor *error = NULL;
        y[0] = ty_preparation_answers(p, y[0]);
        well = write(s->output, 1, y, &error) || complain("%s", ty_error(error)) == EXIT_SUCCESS;
        ty_close(scope);
        return well;
    }
    char *text = well ? table_answers(p, y[0]) : NULL;
    if (text && s->output) {
        well = file_write_text(s->output, text);
    } else {
        well = text && fputs(text, stdout) >= 0;
        ty_free(text);
    }
    ty_close(scope);
    return well;
}

/* Return true if all necessary options are given; false after a message on stderr. */
static bool check(const struct settings *s) {
    if (!network_check(s->network)) return false;
    if (!s->weights)
        return complain("the weights are missing: add --weights FILE, a file of tyto train --save") ==
               EXIT_SUCCESS;
    if (!s->inputs.n) return complain("an input is missing: add --input FILE") == EXIT_SUCCESS;
    return !s->output || s->inputs.n == 1 || complain("--output needs exactly one input") == EXIT_SUCCESS;
}

/* Run the command predict with the parsed settings `chosen`; return the exit status. */
static int run(const void *chosen) {
    const struct settings *s = chosen;
    struct network n = {0};
    struct class_labels l = {0};
    if (!check(s)) return EXIT_USAGE;
    if (s->threads) ty_set_threads((int)s->threads);
    ty_scope *scope = ty_open();
    ty_preparation *p = ty_preparation_read(s->weights);
    bool table = !*ty_preparation_error(p);
    /* a file without one is that of another network */
    bool damaged = !table && ty_error_code(ty_preparation_failure(p)) != TY_ERROR_ARGUMENT;
    bool well = damaged ? complain("%s: %s", s->weights, ty_preparation_error(p)) == EXIT_SUCCESS
                : table ? table_network(&n, s->network, p, s->weights, s->layout)
                        : (!s->labels || read_labels(&l, s->labels)) &&
                              network_open(&n, s->network, s->classes, (ty_model_options){.lazy = true}) &&
                              network_build(&n, 1) && network_load(&n, s->weights, s->layout);
    for (int i = 0; well && i < s->inputs.n; i++)
        well = table ? predict_table(s, &n, p, s->inputs.items[i]) : predict(s, &n, &l, s->inputs.items[i]);
    ty_preparation_free(p);
    network_close(&n);
    drop_labels(&l);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), network_names},
    {"--weights", &option_file, AT(weights), "a file of weights, for example of tyto train --save or --best"},
    {"--layout", &option_layout, AT(layout),
     "names and order of axes in the file of weights: tyto, pytorch, keras (tyto)"},
    {"--input", &option_files, AT(inputs), "an image, or a file with one example or a batch; repeatable"},
    READER_OPTIONS(AT(reader)),
    {"--labels", &option_file, AT(labels), "a file with the names of the classes, one per line"},
    {"--classes", &option_count, AT(classes), "number of classes or tokens (the network's default)"},
    {"--top", &option_count, AT(top), "number of classes to show (5)"},
    {"--output", &option_written, AT(output),
     "write the results to a file (.npy, .csv, ...) instead of printing them"},
    {"--threads", &option_width, AT(threads),
     "number of threads (all processors); results have the same bits for any number"},
    {0}};

const struct command command_predict = {.name = "predict",
                                        .doc = "Predict by a trained network, for images, tables or arrays.",
                                        .details =
                                            "Images are resized to the input of the network.  Columns of a "
                                            "table are matched by name; answers are csv.",
                                        .options = options,
                                        .defaults = &(const struct settings){.network = "", .top = 5},
                                        .bytes = sizeof(struct settings),
                                        .run = run,
                                        .computes = true};
