/* Loops and branches as formulas: recurrences, nested and backwards, numbers of steps, derivatives, cases. */
#include <string.h>
#include <tyto/control.h>
#include <tyto/notation.h>
#include "tests/support/harness.h"

/* Return the formula of n results called f, of which those behind the first are derivatives by `by`. */
static const char *formula(int n, ty_tensor *const *y, const char *by, ty_notation_form form) {
    const char *names[4] = {"f", "f", "f", "f"}, *variables[4] = {NULL, by, by, by};
    ty_tensor *error = NULL;
    char *text =
        ty_notation(n, y, (ty_notation_options){.form = form, .names = names, .by = variables}, &error);
    if (!text) CHECK_OK(error);
    CHECK(text || test_starving(), "no text and no error");
    return text ? test_own(text, ty_free) : "";
}
static void is(const char *text, const char *wanted) {
    CHECK(!*text || !strcmp(text, wanted), "%swanted\n%s", text, wanted);
}

static ty_tensor *variable(const char *name, int rank, int64_t n, int64_t m) {
    return ty_var(ty_zeros(TY_F64, rank, (int64_t[]){n, m}), name);
}

/* ---- scans ---- */

static void neuron(void *weights, ty_step *s) {
    s->next[0] = ty_tanh(ty_add(ty_matmul(weights, s->carry[0]), s->x[0]));
}
static void energetic(void *weights, ty_step *s) {
    neuron(weights, s);
    s->y[0] = ty_sum(ty_square(s->next[0]), TY_ALL);
}
static void network(void) {
    ty_tensor *w = variable("W", 2, 2, 2), *x = variable("x", 2, 10, 2), *a = variable("a", 1, 2, 0), *y[2],
              *each;
    ty_scan_spec loop = {.ncarry = 1, .carry = &a, .nx = 1, .x = &x};
    ty_scan(neuron, w, loop, y, NULL, NULL);
    is(formula(1, y, NULL, TY_NOTATION_TEXT), "h₀ = a\nhₜ₊₁ = tanh(W hₜ + xₜ),  t = 0, …, 9\nf = h₁₀\n");
    is(formula(1, y, NULL, TY_NOTATION_ASCII),
       "h[0] = a;\nh[t + 1] = tanh(W @ h[t] + x[t]) for t in 0..9;\nf = h[10]\n");
    is(formula(1, y, NULL, TY_NOTATION_LATEX),
       "\\begin{aligned}\nh_{0} &= a \\\\\nh_{t + 1} &= \\tanh\\left(W\\, h_{t} + x_{t}\\right),\\quad t = "
       "0, \\dots, 9 "
       "\\\\\nf &= h_{10} \\\\\n\\end{aligned}\n");
    loop.ny = 1;
    ty_scan(energetic, w, loop, y, &each, NULL);
    y[0] = ty_sum(each, TY_ALL);
    is(formula(1, y, NULL, TY_NOTATION_TEXT),
       "h₀ = a\nhₜ₊₁ = tanh(W hₜ + xₜ)\nyₜ = Σᵢ₌₀¹ h[t + 1, i]²,  t = 0, …, 9\nf = Σᵢ₌₀⁹ yᵢ\n");
}

static void product(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_mul(s->carry[0], ty_cast(ty_add(s->index, ty_int(1)), TY_F64));
}
static void factorial(void) {
    ty_tensor *one = ty_var(ty_scalar(TY_F64, 1), "c"), *y;
    ty_scan(product, NULL, (ty_scan_spec){.ncarry = 1, .carry = &one, .length = 6}, &y, NULL, NULL);
    is(formula(1, &y, NULL, TY_NOTATION_TEXT), "h₀ = c\nhₜ₊₁ = hₜ·(t + 1),  t = 0, …, 5\nf = h₆\n");
}

static void square_step(void *context, ty_step *s) { s->next[0] = ty_sub(ty_square(s->carry[0]), context); }
/* The derivative runs backwards through the steps, by the chain rule. */
static void derivative(void) {
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *x = ty_var(ty_scalar(TY_F64, 1), "x"), *y[2];
    ty_scan(square_step, c, (ty_scan_spec){.ncarry = 1, .carry = &x, .length = 3}, y, NULL, NULL);
    ty_grad(y[0], 1, &x, &y[1]);
    is(formula(2, y, "x", TY_NOTATION_TEXT),
       "h₀ = x\nhₜ₊₁ = hₜ² − c,  t = 0, …, 2\ns₃ = 1\nsᵤ = 2·sᵤ₊₁·hᵤ,  u = 2, …, 0\nf = h₃\n∂f/∂x = s₀\n");
}

