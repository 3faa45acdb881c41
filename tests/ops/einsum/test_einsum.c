/* Einsum of any number of operands against a naive sum: random expressions, well-known equations, trees,
 * plans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/naive/einsum_naive.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { MOST = 5, LETTERS_USED = 6, MOST_LOOPS = 2500 };

/* ---- random expressions ---- */

struct expression {
    char text[96];
    int n;
    ty_dtype dtype;
    int rank[MOST];
    int64_t shape[MOST][8];
    ty_tensor *x[MOST];
};

static void add_char(char *text, char c) {
    size_t n = strlen(text);
    text[n] = c;
    text[n + 1] = 0;
}

/* Return random values in a random layout: dense, transposed, strided, reversed, broadcast, or part of a
   larger array. */
static ty_tensor *values(ty_dtype dtype, int rank, const int64_t *shape) {
    int64_t larger[8];
    int kind = (int)test_between(0, 5), order[8], axis = rank ? (int)test_between(0, rank - 1) : 0;
    double low = dtype < TY_F16 ? 0 : -1, high = dtype == TY_BOOL ? 1 : dtype < TY_F16 ? 3 : 1;
    memcpy(larger, shape, sizeof larger);
    for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
    if (kind == 0 || !rank) return sample_shape(dtype, rank, shape, low, high);
    if (kind == 1) {
        for (int i = 0; i < rank; i++) larger[i] = shape[order[i]];
        return ty_permute(sample_shape(dtype, rank, larger, low, high), order);
    }
    if (kind == 2) {
        larger[axis] = 2 * shape[axis];
        return ty_slice(sample_shape(dtype, rank, larger, low, high), axis, 0, TY_END, 2);
    }
    if (kind == 3) return ty_flip(sample_shape(dtype, rank, shape, low, high), axis);
    if (kind == 4) {
        larger[axis] = 1;
        return ty_broadcast(sample_shape(dtype, rank, larger, low, high), rank, shape);
    }
    larger[axis] += 3;
    return ty_slice(sample_shape(dtype, rank, larger, low, high), axis, 1, shape[axis] + 1, 1);
}

/* Choose sizes whose product keeps the naive loop short. */
static void make_sizes(int n, int64_t *sizes) {
    int64_t product;
    do {
        product = 1;
        for (int i = 0; i < n; i++) product *= sizes[i] = test_between(1, 5);
    } while (product > MOST_LOOPS);
    if (test_between(0, 60) == 0) sizes[test_between(0, n - 1)] = 0;
}

/* Make the term and shape of operand k; the axes of '...' are the last sizes of `dots`. */
static void make_operand(struct expression *e, int k, const int64_t *sizes, const int64_t *dots, int ndots,
                         bool *used, bool *dotted) {
    int letters = (int)test_between(0, ndots ? 3 : 4), hidden = ndots ? (int)test_between(0, ndots) : 0;
    int ellipsis = ndots && (hidden || test_between(0, 1)) ? (int)test_between(0, letters) : -1;
    e->rank[k] = 0;
    if (k) add_char(e->text, ',');
    for (int i = 0; i <= letters; i++) {
        if (i == ellipsis) {
            strcat(e->text, "...");
            *dotted = true;
            for (int d = hidden - 1; d >= 0; d--)
                e->shape[k][e->rank[k]++] = test_between(0, 4) == 0 ? 1 : dots[d];
        }
        if (i == letters) break;
        int letter = (int)test_between(0, LETTERS_USED - 1);
        used[letter] = true;
        e->shape[k][e->rank[k]++] = test_between(0, 12) == 0 ? 1 : sizes[letter];
        add_char(e->text, (char)(letter % 2 ? 'a' + letter : 'A' + letter));
        if (test_between(0, 15) == 0) add_char(e->text, ' ');
    }
}

static void make_output(struct expression *e, const bool *used, bool dotted) {
    int letters = 0, at;
    char list[LETTERS_USED];
    if (test_between(0, 4) == 0) return;
    strcat(e->text, "->");
    for (int l = 0; l < LETTERS_USED; l++)
        if (used[l] && test_between(0, 1)) list[letters++] = (char)(l % 2 ? 'a' + l : 'A' + l);
    at = dotted ? (int)test_between(0, letters) : -1;
    for (int i = 0; i <= letters; i++) {
        if (i == at) strcat(e->text, "...");
        if (i == letters) break;
        int pick = (int)test_between(i, letters - 1);
        char c = list[pick];
        list[pick] = list[i];
        add_char(e->text, c);
    }
}

