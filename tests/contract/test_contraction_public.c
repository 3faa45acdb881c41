/* The public interface of configurations: made from equations, optimised, changed by hand, run, printed,
   saved, refused. */
#include <stdio.h>
#include <string.h>
#include "contract/configuration.h"
#include "tests/support/harness.h"

static const int64_t shape_a[] = {31, 40}, shape_b[] = {40, 17}, shape_y[] = {31, 17}, narrow[] = {31, 4};
static const ty_contraction_operand left = {TY_F32, 2, shape_a, NULL, 0},
                                    right = {TY_F32, 2, shape_b, NULL, 0};

/* Make an optimised "mk,kn->mn"; false: an allocation failed, and the message says so. */
static bool make(ty_contraction *c, int threads) {
    bool ok = contraction_from(c, "mk,kn->mn", &left, &right, NULL) && ty_contraction_optimise(c, threads);
    CHECK(ok || (test_starving() && strstr(c->error, "memory")), "%s", c->error);
    return ok;
}

static void release_plan(void *plan) { ty_contraction_plan_release(plan); }

/* Run a configuration of the product above and compare with exact values. */
static void check_run(const ty_contraction *c) {
    static float a[31 * 40], b[40 * 17], y[31 * 17];
    for (int i = 0; i < 31 * 40; i++) a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < 40 * 17; i++) b[i] = (float)(i % 5 - 2);
    memset(y, 0xff, sizeof y);
    ty_contraction_plan *plan = test_own(ty_contraction_compile(c), release_plan);
    if (test_starving() && (!plan || *ty_contraction_plan_error(plan))) return;
    CHECK(ty_contraction_run(plan, a, b, y), "%s", ty_contraction_plan_error(plan));
    for (int i = 0; i < 31; i++)
        for (int j = 0; j < 17; j++) {
            float sum = 0;
            for (int k = 0; k < 40; k++) sum += a[i * 40 + k] * b[k * 17 + j];
            CHECK(y[i * 17 + j] == sum, "y[%d,%d] is %g, not %g", i, j, (double)y[i * 17 + j], (double)sum);
        }
}

static void runs_what_users_make(void) {
    ty_contraction c;
    if (!contraction_from(&c, "mk,kn->mn", &left, &right, NULL)) return;
    CHECK(c.ndims == 3 && c.nloops == 0 && c.flops == 2.0 * 31 * 40 * 17, "%d dimensions, %g flops", c.ndims,
          c.flops);
    check_run(&c);
    if (!make(&c, 2)) return;
    check_run(&c);
    c.nloops = 0;
    c.loops[c.nloops++] = (ty_loop){1, TY_EXEC_SHARED, 5};
    c.loops[c.nloops++] = (ty_loop){2, TY_EXEC_SEQUENTIAL, 11};
    c.loops[c.nloops++] = (ty_loop){0, TY_EXEC_SEQUENTIAL, 30};
    c.loops[c.nloops++] = (ty_loop){2, TY_EXEC_SEQUENTIAL, 3};
    for (int d = 0; d < 3; d++)
        c.loops[c.nloops++] = (ty_loop){d, TY_EXEC_PRIMITIVE, d == 0 ? 30 : d == 1 ? 5 : 3};
    c.packing[0].loop = c.packing[1].loop = -1;
    CHECK(ty_contraction_check(&c, (int64_t[]){31 * 40 * 4, 40 * 17 * 4, 31 * 17 * 4}), "%s", c.error);
    check_run(&c);
}

/* A contraction counts as many operations as the path that it is a step of. */
static void operations_are_counted_once(void) {
    static const char *const equations[] = {"ab,cd->abcd", "ab,bc->ac", "ab,ab->ab", "abc,abd->acd",
                                            "ab,ab->"};
    static const ty_dtype dtypes[] = {TY_F32, TY_C64, TY_I32};
    static const int64_t sizes[] = {5, 3, 4, 7};
    for (int i = 0; i < 15; i++) {
        const char *equation = equations[i / 3], *at = equation;
        int64_t shape[2][3];
        ty_einsum_operand path[2] = {{0, shape[0], NULL}, {0, shape[1], NULL}};
        for (int k = 0; k < 2; at++)
            if (*at == ',' || *at == '-')
                k++;
            else
                shape[k][path[k].rank++] = sizes[*at - 'a'];
        ty_contraction_operand operands[2];
        for (int k = 0; k < 2; k++)
            operands[k] = (ty_contraction_operand){dtypes[i % 3], path[k].rank, shape[k], NULL, 0};
        ty_contraction c;
        if (!contraction_from(&c, equation, &operands[0], &operands[1], NULL)) return;
        ty_einsum_plan *plan = ty_einsum_plan_new(equation, dtypes[i % 3], 2, path, (ty_einsum_options){0});
        double flops = test_einsum_report(plan).flops;
        bool well = !*ty_einsum_plan_error(plan);
        ty_einsum_plan_free(plan);
        CHECK(!well || c.flops == flops, "%s: %g flops, and %g by the path", equation, c.flops, flops);
    }
}

