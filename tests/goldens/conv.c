/*
 * goldens_conv FILE.npz: compares convolutions and their gradients with PyTorch's results (tests/goldens/conv.py), in
 * each layout, eagerly, lazily and on the reference.
 */
#include <float.h>
#include <stdio.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

enum { ATTRIBUTES = 19, MOST_AXES = 5, PARTS = 6 };
typedef ty_tensor *convolution(ty_tensor *x, ty_tensor *w, ty_conv options);
static convolution *const convolutions[2][3] = {
    {ty_conv1d, ty_conv2d, ty_conv3d}, {ty_conv_transpose1d, ty_conv_transpose2d, ty_conv_transpose3d}};
/* Parts of a case in the archive: operands, then expected results. */
static const char *const part_names[PARTS] = {"x", "w", "dy", "y", "dx", "dw"};
enum { X, W, DY, Y, DX, DW };
typedef struct golden {
    int number, axes;
    bool transposed;
    ty_conv options;
    ty_tensor *parts[PARTS];
} golden;

/* Layouts: channels first; channels last in memory; or shape channels last of memory with channels first. */
typedef enum layout { CHANNELS_FIRST, CHANNELS_LAST, CHANNELS_LAST_VIEW, LAYOUTS } layout;
static const char *const layout_names[LAYOUTS] = {"channels first", "channels last", "channels last, a view"};
typedef struct mode {
    const char *name, *engine;
    ty_tensor *(*variable)(ty_tensor *value, const char *name);
} mode;
static const mode modes[] = {
    {"eagerly", "cpu", ty_track}, {"lazily", "cpu", ty_var}, {"on the reference", "ref", ty_track}};
enum { MODES = sizeof modes / sizeof *modes };
static int compared;

static ty_tensor *part_of(ty_archive *archive, int number, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "%03d_%s", number, name);
    return ty_archive_get(archive, key);
}

/* Read a case, with attributes in the order of ATTRIBUTES in conv.py; false after the last one. */
static bool read_case(ty_archive *archive, int number, golden *c) {
    int64_t is[ATTRIBUTES];
    ty_tensor *attributes = part_of(archive, number, "is");
    if (!ty_ok(attributes) || ty_size(attributes) != ATTRIBUTES || !ty_read(attributes, TY_I64, is))
        return false;
    *c = (golden){.number = number, .axes = (int)is[0], .transposed = is[1] != 0};
    c->options.same = is[2] != 0;
    c->options.groups = is[3];
    for (int i = 0; i < 3; i++) {
        c->options.stride[i] = is[4 + i];
        c->options.dilation[i] = is[7 + i];
        c->options.low[i] = is[10 + i];
        c->options.high[i] = is[13 + i];
        c->options.output_padding[i] = is[16 + i];
    }
    bool all = c->axes >= 1 && c->axes <= 3;
    for (int i = 0; i < PARTS; i++) {
        c->parts[i] = part_of(archive, number, part_names[i]);
        all = all && ty_ok(c->parts[i]) && ty_rank(c->parts[i]) == c->axes + 2;
    }
    return all;
}

static void print_sizes(const char *name, int n, const int64_t *sizes) {
    printf(" %s", name);
    for (int i = 0; i < n; i++) printf("%c%lld", i ? ',' : ' ', (long long)sizes[i]);
}

static bool complain(const golden *c, const char *part, layout l, const mode *m, const char *what) {
    const ty_conv *o = &c->options;
    printf("case %d: %s, %s, %s: %s\n   %s %s", c->number, part, layout_names[l], m->name, what,
           ty_dtype_name(ty_dtype_of(c->parts[X])), c->transposed ? "transposed" : "plain");
    print_sizes("x", ty_rank(c->parts[X]), ty_shape(c->parts[X]));
    print_sizes("w", ty_rank(c->parts[W]), ty_shape(c->parts[W]));
    printf(" groups %lld%s", (long long)o->groups, o->same ? " same" : "");
    print_sizes("stride", c->axes, o->stride);
    print_sizes("dilation", c->axes, o->dilation);
    print_sizes("low", c->axes, o->low);
    print_sizes("high", c->axes, o->high);
    print_sizes("output_padding", c->axes, o->output_padding);
    printf("\n");
    return false;
}