static void make_expression(struct expression *e) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128, TY_I32,
                                      TY_I64, TY_U8,  TY_I8,  TY_BOOL, TY_F16};
    int64_t sizes[LETTERS_USED + 2];
    int ndots = test_between(0, 3) ? 0 : (int)test_between(1, 2);
    bool used[LETTERS_USED] = {false}, dotted = false;
    memset(e, 0, sizeof *e);
    e->n = (int)test_between(1, MOST);
    e->dtype = dtypes[test_between(0, 9)];
    make_sizes(LETTERS_USED + ndots, sizes);
    for (int k = 0; k < e->n; k++) {
        make_operand(e, k, sizes, sizes + LETTERS_USED, ndots, used, &dotted);
        bool other = test_between(0, 9) == 0; /* mixed dtypes */
        e->x[k] = values(other ? dtypes[test_between(0, 9)] : e->dtype, e->rank[k], e->shape[k]);
        CHECK_OK(e->x[k]);
    }
    make_output(e, used, dotted);
}

/* Compute the expression by method `way`; returns the method's name. */
static const char *compute(const struct expression *e, int way, ty_tensor **y) {
    ty_einsum_options options = {.objective = (ty_einsum_objective)test_between(0, 2),
                                 .strategy = (ty_einsum_strategy)test_between(0, 3)};
    ty_tensor *x[MOST];
    memcpy(x, e->x, sizeof x);
    if (way == 0) {
        ty_use_engine("ref");
        *y = ty_einsum_of(e->text, e->n, x, options);
        ty_use_engine("cpu");
        return "on the reference";
    }
    if (way == 1) {
        for (int k = 0; k < e->n; k++) x[k] = test_between(0, 2) ? ty_lazy(x[k]) : x[k];
        *y = ty_eval(ty_einsum_of(e->text, e->n, x, options));
        return "compiled";
    }
    if (way == 2) {
        ty_einsum_operand operands[MOST];
        ty_dtype of[MOST];
        for (int k = 0; k < e->n; k++) of[k] = ty_dtype_of(x[k]);
        ty_dtype dtype = ty_promote_all(e->n, of);
        for (int k = 0; k < e->n; k++) {
            operands[k] = (ty_einsum_operand){e->rank[k], e->shape[k], test_between(0, 1) ? x[k] : NULL};
            x[k] = operands[k].constant ? NULL : ty_cast(x[k], dtype);
        }
        ty_einsum_plan *plan = ty_einsum_plan_new(e->text, dtype, e->n, operands, options);
        *y = ty_einsum_plan_run(plan, e->n, x);
        ty_einsum_plan_free(plan);
        return "as a plan";
    }
    isa_force((enum isa)test_between(0, isa_best()));
    test_draw_caches();
    *y = way == 3 && e->n <= 2 ? ty_einsum(e->text, x[0], e->n == 2 ? x[1] : NULL)
                               : ty_einsum_of(e->text, e->n, x, options);
    isa_force(isa_best());
    return "at once";
}

static void random_expressions(void) {
    int cases = test_starving() ? 6 : getenv("TY_TEST_QUICK") ? 1000 : 20000;
    for (int i = 0; i < cases; i++) {
        struct test_round round = test_round();
        struct expression e;
        ty_tensor *y;
        make_expression(&e);
        const char *way = compute(&e, i % 8, &y);
        char words[64];
        snprintf(words, sizeof words, "case %d %s", i, way);
        einsum_check(y, e.text, e.n, e.x, words);
        test_round_end(round);
    }
    printf("generated cases: %d\n", cases);
}

/* ---- equations from the tests of NumPy and opt_einsum ---- */