/* A complex right operand is copied in its own layout, then expanded to twice its bytes: a plan holds no
   more. */
static void complex_copies_are_small(void) {
    enum { N = 64 };
    ty_contraction c;
    ty_contraction_operand matrix = {TY_C64, 2, (int64_t[]){N, N}, NULL, 0};
    if (!contraction_from(&c, "mk,kn->mn", &matrix, &matrix, NULL) || !ty_contraction_optimise(&c, 1)) return;
    ty_contraction_plan *plan = ty_contraction_compile(&c);
    int64_t bytes = ty_contraction_plan_workspace(plan), all = N * N * 8;
    CHECK(bytes <= all * 17 / 4, "%d bytes, where right has %d", (int)bytes, (int)all);
    ty_contraction_plan_release(plan);
}

/* A plan packs a constant operand in its first run only; the other operand may change. */
static void constants_are_packed_once(void) {
    static float a[31 * 40], b[40 * 17], y[31 * 17];
    ty_contraction c;
    if (!make(&c, 2)) return;
    c.constant[TY_RIGHT] = true;
    c.packing[TY_RIGHT].kind = TY_PACK_WHOLE;
    c.packing[TY_RIGHT].loop = -1;
    check_run(&c);
    ty_contraction_plan *plan = test_own(ty_contraction_compile(&c), release_plan);
    if (test_starving() && (!plan || *ty_contraction_plan_error(plan))) return;
    for (int i = 0; i < 40 * 17; i++) b[i] = 1;
    for (int run = 1; run <= 3; run++) {
        for (int i = 0; i < 31 * 40; i++) a[i] = (float)run;
        CHECK(ty_contraction_run(plan, a, b, y), "%s", ty_contraction_plan_error(plan));
        CHECK(y[0] == (float)(40 * run) && y[31 * 17 - 1] == y[0], "run %d: %g", run, (double)y[0]);
        memset(b, 0xff, sizeof b); /* no longer read */
    }
}

/* The order of sums does not depend on threads, however they divide rows and columns. */
static void sums_are_cut_by_shape_alone(void) {
    static const int64_t sizes[][3] = {
        {1600, 1600, 1601}, {64, 32, 100000}, {5000, 24, 384}, {14, 32, 70000}, {300, 300, 300}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t a[] = {sizes[i][0], sizes[i][2]}, b[] = {sizes[i][2], sizes[i][1]}, steps = -1, spans = -1;
        ty_contraction_operand x = {TY_F32, 2, a, NULL, 0}, y = {TY_F32, 2, b, NULL, 0};
        for (int threads = 1; threads <= 9; threads++) {
            ty_contraction c;
            if (!contraction_from(&c, "mk,kn->mn", &x, &y, NULL) || !ty_contraction_optimise(&c, threads))
                return;
            int64_t step = -1;
            for (int l = 0; l < c.nloops; l++)
                if (c.dims[c.loops[l].dim].type == TY_DIM_K) step = c.loops[l].step;
            CHECK(threads == 1 || (step == steps && c.spans == spans), "%d threads: steps of %lld, not %lld",
                  threads, (long long)step, (long long)steps);
            CHECK(threads == 1 || i > 0 || c.loops[0].exec == TY_EXEC_SHARED, "nothing is shared");
            steps = step, spans = c.spans;
        }
    }
}

