/*
 * Connectionist temporal classification (Graves et al. 2006). The probability of a label sequence is the sum
 * over all alignments with T steps, with repeated labels and blanks between them. The forward recursion runs
 * over the 2 S + 1 positions "blank l1 blank l2 ... blank" in logarithms, as one scan that is differentiated.
 */
#include <string.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "nn/loss/loss.h"
#include "ops/index/index.h"

enum { LOGS, LABELS, LENGTHS, LABEL_LENGTHS };

static bool is_vector(const ty_tensor *x, int64_t n) { return ty_rank(x) == 1 && ty_shape(x)[0] == n; }

/* Check shapes, dtypes and the blank of the CTC loss. Return poison, or NULL if they are valid. */
static ty_tensor *check_ctc(const struct loss_kind *k, int n, ty_tensor *const *x, const ty_loss_options *o) {
    if (ty_rank(x[LOGS]) != 3 || ty_rank(x[LABELS]) != 2)
        return refuse(k->name, n, x, E_SHAPE, "logarithms must be (T,N,C) and labels (N,S)");
    int64_t batch = ty_shape(x[LOGS])[1], classes = ty_shape(x[LOGS])[2];
    if (ty_shape(x[LABELS])[0] != batch || !is_vector(x[LENGTHS], batch) ||
        !is_vector(x[LABEL_LENGTHS], batch))
        return refuse(k->name, n, x, E_SHAPE,
                      "labels (N,S), lengths (N) and label lengths (N) must be of the N = %lld of (T,N,C)",
                      (long long)batch);
    for (int i = LABELS; i <= LABEL_LENGTHS; i++)
        if (!dtype_is(ty_dtype_of(x[i]), CLASS_INTEGER))
            return refuse(k->name, n, x, E_DTYPE, "labels and lengths must be of an integer dtype");
    if (o->blank < 0 || o->blank >= classes)
        return refuse(k->name, n, x, E_INDEX, "blank %lld is out of bounds for %lld classes",
                      (long long)o->blank, (long long)classes);
    return ty_shape(x[LOGS])[0] ? NULL : refuse(k->name, n, x, E_SHAPE, "there are no steps");
}

/* Return the lengths as i64 with a fault attached, raised when they are computed, if one is not in 0..most
   (included). `what` names them in messages. */
static ty_tensor *lengths_checked(const char *what, ty_tensor *lengths, int64_t most) {
    ty_tensor *y = labels_checked(lengths, most + 1);
    return ty_ok(y) ? y
                    : ty_poison_code(ty_error_code(y), "%s, as if they were labels: %s", what, ty_error(y));
}

/* Return the labels [N, S] with blanks between and around, i64 [N, 2 S + 1]; those behind an example's
   length, of `lengths` [N], become blanks. Others outside 0..classes-1 are a fault when computed. */
static ty_tensor *with_blanks(ty_tensor *labels, ty_tensor *lengths, int64_t classes, int64_t blank) {
    int64_t batch = ty_shape(labels)[0], n = ty_shape(labels)[1];
    ty_tensor *inside = ty_lt(ty_iota(TY_I64, 1, &n, 0), ty_expand(lengths, 1));
    ty_tensor *label = labels_checked(ty_where(inside, ty_cast(labels, TY_I64), ty_int(blank)), classes);
    ty_tensor *none = ty_full_of(ty_scalar(TY_I64, (double)blank), 2, (int64_t[]){batch, n});
    ty_tensor *pairs = ty_stack(2, (ty_tensor *[]){none, label}, 2);
    ty_tensor *last = ty_full_of(ty_scalar(TY_I64, (double)blank), 2, (int64_t[]){batch, 1});
    return ty_concat(2, (ty_tensor *[]){ty_reshape(pairs, 2, (int64_t[]){batch, 2 * n}), last}, 1);
}

/* Return x [N, L] shifted right by n positions along axis 1; the first n become minus infinity or, for
   bools, false. */
static ty_tensor *moved(ty_tensor *x, int64_t n) {
    ty_padding padding[2] = {{0}, {.low = n}};
    bool flags = ty_dtype_of(x) == TY_BOOL;
    int64_t places = ty_shape(x)[1];
    ty_tensor *front = flags ? ty_scalar(TY_BOOL, 0) : ty_scalar(ty_dtype_of(x), -INFINITY);
    return ty_slice(ty_pad(x, padding, front), 1, 0, places, 1);
}

/* Context of the recursion. */
struct alignment {
    ty_tensor *may_skip; /* bool [N, L]: the label differs from the one before and needs no blank between */
    ty_tensor *lengths;  /* [N] */
};

