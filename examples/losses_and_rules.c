/* The parts of training without layers and trainers: the program of docs/training.md, quoted there. */
#include <math.h>
#include <string.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

static bool all_well = true;
static void expect(const char *what, double got, double want, double slack) {
    bool well = fabs(got - want) <= slack;
    if (!well) printf("%s is %.12g, expected %.12g\n", what, got, want);
    all_well = all_well && well;
}

/* ---- losses ---- */

static void losses(void) {
    ty_tensor *logits = ty_from(TY_F32, TY_SHAPE(2, 3), (float[]){2, 1, 0, 0, 1, 2});
    ty_tensor *labels = ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){0, 1});
    ty_tensor *loss = ty_loss_cross_entropy(logits, labels, (ty_loss_options){0}); /* 0.9076, the mean */
    ty_loss_options options = {.reduction = TY_LOSS_NONE, .smoothing = 0.1};
    ty_tensor *each = ty_loss_cross_entropy(logits, labels, options); /* {0.5076, 1.4076} */
    expect("the mean", ty_item(loss), 0.9076059, 1e-6);
    expect("the first", ty_item(ty_at(each, "0")), 0.5076059, 1e-6);

    ty_tensor *wrong =
        ty_loss_cross_entropy(logits, ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){0, 7}), options);
    printf("%s\n", ty_error(wrong)); /* loss_cross_entropy: label 7 at [1] is out of bounds; expected 0..2 */
    all_well = all_well && strstr(ty_error(wrong), "label 7 at [1] is out of bounds; expected 0..2");
}

/* ---- a program that learns ---- */

static ty_tensor *distance(ty_tensor *w, ty_tensor *x, ty_tensor *y) {
    return ty_loss_huber(ty_matmul(x, w), y, (ty_loss_options){.delta = 0.5});
}

static void compiled(void) {
    ty_tensor *x = ty_normal(TY_F64, TY_SHAPE(64, 3), ty_key(1)),
              *truth = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, -2, 3});
    ty_tensor *y = ty_matmul(x, truth);
    ty_optimiser adam = {.rule = &ty_adamw, .rate = 0.1, .decay = TY_ZERO};
    ty_schedule schedule = {.at = ty_schedule_cosine, .rate = 0.1, .steps = 300, .warmup = 10};

    ty_tensor *w = ty_var(ty_zeros(TY_F64, TY_SHAPE(3)), "w"), *step = ty_var(ty_scalar(TY_F64, 0), "step");
    ty_tensor *now = ty_add(step, ty_num(1)), *loss = distance(w, x, y), *gradient, *states[TY_RULE_STATES];
    ty_update updates[2 + TY_RULE_STATES] = {{step, now}, {w, NULL}};
    for (int i = 0; i < adam.rule->nstates; i++)
        states[i] = updates[2 + i].variable = ty_var(ty_optimiser_state(&adam, i, w), adam.rule->states[i]);
    ty_grad(loss, 1, &w, &gradient);
    ty_clip_by_global_norm(1, &gradient, 1, &gradient, NULL);
    updates[1].value = ty_optimise(&adam, w, gradient, states, now, ty_schedule_rate(&schedule, now));
    for (int i = 0; i < adam.rule->nstates; i++) updates[2 + i].value = states[i];
    ty_program *program =
        ty_compile(1, &loss, (ty_compile_options){.updates = updates, .nupdates = 2 + adam.rule->nstates});
    for (int i = 0; i < 310; i++) ty_run(program); /* nothing is fed: the program counts */

    expect("w", ty_item(ty_amax(ty_abs(ty_sub(w, truth)), TY_ALL)), 0, 1e-3);
    expect("steps", ty_item(step), 310, 0);
    if (*ty_program_error(program)) printf("%s\n", ty_program_error(program));
    ty_program_free(program);
}

/* ---- a batch in pieces ---- */

static ty_tensor *of_piece(void *context, ty_tensor *const *x) {
    (void)context;
    return distance(x[0], x[1], x[2]); /* the parameter, then the operands of a piece */
}

static void pieces(void) {
    ty_tensor *w = ty_ones(TY_F64, TY_SHAPE(3)), *value, *gradient;
    ty_tensor *batch[] = {ty_normal(TY_F64, TY_SHAPE(64, 3), ty_key(1)),
                          ty_normal(TY_F64, TY_SHAPE(64), ty_key(2))};
    ty_accumulate(of_piece, NULL, 1, &w, 2, batch, 8, &value, &gradient); /* 8 pieces of 8 examples */
    expect("pieces", ty_item(value), ty_item(distance(w, batch[0], batch[1])), 1e-14);
}

/* ---- a rate that falls when the loss no longer improves ---- */

static void plateaus(void) {
    ty_plateau plateau = {.rate = 0.1, .factor = 0.5, .patience = 2};
    const double validation[] = {1, 0.8, 0.81, 0.82, 0.83, 0.5};
    for (int i = 0; i < 6; i++) ty_plateau_next(&plateau, validation[i]); /* halved by the third bad one */
    expect("rate", plateau.rate, 0.05, 1e-15);
}

/* ---- minimisers ---- */

static ty_tensor *rosenbrock(void *context, ty_tensor *const *x) {
    (void)context;
    ty_tensor *a = ty_at(x[0], "0"), *b = ty_at(x[0], "1");
    return ty_add(ty_square(ty_sub(ty_num(1), a)), ty_mul(ty_square(ty_sub(b, ty_square(a))), ty_num(100)));
}

static void minimisers(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){-1.2, 1}), *best;
    ty_minimum report;
    ty_minimise(rosenbrock, NULL, 1, &x, (ty_minimise_options){0}, &best,
                &report); /* L-BFGS: 36 iterations */
    printf("%s after %d evaluations\n", report.message, (int)report.evaluations);
    ty_minimise_options newton = {.method = TY_MINIMISE_newton, .gradient = 1e-8};
    ty_minimise(rosenbrock, NULL, 1, &x, newton, &best, &report); /* {1, 1} */
    expect("the minimum", ty_item(ty_amax(ty_abs(ty_sub(best, ty_num(1))), TY_ALL)), 0, 1e-7);
    all_well = all_well && report.converged;
}

/* ---- metrics ---- */

static void metrics(void) {
    ty_tensor *scores = ty_from(TY_F32, TY_SHAPE(4, 2), (float[]){1, 0, 1, 0, 0, 1, 0, 1});
    ty_tensor *labels = ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){0, 1, 1, 1});
    ty_tensor *right = ty_metric_accuracy(scores, labels, (ty_metric_options){0}); /* 0.75 */
    ty_metric_options options = {.classes = 2, .average = TY_AVERAGE_WEIGHTED};
    ty_tensor *state = ty_metric_state(TY_METRIC_f_score, options);
    for (int i = 0; i < 4; i += 2)
        state = ty_metric_add(TY_METRIC_f_score, state, ty_slice(scores, 0, i, i + 2, 1),
                              ty_slice(labels, 0, i, i + 2, 1), options);
    ty_tensor *value =
        ty_metric_value(TY_METRIC_f_score, state, options); /* 0.7667, of both batches together */
    expect("accuracy", ty_item(right), 0.75, 0);
    expect("f", ty_item(value), 0.25 * 2 / 3 + 0.75 * 0.8, 1e-15);
}

int main(void) {
    ty_scope *scope = ty_open();
    losses();
    compiled();
    pieces();
    plateaus();
    minimisers();
    metrics();
    ty_close(scope);
    printf(all_well ? "all is well\n" : "something is wrong\n");
    return !all_well;
}
