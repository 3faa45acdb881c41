/*
 * Models for foreign machines: machines FOLDER exports each to FOLDER/<name>.c and writes FOLDER/<name>_main.c, a program
 * that calls it and compares the bits of all results with those that `cpu` computes here.  machines.sh compiles and runs
 * them.  Numbers are words in the programs, so a machine of any order of bytes has them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tyto/export_c.h>
#include <tyto/nn.h>
#include <tyto/tyto.h>

enum { ROUNDS = 2, MOST = 8 };

/* A model: its function, and where its weights are. */
struct machine_model {
    const char *name;
    void (*record)(struct machine_model *m);
    bool apart;   /* weights are in a file */
    bool printed; /* cpu has other bits: the program prints its own, which all machines must have */
    ty_tensor *inputs[MOST], *outputs[MOST];
    ty_update updates[MOST];
    int ninputs, noutputs, nupdates;
};
static ty_tensor *add_input(struct machine_model *m, ty_dtype dtype, int rank, const int64_t *shape) {
    return m->inputs[m->ninputs++] = ty_var(ty_zeros(dtype, rank, shape), NULL);
}
static void add_output(struct machine_model *m, ty_tensor *x) { m->outputs[m->noutputs++] = x; }
static ty_tensor *normal(int rank, const int64_t *shape, uint64_t seed) {
    return ty_normal(TY_F32, rank, shape, ty_key(seed));
}

/* ---- models ---- */