static void text_tells(void) {
    ty_contraction c;
    if (!make(&c, 1)) return;
    char *text = test_text(ty_contraction_text(&c));
    if (!text) return;
    CHECK(strstr(text, "gemm") && strstr(text, "flops") && strstr(text, "f32, f32 -> f32"), "%s", text);
    contraction_from(&c, "mk,kn", &left, &right, NULL);
    text = test_text(ty_contraction_text(&c));
    CHECK(!text || strstr(text, "error: "), "%s", text);
}

static void json_goes_round(void) {
    ty_contraction c, again;
    if (!make(&c, 4)) return;
    c.guards[c.nguards++] = (ty_guard){TY_LEFT, {0, 2}, {1, -1}, 40, 71};
    c.dims[0].stride[TY_LEFT] = -40, c.offset[TY_LEFT] = 30 * 40;
    char *text = test_text(ty_contraction_json(&c));
    if (!text) return;
    bool ok = contraction_from_json(&again, text, strlen(text));
    CHECK(ok || test_starving(), "%s in %s", again.error, text);
    if (ok) CHECK(memcmp(&c, &again, sizeof c) == 0, "not the same after %s", text);
    char path[] = "contraction-test.json";
    ok = ty_contraction_save(&c, path);
    CHECK(ok || test_starving(), "%s", c.error);
    if (!ok) return;
    ok = contraction_from_file(&again, path);
    remove(path);
    CHECK(ok || test_starving(), "%s", again.error);
    if (ok) CHECK(memcmp(&c, &again, sizeof c) == 0, "not the same after a file");
    CHECK(!contraction_from_file(&again, "no-such-file.json") && *again.error, "a file that is not there");
}

static void files_are_named(void) {
    static const char path[] = "contraction-none.json";
    ty_contraction c;
    FILE *file = fopen(path, "w");
    if (!file) return;
    fputs("{\"tyto_contraction\": 1}", file);
    fclose(file);
    CHECK(!contraction_from_file(&c, path), "half a configuration is read");
    CHECK(strstr(c.error, "contraction-none.json: contraction: \"dtypes\" is missing") || test_starving(),
          "%s", c.error);
    remove(path);
    CHECK(!contraction_from_file(&c, NULL) && (strstr(c.error, "the path is NULL") || test_starving()), "%s",
          c.error);
    if (!make(&c, 1)) return;
    CHECK(!ty_contraction_save(&c, NULL) && (strstr(c.error, "the path is NULL") || test_starving()), "%s",
          c.error);
}

/* Spans of K are added in a copy of out with the same layout, for every direction of its dimensions. */
static void spans_add_up_anywhere(void) {
    static const int64_t strides[][2] = {{1, 3},  {2, 1},  {2, 6},  {-2, 7},
                                         {7, -2}, {-1, 3}, {3, -1}, {-1, -3}};
    float a[24], b[4] = {1, 2, 3, 4}, y[40];
    for (int i = 0; i < 24; i++) a[i] = (float)(i * 5 % 7);
    for (int i = 0; i < 2 * 8; i++) {
        const int64_t *out = strides[i / 2];
        ty_contraction c = {.dtype = {TY_F32, TY_F32, TY_F32}, .sums = TY_F32, .ndims = 3, .nloops = 4};
        c.primitive = TY_PRIMITIVE_GEMM;
        c.offset[TY_OUT] = 20;
        c.spans = i % 2 ? 2 : 0;
        c.dims[0] = (ty_dim){.type = TY_DIM_M, .size = 3, .stride = {4, 0, out[0]}};
        c.dims[1] = (ty_dim){.type = TY_DIM_M, .size = 2, .stride = {12, 0, out[1]}};
        c.dims[2] = (ty_dim){.type = TY_DIM_K, .size = 4, .stride = {1, 1, 0}};
        c.loops[0] = (ty_loop){.dim = 2, .step = 2};
        for (int d = 0; d < 3; d++)
            c.loops[d + 1] = (ty_loop){.dim = d, .exec = TY_EXEC_PRIMITIVE, .step = d ? 2 : 3};
        c.packing[TY_LEFT].loop = c.packing[TY_RIGHT].loop = -1;
        bool well = ty_contraction_check(&c, (int64_t[]){sizeof a, sizeof b, sizeof y});
        CHECK(well || test_starving(), "%s", c.error);
        ty_contraction_plan *plan = test_own(ty_contraction_compile(&c), release_plan);
        for (int k = 0; k < 40; k++) y[k] = -1;
        if (!plan || !ty_contraction_run(plan, a, b, y)) {
            CHECK(test_starving(), "%s", plan ? ty_contraction_plan_error(plan) : "no plan");
            continue;
        }
        for (int row = 0; row < 6; row++) {
            float sum = 0, *place = &y[20 + row % 3 * out[0] + row / 3 * out[1]];
            for (int k = 0; k < 4; k++) sum += a[row * 4 + k] * b[k];
            CHECK(*place == sum, "%d by %d: row %d is %g, not %g", (int)out[0], (int)out[1], row,
                  (double)*place, (double)sum);
            *place = -1;
        }
        for (int k = 0; k < 40; k++)
            CHECK(y[k] == -1, "%d by %d: element %d is written", (int)out[0], (int)out[1], k);
    }
}