static const char *const known[] = {
    "a,ab,abc->abc",
    "a,b,ab->ab",
    "ea,fb,gc,hd,abcd->efgh",
    "ea,fb,abcd,gc,hd->efgh",
    "abcd,ea,fb,gc,hd->efgh",
    "acdf,jbje,gihb,hfac,gfac,gifabc,hfac",
    "cd,bdhe,aidb,hgca,gc,hgibcd,hgac",
    "abhe,hidj,jgba,hiab,gab",
    "bde,cdh,agdb,hica,ibd,hgicd,hiac",
    "chd,bde,agbc,hiad,hgc,hgi,hiad",
    "chd,bde,agbc,hiad,bdi,cgh,agdb",
    "bdhe,acad,hiab,agac,hibd",
    "ab,ab,c->",
    "ab,ab,c->c",
    "ab,ab,cd,cd->",
    "ab,ab,cd,cd->ac",
    "ab,ab,cd,cd->cd",
    "ab,ab,cd,cd,ef,ef->",
    "ab,cd,ef->abcdef",
    "ab,cd,ef->acdf",
    "ab,cd,de->abcde",
    "ab,cd,de->be",
    "ab,bcd,cd->abcd",
    "ab,bcd,cd->abd",
    "eb,cb,fb->cef",
    "dd,fb,be,cdb->cef",
    "bca,cdb,dbf,afc->",
    "dcc,fce,ea,dbf->ab",
    "fdf,cdd,ccd,afe->ae",
    "abcd,ad",
    "ed,fcd,ff,bcf->be",
    "baa,dcf,af,cde->be",
    "bd,db,eac->ace",
    "fff,fae,bef,def->abd",
    "efc,dbc,acf,fd->abe",
    "ab,ab",
    "ab,ba",
    "abc,abc",
    "abc,bac",
    "abc,cba",
    "ab,bc",
    "ab,cb",
    "ba,bc",
    "ba,cb",
    "abcd,cd",
    "abcd,ab",
    "abcd,cdef",
    "abcd,cdef->feba",
    "abcd,efdc",
    "aab,bc->ac",
    "ab,bcc->ac",
    "aab,bcc->ac",
    "aab,bcc->ca",
    "aab,bbc->ac",
    "aab,fa,df,ecc->bde",
    "ecb,fef,bad,ed->ac",
    "bcf,bbb,fbf,fc->",
    "bb,ff,be->e",
    "bcb,bb,fc,fff->",
    "fbb,dfd,fc,fc->",
    "afd,ba,cc,dc->bf",
    "adb,bc,fa,cfc->d",
    "bbd,bda,fc,db->acf",
    "dba,ead,cad->bce",
    "aef,fbc,dca->bde",
    "a,a,a,a,a,a,a->",
    "ab,bc,cd,de,ef,fg->ag",
    "ab,bc,cd,de,ef,fa->",
    "abc,abc,abc->b",
    ",,ab,->ba",
    "a,b,c,d->dcba",
};

static void known_equations(void) {
    static const int64_t sizes[] = {2, 3, 2, 4, 2, 3, 2, 3, 2, 2};
    int step = test_starving() ? 12 : 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i += (size_t)step) {
        struct test_round round = test_round();
        ty_tensor *x[16];
        int n = 0, rank = 0;
        int64_t shape[8];
        for (const char *c = known[i];; c++) {
            if (*c >= 'a' && *c <= 'j') {
                shape[rank++] = sizes[*c - 'a'];
                continue;
            }
            x[n++] = sample_shape(TY_F64, rank, shape, -1, 1);
            rank = 0;
            if (*c != ',') break;
        }
        einsum_check(ty_einsum_of(known[i], n, x, (ty_einsum_options){0}), known[i], n, x, "known");
        test_round_end(round);
    }
}

/* ---- trees ---- */