static void record_images(struct machine_model *m) {
    ty_tensor *x = add_input(m, TY_U8, TY_SHAPE(1, 14, 14, 1));
    x = ty_mul(ty_cast(x, TY_F32), ty_num(1.0 / 256));
    x = ty_relu(ty_conv2d(x, normal(TY_SHAPE(5, 5, 1, 4), 1), (ty_conv){.same = true}));
    x = ty_max_pool2d(x, (ty_pool){.size = {2, 2}});
    x = ty_relu(ty_conv2d(x, normal(TY_SHAPE(3, 3, 4, 8), 2), (ty_conv){0}));
    x = ty_avg_pool2d(x, (ty_pool){.size = {2, 2}});
    x = ty_reshape(x, TY_SHAPE(1, -1));
    x = ty_matmul(x, normal(TY_SHAPE(ty_shape(x)[1], 10), 3));
    add_output(m, ty_softmax(x, -1));
}
static void record_attention(struct machine_model *m) {
    ty_tensor *x = add_input(m, TY_F32, TY_SHAPE(6, 16)), *parts[3];
    for (uint64_t i = 0; i < 3; i++) parts[i] = ty_matmul(x, normal(TY_SHAPE(16, 16), 10 + i));
    ty_tensor *scores = ty_mul(ty_matmul(parts[0], ty_transpose(parts[1])), ty_num(0.25));
    x = ty_add(x, ty_matmul(ty_softmax(scores, -1), parts[2]));
    add_output(m, ty_gelu(x));
    add_output(m, ty_variance(x, ty_axis(-1)));
}
/* Dropout and noise: uniform and normal numbers of a key that each call updates. */
static void record_random(struct machine_model *m) {
    ty_tensor *key = ty_var(ty_key(7), "key"), *x = add_input(m, TY_F32, TY_SHAPE(33));
    ty_tensor *keep = ty_lt(ty_uniform(TY_F32, TY_SHAPE(33), key), ty_num(0.75));
    add_output(m, ty_where(keep, ty_div(x, ty_num(0.75)), ty_num(0)));
    add_output(m, ty_add(x, ty_normal(TY_F32, TY_SHAPE(33), ty_fold(key, 1))));
    add_output(m, ty_normal(TY_F64, TY_SHAPE(7), ty_fold(key, 2)));
    add_output(m, ty_uniform(TY_F64, TY_SHAPE(7), ty_fold(key, 3)));
    m->updates[m->nupdates++] = (ty_update){key, ty_fold(key, 9)};
}
/* Views as numbers of other sizes: of parameters, constants, variables and intermediate results. */
static void record_views(struct machine_model *m) {
    static uint32_t words[] = {0x01020304, 0xfffefdfc, 0x80000001, 7};
    ty_tensor *constant = ty_borrow(TY_U32, TY_SHAPE(4), words, NULL, NULL);
    ty_tensor *variable = ty_var(ty_from(TY_U32, TY_SHAPE(4), words), "words");
    ty_tensor *x = add_input(m, TY_F32, TY_SHAPE(3, 4)), *wide = add_input(m, TY_F64, TY_SHAPE(5));
    ty_tensor *z = add_input(m, TY_C64, TY_SHAPE(2)), *bytes = add_input(m, TY_U8, TY_SHAPE(19));
    add_output(m, ty_add(ty_view_as(x, TY_U8), ty_int(1)));
    add_output(m, ty_bit_xor(ty_view_as(wide, TY_U32), ty_int(5)));
    add_output(m,
               ty_add(ty_view_as(ty_lazy(constant), TY_U16), ty_cast(ty_view_as(variable, TY_U16), TY_U16)));
    add_output(m, ty_sum(ty_cast(ty_view_as(ty_exp(x), TY_U8), TY_I64), TY_ALL));
    add_output(m, ty_view_as(z, TY_I16));
    ty_tensor *part = ty_slice(bytes, 0, 16, 4, -1),
              *words_of = ty_view_as(ty_slice(bytes, 0, 4, 16, 1), TY_U32);
    add_output(m, ty_add(ty_view_as(part, TY_U32), words_of));
    add_output(m, ty_view_as(ty_reshape(ty_add(words_of, ty_int(1)), TY_SHAPE(3)), TY_U8));
    m->updates[m->nupdates++] =
        (ty_update){variable, ty_view_as(ty_add(ty_view_as(variable, TY_U8), ty_int(3)), TY_U32)};
}
/* Numbers for storage, which casts spread over words; and weights of several sizes in a file. */
static void record_storage(struct machine_model *m) {
    ty_tensor *x = add_input(m, TY_F32, TY_SHAPE(5, 12)), *w = normal(TY_SHAPE(12), 20);
    ty_tensor *four = ty_var(ty_cast(ty_mul(w, ty_num(3)), TY_I4), NULL),
              *eight = ty_var(ty_cast(w, TY_F8_E4M3FN), NULL);
    ty_tensor *half = ty_var(ty_cast(w, TY_F16), NULL), *wide = ty_var(ty_cast(w, TY_F64), NULL);
    ty_tensor *sum = ty_add(ty_cast(four, TY_F32), ty_add(ty_cast(eight, TY_F32), ty_cast(half, TY_F32)));
    add_output(m, ty_add(ty_mul(x, sum), wide));
    add_output(m, ty_view_as(ty_cast(x, TY_F4_E2M1), TY_U8));
}
static void record_integers(struct machine_model *m) {
    ty_tensor *a = add_input(m, TY_I32, TY_SHAPE(40)), *b = add_input(m, TY_I32, TY_SHAPE(40));
    ty_tensor *wide = add_input(m, TY_I64, TY_SHAPE(40)), *narrow = add_input(m, TY_I8, TY_SHAPE(40));
    add_output(m, ty_floor_div(a, b));
    add_output(m, ty_mod(ty_mul(wide, wide), ty_int(1000003)));
    add_output(m, ty_bit_xor(ty_shift_left(a, ty_bit_and(b, ty_int(31))), ty_shift_right(b, ty_int(3))));
    add_output(m, ty_mul(narrow, narrow));
    add_output(m, ty_matmul(ty_reshape(narrow, TY_SHAPE(5, 8)), ty_reshape(narrow, TY_SHAPE(8, 5))));
    add_output(m, ty_sum(ty_cast(a, TY_F64), TY_ALL));
}
static void record_complex(struct machine_model *m) {
    ty_tensor *z = add_input(m, TY_C64, TY_SHAPE(16)), *x = add_input(m, TY_F64, TY_SHAPE(3, 20));
    add_output(m, ty_div(ty_exp(z), ty_add(z, ty_num(2))));
    add_output(m, ty_sum(ty_mul(x, ty_sin(x)), ty_axis(1)));
}
static void record_transforms(struct machine_model *m) {
    ty_tensor *z = add_input(m, TY_C64, TY_SHAPE(16)), *x = add_input(m, TY_F64, TY_SHAPE(3, 20));
    add_output(m, ty_fft(z, TY_FFT_WHOLE, 0, TY_FFT_BACKWARD));
    add_output(m, ty_rfft(x, TY_FFT_WHOLE, -1, TY_FFT_BACKWARD));
}
static void record_sort(struct machine_model *m) {
    ty_tensor *x = add_input(m, TY_F32, TY_SHAPE(3, 50)), *whole = add_input(m, TY_I64, TY_SHAPE(31));
    add_output(m, ty_sort(x, -1, false));
    add_output(m, ty_argsort(x, -1, true));
    add_output(m, ty_sort(whole, 0, true));
    add_output(m, ty_cumsum(x, 1, (ty_running){0}));
}
static void record_special(struct machine_model *m) {
    ty_tensor *x = add_input(m, TY_F64, TY_SHAPE(64)), *y = ty_cast(x, TY_F32);
    add_output(m, ty_lgamma(x));
    add_output(m, ty_erf(y));
    add_output(m, ty_tan(ty_mul(y, ty_num(1e6))));
    add_output(m, ty_pow(ty_abs(x), ty_num(1.7)));
    add_output(m, ty_cast(ty_sin(ty_cast(y, TY_F16)), TY_BF16));
}