/* All engines give equal results for every combination of dtypes that the check accepts. */
static void dtypes_agree(void) {
    static const char *const equations[] = {"ab,bc->ac", "ab,ab->ab", "ab,ab->a", "ab,ab->b", "ab,ca->abc"};
    enum { T = TY_DTYPES, EQUATIONS = sizeof equations / sizeof *equations, N = 6, ROOM = N * N * N * 16 };
    ty_contraction_operand square = {TY_F32, 2, (int64_t[]){N, N}, NULL, 0};
    int accepted = 0, ran = 0, step = test_starving() ? 4999 : 1;
    for (int i = 0; i < T * T * T * T * EQUATIONS; i += step) {
        ty_contraction c;
        const char *equation = equations[i % EQUATIONS];
        int rest = i / EQUATIONS;
        if (!contraction_from(&c, equation, &square, &square, NULL)) return;
        c.dtype[TY_LEFT] = rest % T, c.dtype[TY_RIGHT] = rest / T % T;
        c.dtype[TY_OUT] = rest / T / T % T, c.sums = rest / T / T / T;
        if (!ty_contraction_check(&c, NULL)) {
            CHECK(strstr(c.error, "cannot represent; use sums in "), "%s", c.error);
            continue;
        }
        struct test_round round = test_round();
        static char y[2][ROOM];
        const void *a = ty_data(CHECK_OK(ty_full(c.dtype[TY_LEFT], 1, (int64_t[]){N * N}, 3))),
                   *b = ty_data(CHECK_OK(ty_full(c.dtype[TY_RIGHT], 1, (int64_t[]){N * N}, 2)));
        bool well = ty_contraction_optimise(&c, 1); /* may swap sides */
        memset(y, 0, sizeof y);
        for (int engine = 0; engine < 2; engine++) {
            ty_use_engine(engine ? "ref" : "cpu");
            ty_contraction_plan *plan = ty_contraction_compile(&c);
            well = ty_contraction_run(plan, a, b, y[engine]) && well;
            ty_contraction_plan_release(plan);
        }
        ty_use_engine("cpu");
        accepted++, ran += well;
        CHECK(!well || !memcmp(y[0], y[1], ROOM), "%s of %s and %s into %s, sums in %s, differs", equation,
              ty_dtype_name(c.dtype[TY_LEFT]), ty_dtype_name(c.dtype[TY_RIGHT]),
              ty_dtype_name(c.dtype[TY_OUT]), ty_dtype_name(c.sums));
        test_round_end(round);
    }
    CHECK(ran > accepted / 2 || test_starving(), "%d of %d ran", ran, accepted);
}

static void failures_stay(void) {
    ty_contraction c;
    CHECK(!contraction_from(&c, "mk,kn->mq", &left, &right, NULL), "q comes from nowhere");
    CHECK(!ty_contraction_optimise(&c, 1), "nothing is optimised");
    CHECK(strstr(c.error, "letter q") || test_starving(), "%s", c.error);
    char *text = test_text(ty_contraction_json(&c));
    CHECK(!text || strstr(text, "letter q"), "%s", text);
    CHECK(!ty_contraction_save(&c, "contraction-failed.json"), "nothing is saved");
    CHECK(strstr(c.error, "letter q") || test_starving(), "%s", c.error);
    CHECK(!ty_contraction_check(&c, NULL), "nothing is a configuration");
    if (!make(&c, 1)) return;
    c.dims[0].stride[TY_OUT] = 0;
    CHECK(!ty_contraction_check(&c, NULL) && !ty_contraction_optimise(&c, 1), "rows in one place");
    c.dims[0].stride[TY_OUT] = 17;
    CHECK(ty_contraction_check(&c, NULL) && (ty_contraction_optimise(&c, 1) || test_starving()), "%s",
          c.error);
}