static void trees(void) {
    static const struct {
        const char *tree, *equation;
    } rows[] = {
        {"[[a,b],[b,c]->[a,c]]", "ab,bc->ac"},
        {"[a,b],[b,c]->[c,a]", "ab,bc->ca"},
        {"[[[a,b],[b,c]->[a,c]],[c,d]->[a,d]]", "ab,bc,cd->ad"},
        {"[[a,b],[[b,c],[c,d]->[b,d]]->[d,a]]", "ab,bc,cd->da"},
        {"[ [ [a,b] -> [b,a] ] , [ b , c ] -> [ a , c ] ]", "ab,bc->ac"},
        {"[[a,b]->[a]]", "ab->a"},
        {"[a,b]", "ab->ab"},
        {"[[a,a,b],[b]->[a]]", "aab,b->a"},
        {"[[[a,b],[]->[a,b]],[c]->[c,b,a]]", "ab,,c->cba"},
        {"[[[a,b],[c]->[a,b,c]],[[c,d],[d]->[c,d]]->[b,a]]", "ab,c,cd,d->ba"},
    };
    static const int64_t sizes[] = {3, 4, 2, 5};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_tensor *x[4];
        int n = 0, rank = 0;
        int64_t shape[8];
        for (const char *c = rows[i].equation;; c++) {
            if (*c >= 'a' && *c <= 'd') {
                shape[rank++] = sizes[*c - 'a'];
                continue;
            }
            x[n++] = sample_shape(TY_F64, rank, shape, -1, 1);
            rank = 0;
            if (*c != ',') break;
        }
        einsum_check(ty_einsum_of(rows[i].tree, n, x, (ty_einsum_options){0}), rows[i].equation, n, x,
                     rows[i].tree);
    }
    ty_tensor *a = sample_shape(TY_F64, TY_SHAPE(3, 4), -1, 1),
              *b = sample_shape(TY_F64, TY_SHAPE(4, 2), -1, 1);
    ty_tensor *y = ty_einsum("[[m0,k_1],[k_1,n]->[n,m0]]", a, b);
    einsum_check(y, "ab,bc->ca", 2, (ty_tensor *[]){a, b}, "names of several characters");
    ty_einsum_operand shapes[] = {
        {2, (int64_t[]){3, 4}, NULL}, {2, (int64_t[]){4, 2}, NULL}, {1, (int64_t[]){2}, NULL}};
    ty_einsum_plan *plan =
        ty_einsum_plan_new("[[0,1],[[1,2],[2]->[1]]->[0]]", TY_F32, 3, shapes, (ty_einsum_options){0});
    char *text = test_text(ty_einsum_plan_text(plan));
    bool follows = !text || (strstr(text, "[1,2],[2]->[1]") && strstr(text, "[0,1],[1]->[0]"));
    ty_einsum_plan_free(plan);
    CHECK(follows, "the tree's order is not kept:\n%s", text);
}

static void tree_sentences(void) {
    static const struct {
        const char *tree, *words;
    } rows[] = {
        {"[[a,b],[b,c]->[a,d]]", "column 18: name d is in neither operand of this node"},
        {"[[a,b]->[c]]", "column 10: name c is not in the operand of this node"},
        {"[[a,b],[b,c]->[a,a]]", "column 18: name a occurs twice in the output"},
        {"[[a,b],[b,c]", "column 13: expected '->', found the end of the tree"},
        {"[[a,b],[b,c],[c]->[a]]", "column 13: ',' stands where '->' should"},
        {"[[a,b]]", "column 7: ']' stands where ',' or '->' should"},
        {"[[a,b],[b,c]->[a,c]]]", "column 21: ']' stands where"},
        {"[[a;b],[b,c]->[a,c]]", "column 4: ';' stands where ',' or ']' should"},
        {"[[a,],[b,c]->[a,c]]", "column 5: ']' stands where a name should"},
        {"[[[a,b],[b,c]->[a,c]],[b]->[a]]", "column 24: name b was summed before and is used again"},
        {"[[b],[[a,b],[b,c]->[a,c]]->[a]]", "name b is summed here, but is also used outside of this node"},
        {"[[a,b],x->[a]]", "column 8: 'x' stands where '[' should"},
        {"[[a,b],[b\xff]->[a]]", "column 10: byte 255 stands where ',' or ']' should"},
    };
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 2));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_POISON(ty_einsum(rows[i].tree, x, x), rows[i].words);
    char deep[2000] = "";
    for (int i = 0; i < 1500; i++) deep[i] = '[';
    CHECK_POISON(ty_einsum(deep, x, x), "nodes are open");
}