/* Loops: a recurrent layer, and steps of which each reads its carry and a sequence as numbers of other sizes. */
static void view_step(void *context, ty_step *step) {
    (void)context;
    ty_tensor *bytes = ty_add(ty_view_as(step->carry[0], TY_U8), ty_view_as(step->x[0], TY_U8));
    step->next[0] = ty_bit_xor(ty_view_as(bytes, TY_U32), step->carry[0]);
    step->y[0] = ty_view_as(step->next[0], TY_U16);
}
static void record_loops(struct machine_model *m) {
    const ty_layer_value layers[] = {TY_LAYER(gru, .units = 6), TY_LAYER(linear, .units = 3)};
    ty_model *gru = ty_model_sequence(2, layers, (ty_model_options){.seed = 1, .lazy = true});
    ty_tensor *x = add_input(m, TY_F32, TY_SHAPE(2, 5, 4)), *words = add_input(m, TY_U32, TY_SHAPE(7, 4));
    add_output(m, ty_model_forward(gru, x, NULL));
    ty_tensor *start = ty_view_as(add_input(m, TY_U8, TY_SHAPE(16)), TY_U32), *last, *y;
    const ty_scan_spec spec = {.ncarry = 1, .carry = &start, .nx = 1, .x = &words, .ny = 1};
    ty_scan(view_step, NULL, spec, &last, &y, NULL);
    add_output(m, last);
    add_output(m, y);
    ty_model_free(gru);
}

static struct machine_model models[] = {{.name = "images", .record = record_images},
                                        {.name = "attention", .record = record_attention},
                                        {.name = "random", .record = record_random},
                                        {.name = "views", .record = record_views},
                                        {.name = "views_apart", .record = record_views, .apart = true},
                                        {.name = "storage", .record = record_storage},
                                        {.name = "storage_apart", .record = record_storage, .apart = true},
                                        {.name = "integers", .record = record_integers},
                                        {.name = "complex", .record = record_complex},
                                        {.name = "transforms", .record = record_transforms, .printed = true},
                                        {.name = "sort", .record = record_sort},
                                        {.name = "loops", .record = record_loops},
                                        {.name = "special", .record = record_special}};

/* ---- values ---- */

/* Return numbers for an input: of floats normal ones, of integers small ones of both signs, of 8 bits all. */
static ty_tensor *sample(const ty_tensor *like, uint64_t seed) {
    ty_dtype dtype = ty_dtype_of(like);
    ty_tensor *x = ty_normal(TY_F64, ty_rank(like), ty_shape(like), ty_key(seed));
    if (dtype == TY_C64 || dtype == TY_C128)
        x = ty_from_parts(x, ty_normal(TY_F64, ty_rank(like), ty_shape(like), ty_key(seed + 1)));
    else if (dtype != TY_F32 && dtype != TY_F64)
        x = ty_cast(ty_mul(x, ty_num(1000)), TY_I64);
    return ty_eval(ty_cast(x, dtype));
}