/* Sizes that exceed memory and time are refused, though each is possible alone. */
static void memory_has_an_end(void) {
    const int64_t many = (int64_t)1 << 40;
    ty_contraction c = {.dtype = {TY_F32, TY_F32, TY_F32}, .sums = TY_F32, .ndims = 3};
    c.dims[0] = (ty_dim){TY_DIM_N, 1 << 10, {0, 1, 1 << 20}};
    c.dims[1] = (ty_dim){TY_DIM_M, many, {1, 0, 1 << 30}};
    c.dims[2] = (ty_dim){TY_DIM_K, 9, {1, 1, 0}};
    CHECK(!ty_contraction_check(&c, NULL) && strstr(c.error, "out exceeds the address space"), "%s", c.error);
    for (int empty = 0; empty < 2; empty++) {
        c.dims[0] = (ty_dim){TY_DIM_N, many, {0, 1, many}};
        c.dims[1] = (ty_dim){TY_DIM_M, many, {1, 0, 1}};
        c.dims[2].size = empty ? 0 : 9;
        CHECK(!ty_contraction_check(&c, NULL) && strstr(c.error, "the product of all sizes exceeds 2^63"),
              "%s", c.error);
        c.error[0] = 0;
        ty_contraction_plan *plan = test_own(ty_contraction_compile(&c), release_plan);
        CHECK(!plan || *ty_contraction_plan_error(plan), "compiles what nobody can hold");
    }
}

/* JSON with one change is refused with a message. */
static void json_is_read_strictly(void) {
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"\"spans\"", "\"sprats\"", "\"sprats\" is not a known field (did you mean spans?)"},
        {"\"spans\": 0", "\"spans\": 9", "9 spans; expected 1 to the"},
        {"\"spans\": 0,", "", "\"spans\" is missing"},
        {"\"size\": 31", "\"size\": -31", "has size -31"},
        {"\"size\": 31", "\"size\": 3.5", "\"size\" is 3.5; expected a whole number"},
        {"\"size\": 31", "\"size\": 99999999999999999999",
         "\"size\" is 1e+20; expected a whole number of 64 bits"},
        {"\"size\": 31", "\"size\": {\"a\": [1]}", "\"size\" is {\"a\":[1]}; expected a whole number"},
        {"\"type\": \"M\"", "\"type\": \"Q\"", "\"type\" is \"Q\"; expected one of C, M, N, K"},
        {"\"type\": \"M\"", "\"type\": 7", "\"type\" is 7; expected one of C, M, N, K"},
        {"\"type\": \"M\"", "\"type\": \"K\"", "expected 0"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [40, 17]", "\"strides\" is [40,17]; expected a list of 3"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [40, 0, 16]", "out would overlap itself"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [40, 0, 0]", "make it K"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [4000000000000000000, 0, 17]", "beyond 2^56"},
        {"\"dim\": 0", "\"dim\": 7", "dimension 7 of 3"},
        {"\"dim\": 0", "\"dim\": 2", "left there"},
        {"\"step\": 31", "\"step\": 0", "has the step 0"},
        {"f32", "f31", "\"dtypes\" is \"f31\" (did you mean f32?); expected one of bool, i8"},
        {"{\"tyto_contraction\": 1", "{\"tyto_contraction\": 2", "is 2; expected 1, the only version"},
        {"\"bypass\": false", "\"bypass\": 0", "true or false"},
        {"\"seconds\": ", "\"seconds\": -", "; expected a number of at least 0"},
        {"[false, false]", "[false]", "\"constant\" is [false]; expected a list of 2"},
        {"[false, false]", "[0, 1]", "\"constant\" is 0; expected true or false"},
        {"\"kind\": \"", "\"kind\": \"x", "; expected one of none, panels, footprint, whole"},
    };
    ty_contraction c;
    if (!make(&c, 1)) return;
    char *text = test_text(ty_contraction_json(&c));
    for (size_t i = 0; text && i < sizeof cases / sizeof *cases; i++) {
        char changed[4096];
        const char *at = strstr(text, cases[i].from);
        CHECK(at, "%s is not in %s", cases[i].from, text);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, cases[i].to,
                 at + strlen(cases[i].from));
        ty_contraction again;
        CHECK(!contraction_from_json(&again, changed, strlen(changed)), "case %d is read", (int)i);
        CHECK(strstr(again.error, cases[i].words) || test_starving(), "case %d: %s", (int)i, again.error);
    }
}

