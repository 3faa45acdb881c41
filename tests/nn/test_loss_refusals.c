/* What losses refuse, in the words that they say. */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>
#include "tests/support/harness.h"

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *v = ty_ones(TY_F32, TY_SHAPE(2)),
              *w = ty_ones(TY_F32, TY_SHAPE(2, 1));
    ty_tensor *labels = ty_zeros(TY_I64, TY_SHAPE(2));
    ty_loss_options zero = {0};
    CHECK_POISON(ty_loss_l2(w, v, zero), "loss_l2 of f32[2,1] and f32[2]: operands must have one shape");
    CHECK_POISON(ty_loss_l2(labels, labels, zero), "must be floating, not i64");
    CHECK_POISON(ty_loss_l1(x, ty_cast(x, TY_C64), zero), "takes no complex numbers");
    CHECK_POISON(ty_loss_l1(NULL, x, zero), "loss_l1: operand 1 is NULL");
    CHECK_POISON(ty_loss_l1(x, x, (ty_loss_options){.weight = ty_poison("no weights")}), "no weights");
    CHECK_POISON(ty_loss_l1(x, x, (ty_loss_options){.weight = ty_ones(TY_F32, TY_SHAPE(5, 2, 3))}),
                 "must broadcast to the losses");
    CHECK_POISON(ty_loss_l1(x, x, (ty_loss_options){.reduction = (ty_reduction)7}),
                 "loss_l1: 7 is no reduction");
    CHECK_POISON(ty_loss_huber(x, x, (ty_loss_options){.delta = -1}),
                 "loss_huber: delta -1; expected a number of at least 0");
    CHECK_POISON(ty_loss_cross_entropy(x, labels, (ty_loss_options){.smoothing = 1.5}),
                 "smoothing 1.5; expected a number of at least 0 and at most 1");
    CHECK_POISON(ty_loss_hinge(x, x, (ty_loss_options){.margin = NAN}), "margin nan");
    CHECK_POISON(ty_loss_cross_entropy(x, v, zero), "floating targets must have the shape of the logits");
    CHECK_POISON(ty_loss_nll(x, v, zero), "labels must be of an integer dtype, not f32");
    CHECK_POISON(ty_loss_nll(x, ty_zeros(TY_I64, TY_SHAPE(3)), zero),
                 "labels must have the shape of the first operand without its axis 1");
    CHECK_POISON(ty_loss_nll(x, labels, (ty_loss_options){.axis = 5}), "there is no axis 5 of classes");
    CHECK_POISON(ty_loss_nll(ty_ones(TY_F32, TY_SHAPE(2, 0)), labels, zero), "there are no classes");
    CHECK_POISON(ty_loss_nll(x, labels, (ty_loss_options){.weight = v}),
                 "weights must be one for each of the 3 classes");
    CHECK_POISON(ty_loss_cross_entropy(x, x, (ty_loss_options){.weight = v}),
                 "weights must be one for each of the 3 classes");
    CHECK_POISON(ty_loss_triplet(x, x, v, zero), "operands must have one shape");
    CHECK_POISON(ty_loss_triplet(ty_num(1), ty_num(1), ty_num(1), zero), "there is no axis -1 of vectors");
    CHECK_POISON(ty_loss_cosine(x, x, x, zero),
                 "the target must have the shape of the vectors without their axis 1");
    CHECK_POISON(ty_loss_gaussian(x, x, ty_ones(TY_F32, TY_SHAPE(3)), zero),
                 "the variance must have the mean's shape");
}

/* Eagerly and compiled. */
static void labels_outside(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3)), *v = ty_ones(TY_F32, TY_SHAPE(2)),
              *labels = ty_zeros(TY_I64, TY_SHAPE(2));
    ty_tensor *three = ty_from(TY_I64, TY_SHAPE(2), (int64_t[]){0, 3});
    ty_loss_options zero = {0};
    static const char *const named[] = {"cross_entropy", "nll", "multi_hinge"};
    for (int i = 0; i < 3; i++) {
        ty_loss loss = ty_loss_find(named[i]);
        CHECK_POISON(loss(x, three, zero), "label 3 at [1] is outside 0..2");
        ty_program *program =
            test_program(ty_compile(1, (ty_tensor *[]){loss(ty_var(x, "x"), ty_var(three, "labels"), zero)},
                                    (ty_compile_options){0}));
        CHECK(!ty_run(program) &&
                  (test_starving() || strstr(ty_program_error(program), "label 3 at [1] is outside 0..2")),
              "%s, compiled: %s", named[i], ty_program_error(program));
    }
    ty_tensor *logs = ty_ones(TY_F32, TY_SHAPE(4, 2, 3)), *long_one = ty_full(TY_I64, TY_SHAPE(2), 9);
    ty_tensor *line = ty_zeros(TY_I64, TY_SHAPE(2, 2));
    CHECK_POISON(ty_loss_ctc(x, line, labels, labels, zero), "logarithms must be (T,N,C) and labels (N,S)");
    CHECK_POISON(ty_loss_ctc(logs, line, ty_zeros(TY_I64, TY_SHAPE(3)), labels, zero),
                 "must be of the N = 2 of (T,N,C)");
    CHECK_POISON(ty_loss_ctc(logs, line, v, labels, zero), "labels and lengths must be of an integer dtype");
    CHECK_POISON(ty_loss_ctc(logs, line, labels, labels, (ty_loss_options){.blank = 3}),
                 "the blank 3 is none of the 3 classes");
    CHECK_POISON(ty_loss_ctc(logs, line, long_one, labels, zero), "lengths, as if they were labels: ");
    CHECK_POISON(ty_loss_ctc(logs, line, long_one, labels, zero), "label 9 at [0] is outside 0..4");
    CHECK_POISON(
        ty_loss_ctc(logs, ty_full(TY_I64, TY_SHAPE(2, 2), 5), labels, ty_ones(TY_I64, TY_SHAPE(2)), zero),
        "label 5 at");
}

TESTS_MAIN(TEST(refusals), TEST(labels_outside))
