/* tyto predict: what a trained network says of inputs. */
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

struct settings {
    const char *network, *weights, *layout, *labels, *output;
    struct option_list inputs;
    int64_t classes, top, threads;
};

enum { MOST_LABELS = 65536 };

struct labels {
    char *text; /* lines end in zeros */
    char **at;
    int64_t n;
};

/* ---- names of classes ---- */

static bool read_labels(struct labels *l, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return complain("%s: cannot be opened", path) == EXIT_SUCCESS;
    size_t room = 1 << 22;
    l->text = malloc(room + 1);
    l->at = malloc(MOST_LABELS * sizeof *l->at);
    size_t n = l->text && l->at ? fread(l->text, 1, room, file) : 0;
    fclose(file);
    if (!l->text || !l->at) return complain("out of memory") == EXIT_SUCCESS;
    l->text[n] = 0;
    for (char *line = strtok(l->text, "\r\n"); line && l->n < MOST_LABELS; line = strtok(NULL, "\r\n"))
        l->at[l->n++] = line;
    return true;
}

static void drop_labels(struct labels *l) {
    free(l->text);
    free(l->at);
}

/* ---- inputs ---- */

/* The form of one example: what the network takes without the batch axis. */
struct form {
    ty_dtype dtype;
    int rank;
    const int64_t *shape;
    bool any_size;
};

static bool find_form(const struct network *n, struct form *f) {
    f->any_size = false;
    if (!n->known) return ty_model_input(n->model, 0, NULL, &f->dtype, &f->rank, &f->shape);
    *f = (struct form){n->known->dtype, n->known->rank, n->known->shape, n->known->any_size};
    return true;
}

static bool same_tail(const ty_tensor *x, const struct form *f, int from) {
    int any = f->any_size ? 2 : 0;
    return ty_rank(x) == f->rank + from &&
           !memcmp(ty_shape(x) + from + any, f->shape + any, (size_t)(f->rank - any) * sizeof *f->shape);
}

/* A batch of examples from what a file holds: examples, one example, or a picture. */
static ty_tensor *batch_of(const struct network *n, ty_tensor *x) {
    struct form f;
    if (!find_form(n, &f)) return ty_poison("the network has no input");
    if (!ty_ok(x) || same_tail(x, &f, 1)) return ty_cast(x, f.dtype);
    bool picture = f.rank == 3 && (ty_rank(x) == 2 || ty_rank(x) == 3);
    if (!picture && same_tail(x, &f, 0)) return ty_cast(ty_expand(x, 0), f.dtype);
    if (!picture) {
        char *found = ty_info(x);
        ty_tensor *poison = ty_poison(
            "the file holds an array of %d axes, which is no example and no batch of the network's: %s",
            ty_rank(x), found ? strtok(found, "\n") : "");
        ty_free(found);
        return poison;
    }
    bool images = n->known && n->known->images;
    x = picture_fit(x, f.shape, images);
    if (images) x = picture_normalise(x);
    return ty_cast(ty_expand(x, 0), f.dtype);
}

/* ---- results ---- */

static void print_class(const struct labels *l, int64_t class, double share) {
    if (class < l->n)
        printf("  %6.2f %%  %s\n", 100 * share, l->at[class]);
    else
        printf("  %6.2f %%  class %lld\n", 100 * share, (long long)class);
}

/* The classes with the greatest shares, greatest first. */
static bool print_classes(const struct settings *s, const struct labels *l, ty_tensor *scores, int64_t row) {
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

static bool print_results(const struct settings *s, const struct labels *l, const char *path, ty_tensor *y) {
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

/* One result in any format, several by their numbers in one that has names. */
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

static bool predict(const struct settings *s, struct network *n, const struct labels *l, const char *path) {
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_eval(batch_of(n, file_tensor(path))), *y[TY_MAX_RANK], *error = NULL;
    bool well = ty_ok(x) || complain("%s: %s", path, ty_error(x)) == EXIT_SUCCESS;
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

static bool check(const struct settings *s) {
    if (!network_check(s->network)) return false;
    if (!s->weights)
        return complain("the weights are missing: --weights FILE, which tyto train --save writes") ==
               EXIT_SUCCESS;
    if (!s->inputs.n) return complain("an input is missing: --input FILE") == EXIT_SUCCESS;
    return !s->output || s->inputs.n == 1 ||
           complain("--output takes the results of one input") == EXIT_SUCCESS;
}

static int run(const void *chosen) {
    const struct settings *s = chosen;
    struct network n = {0};
    struct labels l = {0};
    if (!check(s)) return EXIT_USAGE;
    if (s->threads) ty_set_threads((int)s->threads);
    ty_scope *scope = ty_open();
    bool well = (!s->labels || read_labels(&l, s->labels)) &&
                network_open(&n, s->network, s->classes, (ty_model_options){.lazy = true}) &&
                network_build(&n, 1) && network_load(&n, s->weights, s->layout);
    for (int i = 0; well && i < s->inputs.n; i++) well = predict(s, &n, &l, s->inputs.items[i]);
    network_close(&n);
    drop_labels(&l);
    ty_close(scope);
    return well ? EXIT_SUCCESS : EXIT_FAILED;
}

#define AT(member) offsetof(struct settings, member)
static const struct option options[] = {
    {"NETWORK", &option_name, AT(network), network_names},
    {"--weights", &option_file, AT(weights), "what tyto train --save wrote, or weights of others"},
    {"--layout", &option_layout, AT(layout),
     "whose names and order of axes they have: tyto, pytorch, keras (tyto)"},
    {"--input", &option_files, AT(inputs), "a picture, an example or a batch; again and again"},
    {"--labels", &option_file, AT(labels), "names of the classes, one a line"},
    {"--classes", &option_count, AT(classes), "how many classes, or tokens (the network's own)"},
    {"--top", &option_count, AT(top), "how many classes are shown (5)"},
    {"--output", &option_file, AT(output), "write the results to a file instead: .npy, .csv, ..."},
    {"--threads", &option_width, AT(threads), "threads (all processors); changes no bit of the result"},
    {0}};

const struct command command_predict = {
    .name = "predict",
    .doc = "what a trained network says of pictures or arrays",
    .details = "Pictures become as large as the network takes them.  A file may hold one example or a batch.",
    .options = options,
    .defaults = &(const struct settings){.network = "", .layout = "tyto", .top = 5},
    .bytes = sizeof(struct settings),
    .run = run};