static void scaled(void *context, ty_step *s) {
    square_step(context, s);
    s->y[0] = ty_mul(s->carry[0], s->x[0]);
}
/* The derivatives of a sum by its terms are ones, which are not written. */
static void derivative_of_sum(void) {
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *v = variable("v", 1, 5, 0), *last, *each, *y[2];
    ty_scan_spec loop = {.ncarry = 1, .carry = &c, .nx = 1, .x = &v, .ny = 1};
    ty_scan(scaled, ty_num(1), loop, &last, &each, NULL);
    y[0] = ty_sum(each, TY_ALL);
    ty_grad(y[0], 1, &c, &y[1]);
    is(formula(2, y, "c", TY_NOTATION_TEXT),
       "h₀ = c\nhₜ₊₁ = hₜ² − 1\nyₜ = hₜ·vₜ,  t = 0, …, 4\ns₅ = 0\nsᵤ = vᵤ + 2·sᵤ₊₁·hᵤ,  u = 4, …, 0\n"
       "f = Σᵢ₌₀⁴ yᵢ\n∂f/∂c = s₀\n");
}

static void fade(void *context, ty_step *s) {
    (void)context;
    s->next[0] = s->y[0] = ty_add(ty_mul(s->carry[0], ty_num(0.25)), s->x[0]);
}
static void backwards(void) {
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *v = variable("v", 1, 5, 0), *last, *y;
    ty_scan_spec loop = {.ncarry = 1, .carry = &c, .nx = 1, .x = &v, .ny = 1, .reverse = true};
    ty_scan(fade, NULL, loop, &last, &y, NULL);
    y = ty_add(last, ty_sum(y, TY_ALL));
    is(formula(1, &y, NULL, TY_NOTATION_TEXT),
       "h₅ = c\nhₜ = 0.25·hₜ₊₁ + vₜ,  t = 4, …, 0\nf = h₀ + Σᵢ₌₀⁴ hᵢ\n");
}

static void horner(void *x, ty_step *s) { s->next[0] = ty_add(ty_mul(s->carry[0], x), s->x[0]); }
static void rows(void *context, ty_step *s) {
    ty_tensor *zero = ty_num(0), *last;
    (void)context;
    ty_scan(horner, s->carry[0], (ty_scan_spec){.ncarry = 1, .carry = &zero, .nx = 1, .x = s->x}, &last, NULL,
            NULL);
    s->next[0] = ty_sin(last);
}
static void nested(void) {
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *x = variable("x", 2, 10, 3), *y;
    ty_scan(rows, NULL, (ty_scan_spec){.ncarry = 1, .carry = &c, .nx = 1, .x = &x}, &y, NULL, NULL);
    is(formula(1, &y, NULL, TY_NOTATION_TEXT),
       "h₀ = c\ns₀ = 0\nsᵤ₊₁ = sᵤ·hₜ + xₜᵤ,  u = 0, …, 2\nhₜ₊₁ = sin(s₃),  t = 0, …, 9\nf = h₁₀\n");
}

/* The digits of a name and of an index stay apart. */
static void digits(void) {
    ty_tensor *v = variable("v1", 1, 5, 0), *y = ty_get(v, 1, (ty_index[]){TY_AT(2)});
    is(formula(1, &y, NULL, TY_NOTATION_TEXT), "f = v₁[2]\n");
    y = ty_sum(v, TY_ALL);
    is(formula(1, &y, NULL, TY_NOTATION_TEXT), "f = Σᵢ₌₀⁴ v₁ᵢ\n");
}

/* The loops behind the first 64 are functions of their operands. */
static void many(void) {
    enum { MANY = 66 };
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *y = c;
    for (int i = 0; i < MANY; i++)
        ty_scan(square_step, c, (ty_scan_spec){.ncarry = 1, .carry = &y, .length = 3}, &y, NULL, NULL);
    const char *text = formula(1, &y, NULL, TY_NOTATION_TEXT);
    CHECK(!*text || (!strncmp(text, "h₀ = c\n", strlen("h₀ = c\n")) && strstr(text, "loop(")), "%s", text);
}