/* C's types of the words and of the numbers of a dtype, and the number of these in an element. */
static void types_of(ty_dtype dtype, const char **word, const char **number, int *parts) {
    static const char *const words[9] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    bool complex = dtype == TY_C64 || dtype == TY_C128;
    *parts = complex ? 2 : 1;
    *word = words[ty_dtype_size(dtype) / (size_t)*parts];
    *number = *word;
    if (dtype == TY_F32 || dtype == TY_C64) *number = "float";
    if (dtype == TY_F64 || dtype == TY_C128) *number = "double";
    if (dtype == TY_I8) *number = "int8_t";
    if (dtype == TY_I16) *number = "int16_t";
    if (dtype == TY_I32) *number = "int32_t";
    if (dtype == TY_I64) *number = "int64_t";
}
/* Write the elements of x as an array of words, or without values room for them. */
static void write_array(FILE *out, const char *name, int i, int round, ty_tensor *x, bool values) {
    const char *word, *number;
    int parts;
    types_of(ty_dtype_of(x), &word, &number, &parts);
    size_t size = ty_dtype_size(ty_dtype_of(x)) / (size_t)parts;
    long long n = (long long)ty_size(x) * parts;
    fprintf(out, "static %sunion { %s words[%lld]; %s numbers[%lld]; } %s%d_%d", values ? "const " : "", word,
            n, number, n, name, i, round);
    if (values) fprintf(out, " = {{");
    const char *data = values ? ty_data(ty_contiguous(x)) : NULL;
    for (long long k = 0; k < n && values; k++, data += size) {
        uint64_t bits = 0;
        if (size == 1) bits = *(const uint8_t *)data;
        if (size == 2) bits = *(const uint16_t *)data;
        if (size == 4) bits = *(const uint32_t *)data;
        if (size == 8) bits = *(const uint64_t *)data;
        fprintf(out, size == 8 ? "%sUINT64_C(%" PRIu64 ")," : "%s%" PRIu64 "u,", k % 12 ? "" : "\n", bits);
    }
    fprintf(out, values ? "}};\n" : ";\n");
}

/* ---- programs ---- */

