/* Conversion to and from the layouts of PyTorch and Keras, which order axes, gates and biases differently or
   join several variables. See weights.h. */
#include "nn/model/weights.h"
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/shape.h>

static bool is_keras(const ty_weights_options *o) { return o->layout == TY_LAYOUT_KERAS; }

/* Return the last part of a variable's name in files of the options' layout; owned by e or static. */
static const char *part_in(const struct variable_entry *e, const ty_weights_options *o) {
    static const struct {
        const char *ours, *keras;
    } rows[] = {{"running_mean", "moving_mean"}, {"running_var", "moving_variance"}};
    if (!is_keras(o)) return e->name;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].ours, e->name)) return rows[i].keras;
    return e->keras ? e->keras : e->name;
}

char *weights_name(const struct variable_entry *e, const ty_weights_options *o) {
    struct text t = {0};
    const char *path = e->owner->path, *joint = is_keras(o) ? "/" : ".", *part = part_in(e, o);
    bool goes_on = !*path || (is_keras(o) && *part == '_');
    text_add(&t, "%s%s%s", path, goes_on ? "" : ".", part);
    for (int i = 0; i < o->nrename && o->rename && t.data; i++) {
        const char *model = o->rename[i].model ? o->rename[i].model : "";
        size_t length = strlen(model);
        if (strncmp(t.data, model, length) != 0) continue;
        struct text renamed = {0};
        text_add(&renamed, "%s%s", o->rename[i].file ? o->rename[i].file : "", t.data + length);
        text_drop(&t);
        t = renamed;
        break;
    }
    for (char *c = t.data; c && *joint != '.' && (c = strchr(c, '.'));) *c = *joint;
    return text_take(&t);
}

int weights_joined(int n, struct variable_entry *const *e, char *const *names, const ty_weights_options *o) {
    int joined = 1;
    if (!is_keras(o) || !e[0]->keras_join) return 1;
    while (joined < n && e[joined]->owner == e[0]->owner && !strcmp(names[joined], names[0])) joined++;
    return joined;
}

/* Fill axes[] with the permutation from our axes to the file's, or, if `inverse`, back. Return false if no
   axis moves; axes[] is then not to be used. */
static bool axes_of(const struct variable_entry *e, const ty_weights_options *o, bool inverse, int *axes) {
    int rank = ty_rank(e->variable), moved = 0;
    const int *theirs = is_keras(o) ? e->keras_axes : e->pytorch;
    if (o->layout == TY_LAYOUT_TYTO || rank > 8) return false;
    for (int i = 0; i < rank; i++) {
        moved |= theirs[i];
        if (inverse)
            axes[theirs[i]] = i;
        else
            axes[i] = theirs[i];
    }
    return moved != 0;
}

/* Return x with the equal blocks (gates) of its last axis in the file's order, or, if `inverse`, from that
   in ours; x itself if the layout does not reorder them. */
static ty_tensor *in_blocks(const struct variable_entry *e, const ty_weights_options *o, bool inverse,
                            ty_tensor *x) {
    int n = 0;
    ty_tensor *parts[8];
    for (int i = 0; i < 8; i++)
        if (e->keras_blocks[i] >= n) n = e->keras_blocks[i] + 1;
    if (!is_keras(o) || n < 2 || !ty_ok(x)) return x;
    int64_t size = ty_shape(x)[ty_rank(x) - 1] / n;
    for (int i = 0; i < n; i++) {
        int64_t from = inverse ? i : e->keras_blocks[i];
        parts[inverse ? e->keras_blocks[i] : i] = ty_slice(x, -1, from * size, (from + 1) * size, 1);
    }
    return ty_concat(n, parts, -1);
}

/* Return x with axes and blocks changed from the model's layout to that of files, or, if `inverse`, back. */
static ty_tensor *turned(const struct variable_entry *e, const ty_weights_options *o, bool inverse,
                         ty_tensor *x) {
    int axes[8] = {0};
    if (inverse) x = in_blocks(e, o, true, x);
    if (axes_of(e, o, inverse, axes)) x = ty_permute(x, axes);
    return inverse ? x : in_blocks(e, o, false, x);
}

ty_tensor *weights_to_file(int n, struct variable_entry *const *e, const ty_weights_options *o) {
    ty_tensor *all = turned(e[0], o, false, ty_detach(e[0]->variable));
    bool stack = n > 1 && e[0]->keras_join == TY_JOIN_STACK;
    if (stack) all = ty_expand(all, 0);
    for (int i = 1; i < n; i++) {
        ty_tensor *next = turned(e[i], o, false, ty_detach(e[i]->variable));
        all = stack ? ty_concat(2, (ty_tensor *[]){all, ty_expand(next, 0)}, 0) : ty_add(all, next);
    }
    return all;
}

int weights_shape(int n, const struct variable_entry *e, const ty_weights_options *o, int64_t *shape) {
    int axes[8], rank = ty_rank(e->variable), first = n > 1 && e->keras_join == TY_JOIN_STACK;
    bool turn = axes_of(e, o, false, axes);
    if (first) shape[0] = n;
    for (int i = 0; i < rank; i++) shape[first + i] = ty_shape(e->variable)[turn ? axes[i] : i];
    return first + rank;
}

ty_tensor *weights_from_file(int n, const struct variable_entry *e, const ty_weights_options *o, ty_tensor *x,
                             int i) {
    if (n > 1 && e->keras_join == TY_JOIN_STACK) x = ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0);
    if (n > 1 && e->keras_join == TY_JOIN_SUM && i) x = ty_zeros_like(x);
    return turned(e, o, true, x);
}

/* Return x, Keras' depthwise kernels [.., channels, multiplier], reshaped to grouped ones [.., 1, channels
   * multiplier] if the model expects shape[rank] of that form; else x itself. */
ty_tensor *weights_reshaped(const ty_weights_options *o, ty_tensor *x, int rank, const int64_t *shape) {
    if (!is_keras(o) || rank < 3 || ty_rank(x) != rank || shape[rank - 2] != 1) return x;
    for (int i = 0; i < rank - 2; i++)
        if (ty_shape(x)[i] != shape[i]) return x;
    return ty_shape(x)[rank - 2] > 1 && ty_shape(x)[rank - 2] * ty_shape(x)[rank - 1] == shape[rank - 1]
               ? ty_reshape(x, rank, shape)
               : x;
}