static void sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 3)), *w = ty_zeros(TY_F32, TY_SHAPE(3, 4));
    ty_tensor *three[] = {x, w, ty_zeros(TY_F32, TY_SHAPE(5, 6))};
    CHECK_POISON(
        ty_einsum_of("ij,jk,kl->il", 3, three, (ty_einsum_options){0}),
        "einsum \"ij,jk,kl->il\" of f32[2,3], f32[3,4] and f32[5,6]: letter k is 4 in axis 1 of the second "
        "operand and 5 in axis 0 of the third");
    CHECK_POISON(ty_einsum_of("ij", 0, NULL, (ty_einsum_options){0}), "0 operands");
    CHECK_POISON(ty_einsum_of("i,j", -1, NULL, (ty_einsum_options){0}), "-1 operands");
    three[2] = ty_zeros(TY_F32, TY_SHAPE(4, 5));
    CHECK_POISON(
        ty_einsum_of("ij,jk,kl->il", 3, three, (ty_einsum_options){.memory = 16}),
        "the best path found, (0,1) (#1,2), takes 32 bytes for its intermediates, more than the limit of 16");
    CHECK_OK(ty_einsum_of("ij,jk,kl->il", 3, three, (ty_einsum_options){.memory = 32}));
    CHECK_POISON(
        ty_einsum_of("[[[i,j],[j,k]->[i,k]],[k,l]->[i,l]]", 3, three, (ty_einsum_options){.memory = 31}),
        "the tree takes 32 bytes");
    CHECK_OK(ty_einsum_of("ij->j", 1, three, (ty_einsum_options){.memory = 1}));
    CHECK_POISON(ty_einsum_of("ij->j", 1, three, (ty_einsum_options){.objective = (ty_einsum_objective)3}),
                 "unknown objective 3");
    CHECK_POISON(ty_einsum_of("ij->j", 1, three, (ty_einsum_options){.strategy = (ty_einsum_strategy)-1}),
                 "unknown strategy -1");
    CHECK_POISON(ty_einsum_of("ij->j", 1, three, (ty_einsum_options){.memory = -8}),
                 "the limit is -8 bytes; expected 0 (no limit) or more");
    three[1] = ty_poison("the first failure");
    CHECK_POISON(ty_einsum_of("ij,jk,kl->il", 3, three, (ty_einsum_options){0}), "the first failure");
}

/* ---- plans ---- */

static void plans(void) {
    int64_t shapes[3][2] = {{8, 9}, {9, 10}, {10, 7}};
    ty_tensor *b = sample_shape(TY_F32, 2, shapes[1], -1, 1), *c = sample_shape(TY_F32, 2, shapes[2], -1, 1);
    ty_einsum_operand operands[] = {{2, shapes[0], NULL}, {0, NULL, b}, {0, NULL, c}};
    ty_einsum_plan *plan = ty_einsum_plan_new("ij,jk,kl->il", TY_F32, 3, operands, (ty_einsum_options){0});
    test_own(plan, (void (*)(void *))ty_einsum_plan_free);
    CHECK(!*ty_einsum_plan_error(plan) || test_starving(), "%s", ty_einsum_plan_error(plan));
    ty_tensor *first = NULL, *x = NULL;
    for (int run = 0; run < 3; run++) {
        x = sample_shape(TY_F32, 2, shapes[0], -1, 1);
        ty_tensor *y = CHECK_OK(ty_einsum_plan_run(plan, 3, (ty_tensor *[]){x, NULL, NULL}));
        einsum_check(y, "ij,jk,kl->il", 3, (ty_tensor *[]){x, b, c}, "a plan run again");
        if (first) CHECK(ty_data(first) != ty_data(y), "a result that is held was overwritten");
        first = y;
    }
    ty_einsum_report report;
    ty_einsum_plan_report(plan, &report);
    CHECK(report.steps == 2 && report.flops == 2. * 8 * 9 * 7,
          "%d steps, %g flops: the constants are not contracted once", report.steps, report.flops);
    CHECK(report.workspace >= 0 && report.workspace <= 1 << 20, "a workspace of %g", report.workspace);
    ty_tensor *t = ty_track(x, "x"), *y = ty_einsum_plan_run(plan, 3, (ty_tensor *[]){t, NULL, NULL}), *g;
    CHECK(ty_grad(CHECK_OK(y), 1, &t, &g) || test_starving(), "no gradient: %s", ty_error(g));
    ty_tensor *want = ty_broadcast(ty_einsum("jl->j", ty_matmul(b, c), NULL), 2, shapes[0]);
    compare_near(CHECK_OK(g), CHECK_OK(want), 1e-5, 1e-5, "the gradient of a plan");
    CHECK_POISON(ty_einsum_plan_run(plan, 3, (ty_tensor *[]){b, NULL, NULL}),
                 "the first operand is f32[9,10]; the plan expects f32[8,9]");
    CHECK_POISON(ty_einsum_plan_run(plan, 2, (ty_tensor *[]){x, NULL}), "2 operands; the plan expects 3");
}