/* ---- numbers of steps ---- */

static ty_tensor *far(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_gt(ty_abs(ty_sub(ty_square(x[0]), ty_num(2))), ty_num(1e-6));
}
static void newton(void *context, ty_tensor *const *x, ty_tensor **next) {
    (void)context;
    next[0] = ty_add(ty_mul(x[0], ty_num(0.25)), ty_div(ty_num(1), x[0]));
}
static void until(void) {
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *y[2];
    ty_while(far, newton, NULL, 1, &c, 0, y, &y[1]);
    y[0] = ty_add(y[0], ty_cast(y[1], TY_F64));
    is(formula(1, y, NULL, TY_NOTATION_TEXT),
       "h₀ = c\nhₜ₊₁ = 0.25·hₜ + 1/hₜ,  t = 0, …, n − 1\nn = min {t: |hₜ² − 2| ≤ 10⁻⁶}\nf = hₙ + n\n");
    ty_while(far, newton, NULL, 1, &c, 50, y, NULL);
    is(formula(1, y, NULL, TY_NOTATION_TEXT),
       "h₀ = c\nhₜ₊₁ = 0.25·hₜ + 1/hₜ,  t = 0, …, n − 1\nn = min(50, min {t: |hₜ² − 2| ≤ 10⁻⁶})\nf = hₙ\n");
}

static void add_small(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], s->x[0]);
    s->stop = ty_gt(s->x[0], ty_num(3));
}
/* The step that stops is run, too; sequences that are computed have names. */
static void stopped(void) {
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *v = variable("v", 1, 5, 0),
              *x = ty_mul(ty_sin(v), ty_num(2)), *y;
    ty_scan(add_small, NULL, (ty_scan_spec){.ncarry = 1, .carry = &c, .nx = 1, .x = &x}, &y, NULL, NULL);
    is(formula(1, &y, NULL, TY_NOTATION_TEXT),
       "h₀ = c\na = 2·sin(v)\nhₜ₊₁ = hₜ + aₜ,  t = 0, …, n − 1\nn = min(5, min {t + 1: aₜ > 3})\nf = hₙ\n");
}

static void add_until(void *context, ty_step *s) {
    (void)context;
    s->next[0] = ty_add(s->carry[0], s->x[0]);
    s->stop = ty_gt(s->next[0], ty_num(3));
}
/* The first step is always run: the condition is not asked of the first values. */
static void stopped_by_carries(void) {
    ty_tensor *c = ty_var(ty_scalar(TY_F64, 1), "c"), *v = variable("v", 1, 5, 0), *y;
    ty_scan(add_until, NULL, (ty_scan_spec){.ncarry = 1, .carry = &c, .nx = 1, .x = &v}, &y, NULL, NULL);
    is(formula(1, &y, NULL, TY_NOTATION_TEXT),
       "h₀ = c\nhₜ₊₁ = hₜ + vₜ,  t = 0, …, n − 1\nn = min(5, min {t + 1: hₜ₊₁ > 3})\nf = hₙ\n");
}

/* ---- branches ---- */

static void sine(void *context, ty_tensor *const *x, ty_tensor **y) { (void)context, y[0] = ty_sin(x[0]); }
static void opposite(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context, y[0] = ty_neg(x[0]);
}
static void doubled(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context, y[0] = ty_mul(x[0], ty_num(2));
}
static void choices(void) {
    ty_tensor *x = ty_var(ty_scalar(TY_F64, 1), "x"), *which = ty_var(ty_scalar(TY_I64, 0), "k"), *y;
    ty_switch(which, 3, (const ty_branch[]){sine, opposite, doubled}, NULL, 1, &x, 1, &y);
    is(formula(1, &y, NULL, TY_NOTATION_TEXT), "f = sin(x) if k = 0, else −x if k = 1, else 2·x\n");
}

TESTS_MAIN(TEST(network), TEST(factorial), TEST(derivative), TEST(derivative_of_sum), TEST(backwards),
           TEST(nested), TEST(digits), TEST(many), TEST(until), TEST(stopped), TEST(stopped_by_carries),
           TEST(choices))