/* Loop step of the recursion over time. carry[0] [N, L] are log-probabilities of the positions, x[0] [N, L]
   those of each position's label. A position is reached from itself, from the one before, or past a
   blank. Finished examples keep their values. */
static void align(void *context, ty_step *step) {
    const struct alignment *a = context;
    ty_tensor *before = step->carry[0];
    ty_tensor *skipped = ty_where(a->may_skip, moved(before, 2), ty_num(-INFINITY));
    ty_tensor *reached = ty_logaddexp(ty_logaddexp(before, moved(before, 1)), skipped);
    ty_tensor *runs = ty_expand(ty_lt(step->index, a->lengths), 1);
    step->next[0] = ty_where(runs, ty_add(reached, step->x[0]), before);
}

/* Return the log-probabilities [batch, places] before the first step: 0 at the first blank, else minus
   infinity. The first step may stay there or move to the first label. */
static ty_tensor *start(int64_t batch, int64_t places, ty_dtype dtype) {
    ty_tensor *first = ty_eq(ty_iota(TY_I64, 2, (int64_t[]){batch, places}, 1), ty_int(0));
    return ty_where(first, ty_scalar(dtype, 0), ty_scalar(dtype, -INFINITY));
}

/* Compute the CTC loss [N] of each example, and for means that divided by its number of labels. x[] are
   log-probabilities, labels, lengths and label lengths, checked before. */
static struct loss_sum ctc(ty_tensor *const *x, const ty_loss_options *o) {
    ty_dtype dtype = ty_dtype_of(x[LOGS]);
    int64_t steps = ty_shape(x[LOGS])[0], batch = ty_shape(x[LOGS])[1], classes = ty_shape(x[LOGS])[2];
    ty_tensor *lengths = lengths_checked("lengths", x[LENGTHS], steps);
    ty_tensor *count = lengths_checked("label lengths", x[LABEL_LENGTHS], ty_shape(x[LABELS])[1]);
    ty_tensor *line = with_blanks(x[LABELS], count, classes, o->blank);
    if (!ty_ok(line)) return (struct loss_sum){.each = line};
    int64_t places = ty_shape(line)[1];
    /* [T, N, L]: log probability of the label of each position in each step */
    ty_tensor *each_step = ty_broadcast(ty_expand(line, 0), 3, (int64_t[]){steps, batch, places});
    ty_tensor *given = ty_take_along_axis(x[LOGS], each_step, 2), *last, *first = start(batch, places, dtype);
    ty_tensor *label = ty_ne(line, ty_int(o->blank));
    int64_t two = 2;
    ty_tensor *twice = ty_roll(line, 1, &two, &(int64_t){1});
    struct alignment a = {ty_logical_and(label, ty_ne(line, twice)), lengths};
    ty_tensor *early = ty_lt(ty_iota(TY_I64, 1, &places, 0), ty_int(2));
    a.may_skip = ty_logical_and(a.may_skip, ty_logical_not(early));
    ty_scan_spec loop = {.ncarry = 1, .carry = &first, .nx = 1, .x = &given};
    ty_scan(align, &a, loop, &last, NULL, NULL);
    /* Alignments end at the last label or the blank after it. */
    ty_tensor *end = ty_mul(ty_expand(count, 1), ty_int(2));
    ty_tensor *behind = ty_squeeze(ty_take_along_axis(last, end, 1), 1);
    ty_tensor *at = ty_squeeze(ty_take_along_axis(last, ty_max(ty_sub(end, ty_int(1)), ty_int(0)), 1), 1);
    at = ty_where(ty_gt(count, ty_int(0)), at, ty_num(-INFINITY));
    ty_tensor *each = ty_neg(ty_logaddexp(behind, at));
    if (o->zero_infinity) each = ty_where(ty_is_inf(each), ty_num(0), each);
    ty_tensor *labels = ty_cast(ty_max(count, ty_int(1)), dtype);
    return (struct loss_sum){.each = each, .averaged = ty_div(each, labels)};
}
/* Return the bool mask [T, N, 1] of time steps within each example's length. */
static ty_tensor *ctc_counted(ty_tensor *const *x, const ty_loss_options *o) {
    int64_t steps = ty_shape(x[LOGS])[0];
    (void)o;
    ty_tensor *step = ty_expand(ty_iota(TY_I64, 1, &steps, 0), 1);
    return ty_expand(ty_lt(step, ty_cast(x[LENGTHS], TY_I64)), 2);
}

const struct loss_kind loss_ctc = {.name = "loss_ctc",
                                   .floating = 1,
                                   .domains = {{LOGS, LOSS_LOGARITHM, WORDS_LOGARITHMS, NULL, ctc_counted}},
                                   .check = check_ctc,
                                   .make = ctc};