static void refuses_with_sentences(void) {
    ty_contraction_operand small = {TY_F32, 2, narrow, NULL, 0}, none = {(ty_dtype)99, 2, shape_a, NULL, 0};
    ty_contraction_operand out = {TY_F32, 2, shape_y, (int64_t[]){17, 0}, 0};
    const struct {
        const char *equation;
        const ty_contraction_operand *left, *right, *out;
        const char *words;
    } cases[] = {
        {"mk,kn", &left, &right, NULL, "'->' and the output"},
        {"mk,k!->mn", &left, &right, NULL, "column 5: '!' is not a letter"},
        {"mk,kn->mq", &left, &right, NULL, "letter q of the output is not in any operand"},
        {"mk,kn->mm", &left, &right, NULL, "letter m occurs twice in the output"},
        {"mkj,kn->mn", &left, &right, NULL, "left has 2 axes but 3 letters"},
        {"mk,kn->mn", &small, &right, NULL, "letter k is 4 in left and 40 in right"},
        {"mm,kn->mn", &left, &right, NULL, "letter m is 31 and 40 in left"},
        {"mk,kn->mn", &none, &right, NULL, "left has the unknown dtype 99"},
        {"mk,kn->mn", &left, &right, &left, "letter n is 40 in out and 17 in the operands"},
        {"mk,kn->mn", &left, &right, &out, "and stride 0 in out"},
        {NULL, &left, &right, NULL, "or an operand is NULL"},
    };
    ty_contraction c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!contraction_from(&c, cases[i].equation, cases[i].left, cases[i].right, cases[i].out),
              "case %d", (int)i);
        CHECK(strstr(c.error, cases[i].words) || test_starving(), "case %d: %s", (int)i, c.error);
    }
    if (!make(&c, 1)) return;
    CHECK(!ty_contraction_check(&c, (int64_t[]){31 * 40 * 4, 40 * 17 * 4 - 1, 31 * 17 * 4}) &&
              strstr(c.error, "right reaches elements 0 to 679, its buffer has 679"),
          "%s", c.error);
    CHECK(!ty_contraction_optimise(&(ty_contraction){.ndims = -1}, 1), "negative dimensions");
    c.error[0] = 0;
    c.nloops = 0;
    c.loops[c.nloops++] = (ty_loop){2, TY_EXEC_SHARED, 1};
    CHECK(!ty_contraction_check(&c, NULL) && strstr(c.error, "use spans"), "%s", c.error);
    ty_contraction_plan *plan = test_own(ty_contraction_compile(&c), release_plan);
    CHECK(!plan || strstr(ty_contraction_plan_error(plan), "use spans"), "%s",
          ty_contraction_plan_error(plan));
    CHECK(!ty_contraction_run(plan, NULL, NULL, NULL), "runs what it cannot");
}

/* Write the steps of K, in order of the sums, and the spans; returns their number. */
static int sums_of(const ty_contraction *c, int64_t *steps) {
    int n = 0;
    for (int i = 0; i < c->nloops; i++)
        if (c->dims[c->loops[i].dim].type == TY_DIM_K) steps[n++] = c->loops[i].step;
    steps[n++] = c->spans;
    return n;
}

/* Constant operands change no order of sums, for rows, columns and K of all sizes and both layouts of each
   operand. */