/* Write the call of a round, and the comparison of its results. */
static void write_round(FILE *out, const struct machine_model *m, int round) {
    fprintf(out, "if (%s_run(&state", m->name);
    for (int i = 0; i < m->ninputs; i++) fprintf(out, ", in%d_%d.numbers", i, round);
    for (int i = 0; i < m->noutputs; i++) fprintf(out, ", out%d_%d.numbers", i, round);
    fprintf(out, ")) return puts(\"%s: refused\"), 1;\n", m->name);
    for (int i = 0; i < m->noutputs && m->printed; i++)
        fprintf(out,
                "for (i = 0; i < sizeof out%d_%d.words / sizeof *out%d_%d.words; i++)\n"
                "printf(\"%%\" PRIu64 \"\\n\", (uint64_t)out%d_%d.words[i]);\n",
                i, round, i, round, i, round);
    for (int i = 0; i < m->noutputs && !m->printed; i++)
        fprintf(out,
                "if (memcmp(&out%d_%d, &want%d_%d, sizeof out%d_%d))\n"
                "failed = 1, puts(\"%s: output %d of call %d differs\");\n",
                i, round, i, round, i, round, m->name, i, round);
}
/* Write a function that begins: with weights, it reads them from the file that the program is called with. */
static void write_begin(FILE *out, const struct machine_model *m, int64_t bytes) {
    if (!m->apart) {
        fprintf(out, "static int begin(const char *path) {\n(void)path;\n%s_begin(&state);\nreturn 0;\n}\n",
                m->name);
        return;
    }
    fprintf(out,
            "static union { uint64_t words[2]; char bytes[16 + %lld]; } room;\n"
            "static int begin(const char *path) {\nFILE *file = fopen(path, \"rb\");\n"
            "char *weights = room.bytes + (16 - (uintptr_t)room.bytes %% 16) %% 16;\nsize_t bytes = sizeof "
            "room - 16;\n"
            "if (!file || fread(weights, 1, bytes, file) != bytes) return 1;\nfclose(file);\n"
            "if (%s_turn_weights(weights, bytes)) return 2;\n"
            "return %s_begin(&state, weights, bytes);\n}\n",
            (long long)bytes, m->name, m->name);
}
static bool write_program(const char *folder, const struct machine_model *m, ty_program *p,
                          int64_t weight_bytes) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s_main.c", folder, m->name);
    FILE *out = fopen(path, "w");
    if (!out) return fprintf(stderr, "%s: not written\n", path), false;
    fprintf(out,
            "#include <inttypes.h>\n#include <stdio.h>\n#include <string.h>\n#include \"%s.h\"\nstatic "
            "%s_state state;\n",
            m->name, m->name);
    for (int round = 0; round < ROUNDS; round++) {
        ty_tensor *values[MOST];
        for (int i = 0; i < m->ninputs; i++) {
            values[i] = sample(m->inputs[i], (uint64_t)(100 * round + 2 * i));
            write_array(out, "in", i, round, values[i], true);
        }
        ty_assign_all(m->ninputs, m->inputs, values, NULL);
        if (!ty_run(p)) return fprintf(stderr, "%s: %s\n", m->name, ty_program_error(p)), fclose(out), false;
        for (int i = 0; i < m->noutputs; i++) {
            if (!m->printed) write_array(out, "want", i, round, ty_output(p, i), true);
            write_array(out, "out", i, round, ty_output(p, i), false);
        }
    }
    write_begin(out, m, weight_bytes);
    fprintf(
        out,
        "int main(int argc, char **argv) {\nsize_t i = 0;\nint failed = begin(argc > 1 ? argv[1] : \"\");\n"
        "if (failed) return printf(\"%s: not begun: %%d\\n\", failed), 1;\n",
        m->name);
    for (int round = 0; round < ROUNDS; round++) write_round(out, m, round);
    fprintf(out, "(void)i;\nreturn failed;\n}\n");
    return fclose(out) == 0;
}

/* Return the length of a file, 0 if there is none. */
static int64_t length_of(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    fseek(file, 0, SEEK_END);
    int64_t bytes = ftell(file);
    fclose(file);
    return bytes;
}
static bool write_model(const char *folder, struct machine_model *m) {
    char path[1024], weights[1024];
    snprintf(path, sizeof path, "%s/%s.c", folder, m->name);
    snprintf(weights, sizeof weights, "%s/%s.bin", folder, m->name);
    m->record(m);
    const ty_export_function f = {.name = "run",
                                  .ninputs = m->ninputs,
                                  .inputs = m->inputs,
                                  .noutputs = m->noutputs,
                                  .outputs = m->outputs,
                                  .nupdates = m->nupdates,
                                  .updates = m->updates};
    const ty_export_options options = {.weights = m->apart ? weights : NULL};
    ty_tensor *error;
    if (!ty_export_c(path, 1, &f, options, NULL, &error))
        return fprintf(stderr, "%s\n", ty_error(error)), false;
    const ty_compile_options updates = {.updates = m->updates, .nupdates = m->nupdates};
    ty_program *p = ty_compile(m->noutputs, m->outputs, updates);
    bool written = write_program(folder, m, p, length_of(weights));
    ty_program_free(p);
    return written;
}

/* machines FOLDER [NAME...]: all models, or those named. */
int main(int argc, char **argv) {
    bool well = argc > 1;
    for (size_t i = 0; well && i < sizeof models / sizeof *models; i++) {
        bool wanted = argc == 2;
        for (int k = 2; k < argc; k++) wanted = wanted || !strcmp(argv[k], models[i].name);
        if (!wanted) continue;
        ty_scope *scope = ty_open();
        well = write_model(argv[1], &models[i]);
        ty_close(scope);
        printf("%s\n", models[i].name);
    }
    return !well;
}