static void broken_plans(void) {
    int64_t shape[2] = {2, 3};
    ty_einsum_operand operands[] = {{2, shape, NULL}, {2, shape, NULL}};
    static const struct {
        const char *equation, *words;
        int n, rank;
    } rows[] = {
        {"ij,jk", "letter j is 3 in axis 1", 2, 2},
        {"ij,jk", "the equation has 2 operands and 1 was given", 1, 2},
        {NULL, "the equation is NULL", 2, 2},
        {"ij", "rank 65", 1, 65},
        {"ij", "0 operands", 0, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        operands[0].rank = rows[i].rank;
        ty_einsum_plan *plan =
            ty_einsum_plan_new(rows[i].equation, TY_F32, rows[i].n, operands, (ty_einsum_options){0});
        char words[256];
        snprintf(words, sizeof words, "%s", ty_einsum_plan_error(plan));
        ty_tensor *y = ty_einsum_plan_run(plan, rows[i].n, (ty_tensor *[]){NULL, NULL});
        bool poisoned = !ty_ok(y);
        ty_einsum_plan_free(plan);
        CHECK(strstr(words, rows[i].words) || (test_starving() && strstr(words, "memory")),
              "\"%s\" does not say \"%s\"", words, rows[i].words);
        CHECK(poisoned, "a broken plan ran");
    }
}

/* Sums of one operand come first, unless the memory limit forbids it. */
static void sums_wait(void) {
    static const struct {
        const char *equation;
        int n;
        struct {
            int rank;
            int64_t shape[4];
        } operand[3];
        int64_t quick, least;
    } rows[] = {
        {"ij,k->k", 2, {{2, {5, 6}}, {1, {3}}}, 4, 0},
        {"ijj,kkm->m", 2, {{3, {2, 3, 3}}, {3, {4, 4, 5}}}, 24, 0},
        {"adf,ed,daf->", 3, {{3, {7, 4, 30}}, {2, {10, 4}}, {3, {4, 7, 30}}}, 32, 16},
        {"ed,gcdf,e->fc", 3, {{2, {3, 4}}, {4, {2, 2, 4, 7}}, {1, {3}}}, 240, 16},
        {"[[[a,d,f],[e,d]->[d,a,f]],[d,a,f]->[]]",
         3,
         {{3, {7, 4, 30}}, {2, {10, 4}}, {3, {4, 7, 30}}},
         3376,
         3360},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ty_tensor *x[3], *y[3];
        for (int k = 0; k < rows[i].n; k++)
            x[k] = sample_shape(TY_F64, rows[i].operand[k].rank, rows[i].operand[k].shape, -9, 9);
        ty_einsum_options least = {.memory = rows[i].least ? rows[i].least * 2 : 1};
        y[0] = CHECK_OK(ty_einsum_of(rows[i].equation, rows[i].n, x, (ty_einsum_options){0}));
        y[1] = CHECK_OK(ty_einsum_of(rows[i].equation, rows[i].n, x, least));
        least = (ty_einsum_options){.objective = TY_EINSUM_MEMORY};
        y[2] = CHECK_OK(ty_einsum_of(rows[i].equation, rows[i].n, x, least));
        compare_near(y[1], y[0], 1e-12, 1e-9, "%s, sums late", rows[i].equation);
        compare_near(y[2], y[0], 1e-12, 1e-9, "%s, least memory", rows[i].equation);
        least.memory = rows[i].least * 2 - 1;
        if (rows[i].least > 0)
            CHECK_POISON(ty_einsum_of(rows[i].equation, rows[i].n, x, least), "bytes for its intermediates");
    }
}

/* A result larger than memory is refused before its first step. */
static void too_large_to_begin(void) {
    enum { N = 12 };
    ty_tensor *x[N], *one = CHECK_OK(ty_ones(TY_F32, 1, (int64_t[]){100}));
    for (int i = 0; i < N; i++) x[i] = one;
    ty_tensor *y = ty_einsum_of("a,b,c,d,e,f,g,h,i,j,k,l->abcdefghijkl", N, x, (ty_einsum_options){0});
    CHECK(!ty_ok(y) && (strstr(ty_error(y), "step 11 of 11 makes 1e+24 elements") || test_starving()), "%s",
          ty_error(y));
    ty_tensor *sum = CHECK_OK(ty_einsum_of("a,b,c,d,e,f,g,h,i,j,k,l->", N, x, (ty_einsum_options){0}));
    CHECK(ty_item(sum) > 0.99e24 || test_starving(), "%g", ty_item(sum));
}

TESTS_MAIN(TEST(random_expressions), TEST(known_equations), TEST(trees), TEST(tree_sentences),
           TEST(sentences), TEST(plans), TEST(broken_plans), TEST(sums_wait), TEST(too_large_to_begin))