/* Return the greatest number of products summed for one element of the part. */
static double terms_of(const golden *c, int part) {
    const int64_t *x = ty_shape(c->parts[X]), *y = ty_shape(c->parts[Y]);
    double taps = (double)ty_size(c->parts[W]);
    double places_x = (double)ty_size(c->parts[X]) / x[1], places_y = (double)ty_size(c->parts[Y]) / y[1];
    double terms = part == Y ? taps / y[1] : part == DX ? taps / x[1] : c->transposed ? places_x : places_y;
    return terms < 1 ? 1 : terms;
}

/* Return a part of the case, stored channels first, in a layout. */
static ty_tensor *laid(const golden *c, int part, layout l) {
    ty_tensor *value = c->parts[part];
    if (l == CHANNELS_FIRST) return value;
    bool kernel = part == W || part == DW;
    int order[MOST_AXES] = {0}, last = c->axes + 1;
    for (int i = 0; i < c->axes; i++) order[kernel ? i : i + 1] = i + 2;
    if (kernel) order[last - 1] = !c->transposed;
    order[last] = kernel ? c->transposed : 1;
    value = ty_permute(value, order);
    return l == CHANNELS_LAST ? ty_contiguous(value) : value;
}

/* Return true if |got - want| <= 30 n eps (|want| + 1), with sums of n products of numbers up to 1; prints
   a failure. */
static bool agrees(const golden *c, int part, layout l, const mode *m, ty_tensor *got) {
    compared++;
    ty_tensor *want = laid(c, part, l);
    const char *name = part_names[part];
    got = ty_eval(got);
    if (!ty_ok(got)) return complain(c, name, l, m, ty_error(got));
    if (!ty_ok(want)) return complain(c, name, l, m, ty_error(want));
    bool same = ty_rank(got) == ty_rank(want);
    for (int i = 0; same && i < ty_rank(want); i++) same = ty_shape(got)[i] == ty_shape(want)[i];
    if (!same) return complain(c, name, l, m, "the shapes differ");
    if (ty_dtype_of(got) != ty_dtype_of(want)) return complain(c, name, l, m, "the dtypes differ");
    double eps = ty_dtype_of(want) == TY_F32 ? FLT_EPSILON : DBL_EPSILON;
    ty_tensor *far = ty_div(ty_abs(ty_sub(got, want)), ty_add(ty_abs(want), ty_num(1)));
    ty_tensor *close = ty_le(far, ty_num(30 * terms_of(c, part) * eps));
    if (ty_item(ty_all(close, TY_ALL))) return true;
    char what[64];
    snprintf(what, sizeof what, "differs by %.2g", ty_item(ty_amax(far, TY_ALL)));
    return complain(c, name, l, m, what);
}

static bool check(const golden *c, layout l, const mode *m) {
    ty_scope *scope = ty_open();
    ty_use_engine(m->engine);
    ty_conv options = c->options;
    options.nchw = l == CHANNELS_FIRST;
    ty_tensor *gradients[2], *operands[2] = {laid(c, X, l), laid(c, W, l)};
    for (int i = 0; i < 2; i++) operands[i] = m->variable(operands[i], part_names[i]);
    ty_tensor *y = convolutions[c->transposed][c->axes - 1](operands[0], operands[1], options);
    bool good = agrees(c, Y, l, m, y);
    if (good) {
        ty_vjp(y, laid(c, DY, l), 2, operands, gradients);
        bool first = agrees(c, DX, l, m, gradients[0]), second = agrees(c, DW, l, m, gradients[1]);
        good = first && second; /* both report their failures */
    }
    ty_use_engine("cpu");
    ty_close(scope);
    return good;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: goldens_conv FILE.npz\n");
        return 2;
    }
    ty_scope *scope = ty_open();
    ty_archive *archive = ty_archive_open(argv[1], (ty_file_options){0});
    if (*ty_archive_error(archive)) printf("%s\n", ty_archive_error(archive));
    golden c;
    int cases = 0, failed = 0;
    for (; read_case(archive, cases, &c); cases++) {
        bool good = true;
        for (int l = 0; l < LAYOUTS; l++)
            for (int m = 0; m < MODES; m++) good &= check(&c, (layout)l, &modes[m]);
        failed += !good;
    }
    bool all = cases && cases * (PARTS + 1) == ty_archive_count(archive);
    if (!all) printf("%s: %d arrays, %d cases\n", argv[1], ty_archive_count(archive), cases);
    ty_archive_free(archive);
    ty_close(scope);
    printf("generated cases: %d\n%d passed, %d failed\n", compared, cases - failed, failed + !all);
    return failed || !all;
}