static void constants_change_no_sum(void) {
    static const char *const equations[] = {"mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn"};
    static const int64_t sizes[] = {1, 9, 49, 147, 500, 2048, 9000};
    enum { SIZES = sizeof sizes / sizeof *sizes, CASES = 8 * SIZES * SIZES * SIZES };
    int step = test_some(1, 11, 997); /* no factor of 8 or SIZES */
    for (int i = 0; i < CASES; i += step) {
        ty_dtype dtype = i % 8 < 4 ? TY_F32 : TY_F64;
        int e = i % 4, m = i / 8 % SIZES, n = i / 8 / SIZES % SIZES, k = i / 8 / SIZES / SIZES;
        int64_t x_shape[2], y_shape[2], sums[4][TY_CONTRACTION_LOOPS + 1];
        x_shape[e % 2] = sizes[m], x_shape[1 - e % 2] = sizes[k];
        y_shape[e / 2] = sizes[k], y_shape[1 - e / 2] = sizes[n];
        int count[4];
        for (int constants = 0; constants < 4; constants++) {
            ty_contraction c;
            ty_contraction_operand x = {dtype, 2, x_shape, NULL, 0}, y = {dtype, 2, y_shape, NULL, 0};
            bool ok = contraction_from(&c, equations[e], &x, &y, NULL);
            c.constant[0] = constants % 2, c.constant[1] = constants / 2;
            ok = ok && ty_contraction_optimise(&c, 1);
            CHECK(ok || test_starving(), "a product is optimised");
            if (!ok) return;
            count[constants] = sums_of(&c, sums[constants]);
            bool same = count[constants] == count[0] &&
                        !memcmp(sums[constants], sums[0], (size_t)count[0] * sizeof **sums);
            CHECK(same, "%s of %s, m %d n %d k %d, constants %d", equations[e], ty_dtype_name(dtype),
                  (int)sizes[m], (int)sizes[n], (int)sizes[k], constants);
        }
    }
}

/* Workspace, threads and constants change no order of sums. K has two dimensions, each innermost in one
   operand. */
static void room_and_threads_change_no_sum(void) {
    static const struct {
        const char *equation;
        int64_t left[4], right[4];
        int ranks[2];
    } cases[] = {{"acd,dbc->ab", {384, 376, 384}, {384, 376, 376}, {3, 3}},
                 {"acd,dbc->ab", {300, 500, 90}, {90, 1000, 500}, {3, 3}},
                 {"aebf,dfce->abcd", {96, 84, 84, 84}, {96, 84, 84, 84}, {4, 4}},
                 {"eafd,fbec->abcd", {96, 24, 96, 24}, {96, 24, 96, 84}, {4, 4}}};
    static const int64_t rooms[] = {1 << 18, 1 << 20, 1 << 22, 1 << 26};
    int64_t before = ty_workspace(), sums[2][TY_CONTRACTION_LOOPS + 1];
    int step = test_some(1, 5, 47); /* still covers each workspace, constants and threads */
    for (size_t i = 0; i < (test_starving() ? 1 : 2 * sizeof cases / sizeof *cases); i++) {
        ty_dtype dtype = i % 2 ? TY_F64 : TY_F32;
        ty_contraction_operand x = {dtype, cases[i / 2].ranks[0], cases[i / 2].left, NULL, 0},
                               y = {dtype, cases[i / 2].ranks[1], cases[i / 2].right, NULL, 0};
        for (int way = 0, count = 0; way < 48; way += step) {
            ty_contraction c;
            int constants = way / 4 % 4, threads = 1 + way / 16 * 3;
            ty_set_workspace(rooms[way % 4]);
            bool ok = contraction_from(&c, cases[i / 2].equation, &x, &y, NULL);
            c.constant[0] = constants % 2, c.constant[1] = constants / 2;
            ok = ok && ty_contraction_optimise(&c, threads);
            CHECK(ok || test_starving(), "a contraction is optimised: %s", c.error);
            if (!ok) break;
            int n = sums_of(&c, sums[way > 0]);
            if (way == 0) count = n;
            CHECK(n == count && !memcmp(sums[way > 0], sums[0], (size_t)n * sizeof **sums),
                  "%s of %s, %lld bytes, %d threads, constants %d", cases[i / 2].equation,
                  ty_dtype_name(dtype), (long long)rooms[way % 4], threads, constants);
        }
    }
    ty_set_workspace(before);
}

TESTS_MAIN(TEST(room_and_threads_change_no_sum), TEST(constants_change_no_sum),
           TEST(operations_are_counted_once), TEST(complex_copies_are_small), TEST(runs_what_users_make),
           TEST(constants_are_packed_once), TEST(sums_are_cut_by_shape_alone), TEST(text_tells),
           TEST(json_goes_round), TEST(files_are_named), TEST(spans_add_up_anywhere), TEST(dtypes_agree),
           TEST(failures_stay), TEST(memory_has_an_end), TEST(json_is_read_strictly),
           TEST(refuses_with_sentences))
