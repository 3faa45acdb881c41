/*
 * Structs of options and of results of programs that are older or newer than the library.  The functions and their
 * structs come from the headers (tests/support/calls/signatures.awk), so a new one is tested without a change here.
 */
#include "tests/support/calls/each.h"
#include "tests/support/harness.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <tyto/contraction.h>
#include <tyto/data.h>
#include <tyto/decode.h>
#include <tyto/engine.h>
#include <tyto/export_c.h>
#include <tyto/expression.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/notation.h>
#include <tyto/onnx.h>
#include <tyto/plot.h>
#include <tyto/prepare.h>
#include <tyto/table.h>
#include <tyto/zoo.h>
#include "base/options.h"

enum { STEP = 8 /* no pointer is cut */, PATH = 512 };
static char path[PATH];
/* of the calls in progress: their operands, and bytes that choose all arguments; none choose valid ones */
static int mould, nchoices;
static uint8_t choices[96];

/* Make a call with valid arguments and the struct as `change` says, and report a spoiled result. */
static struct calls call(struct said *said, int function, enum calls_change change, size_t bytes) {
    struct calls c = {.null_at = -1,
                      .mould = mould,
                      .data = choices,
                      .size = (size_t)nchoices,
                      .path = path,
                      .mode = &mode_table[0],
                      .change = change,
                      .changed = bytes};
    snprintf(said->now, sizeof said->now, "%s, change %d of %zu bytes", calls_sized_name(function),
             (int)change, bytes);
    calls_make_sized(&c, function);
    if (c.spoil && !*said->wrong) snprintf(said->wrong, sizeof said->wrong, "%s: %s", said->now, c.spoil);
    return c;
}

/* Report the call unless it was refused with these words.  Functions without a sentence just fail. */
static void must_refuse(struct said *said, const struct calls *c, const char *words) {
    if (*said->wrong || !c->known) return;
    if (c->tells && c->outcome != CALLS_REFUSED)
        snprintf(said->wrong, sizeof said->wrong, "%s is not refused", said->now);
    else if (*c->sentence && !strstr(c->sentence, words))
        snprintf(said->wrong, sizeof said->wrong, "%s says \"%.400s\" and not \"%s\"", said->now, c->sentence,
                 words);
}

/* Report two calls that must do the same. */
static void must_equal(struct said *said, const struct calls *a, const struct calls *b) {
    if (*said->wrong) return;
    if (a->outcome != b->outcome || strcmp(a->sentence, b->sentence) != 0 || a->value != b->value)
        snprintf(said->wrong, sizeof said->wrong, "%s: \"%.300s\" is not what the defaults give, \"%.300s\"",
                 said->now, a->sentence, b->sentence);
}

/* Functions that the shortest menus refuse: they need files, or operands that fit each other. */
static const char never_well[] =
    " ty_export_c_sized ty_export_trainer_sized ty_onnx_load_sized ty_engine_counted_sized ty_regress_sized "
    "ty_regress_exponential_sized ty_lasso_sized "
    "ty_linear_svm_sized ty_knn_regress_sized "
    "ty_set_allocator_sized ty_archive_open_sized ty_archive_parse_sized ty_archive_read_sized "
    "ty_graph_parse_sized "
    "ty_dataset_files_sized ty_table_read_sized ty_table_parse_sized "
    "ty_dataset_archive_sized ty_dataset_csv_sized ty_dataset_folder_sized ty_attention_sized "
    "ty_model_save_sized "
    "ty_model_load_sized ty_model_read_sized ty_model_parse_sized ty_network_open_sized "
    "ty_loss_multi_hinge_sized "
    "ty_loss_nll_sized "
    "ty_loss_cosine_sized ty_loss_ctc_sized ty_metric_top_k_sized ty_metric_add_sized ty_metric_value_sized "
    "ty_unfold_sized ty_unfold_add_sized ty_kstest_sized ty_interpn_sized ty_find_root_sized ty_newton_sized "
    "ty_odeint_sized ";
/* Functions whose results differ from call to call. */
static const char varies[] = " ty_format_sized ";

static void sizes(struct said *said, int function) {
    struct calls whole;
    for (mould = 0; mould < CALLS_MOULDS && !said->well_once; mould++) {
        whole = call(said, function, CALLS_AS_IS, 0);
        said->well_once = !whole.tells || whole.outcome == CALLS_WELL;
    }
    mould--;
    struct calls longer = call(said, function, CALLS_LONGER, 0);
    bool same = !is_word(varies, calls_sized_name(function), "");
    if (same) must_equal(said, &longer, &whole);
    struct calls set = call(said, function, CALLS_SET, 0);
    must_refuse(said, &set, "and a later one is set");
    set = call(said, function, CALLS_SIZE, 0);
    must_refuse(said, &set, "have 0 bytes");
    set = call(said, function, CALLS_SIZE, SIZE_MAX);
    must_refuse(said, &set, "expected the size of their struct");
    set = call(said, function, CALLS_SIZE, OPTIONS_BYTES + 1);
    must_refuse(said, &set, "expected the size of their struct");
    struct calls none = call(said, function, CALLS_NULL, 0), zeros = call(said, function, CALLS_ZEROED, 0);
    if (same && whole.known) must_equal(said, &none, &zeros);
    for (int stream = 0; stream < test_some(6, 3, 1); stream++) {
        for (size_t i = 0; i < sizeof choices; i++) choices[i] = (uint8_t)(test_random() % 4);
        nchoices = stream ? (int)sizeof choices : 0;
        for (size_t n = STEP; n < (whole.known ? whole.known : whole.result_bytes); n += STEP) {
            zeros = call(said, function, CALLS_ZEROED, n);
            set = call(said, function, CALLS_CUT, n);
            if (same) must_equal(said, &set, &zeros);
        }
    }
}

/* each_function of the functions with sizes. */
static void structs_of_other_sizes(void) {
    snprintf(path, sizeof path, "/tmp/tyto_options_%d.npy", (int)getpid());
    int wrong = each_sized_function(sizes, never_well);
    unlink(path);
    CHECK(wrong == 0, "%d functions take structs of other sizes wrongly", wrong);
    CHECK(calls_sized_count() > 200, "%d functions were found in the headers", calls_sized_count());
}

/* A later member must not lie in the padding of today's struct, whose bytes may have any value. */
static void no_struct_ends_in_padding(void) {
    static const struct {
        const char *name;
        size_t end, bytes;
    } rows[] = {
#define CALL(...)
#define SIZED(...)
#define TAIL(type, last) {#type, offsetof(type, last) + sizeof((type *)0)->last, sizeof(type)},
#include "signatures.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(rows[i].end == rows[i].bytes || sizeof(void *) < 8,
              "%s ends in %zu bytes of padding; add `bool unused[%zu]`", rows[i].name,
              rows[i].bytes - rows[i].end, rows[i].bytes - rows[i].end);
    CHECK(sizeof rows / sizeof *rows > 70, "%zu structs", sizeof rows / sizeof *rows);
}

static void reads_and_writes(void) {
    struct fault fault = {0};
    unsigned char known[8], given[12] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(options_read(known, 8, given, 12, "ty_x_sized", &fault) && !memcmp(known, given, 8), "longer");
    CHECK(options_read(known, 8, given, 3, "ty_x_sized", &fault) && !memcmp(known, "\1\2\3\0\0\0\0\0", 8),
          "shorter");
    CHECK(options_read(known, 8, NULL, SIZE_MAX, "ty_x_sized", &fault) && !memcmp(known, (char[8]){0}, 8),
          "NULL");
    given[11] = 1;
    CHECK(!options_read(known, 8, given, 12, "ty_x_sized", &fault) && !memcmp(known, (char[8]){0}, 8),
          "a later one");
    CHECK(strstr(fault.text, "x: its options have 12 bytes, of which tyto 0.") &&
              strstr(fault.text, "knows 8"),
          "%s", fault.text);
    memset(given, 9, sizeof given);
    options_write(given, 3, "\1\2\3\4\5\6\7\10", 8);
    CHECK(!memcmp(given, "\1\2\3\11\11", 5), "a shorter one is left alone behind its end");
    options_write(given, 10, "\1\2\3\4\5\6\7\10", 8);
    CHECK(!memcmp(given, "\1\2\3\4\5\6\7\10\0\0\11\11", 12), "a longer one is zeroed to its end");
    static char most[OPTIONS_BYTES + 1];
    CHECK(options_read(known, 8, most, OPTIONS_BYTES, "ty_x_sized", &(struct fault){0}), "the greatest size");
    CHECK(!options_read(known, 8, most, OPTIONS_BYTES + 1, "ty_x_sized", &(struct fault){0}),
          "none is larger");
    memset(most, 1, sizeof most);
    options_write(most, OPTIONS_BYTES, "\7", 1);
    CHECK(most[0] == 7 && !most[OPTIONS_BYTES - 1] && most[OPTIONS_BYTES] == 1,
          "results of the greatest size");
    options_write(given, OPTIONS_BYTES + 1, "\7", 1);
    options_write(NULL, 4, "\7", 1);
    CHECK(given[0] == 1, "a size that is none writes nothing");
}

static ty_tensor *unchanged(void *context, ty_tensor *y) {
    (void)context, (void)y;
    return NULL;
}

/* Members that are reserved must be 0. */
static void reserved_members(void) {
    ty_optimiser o = {.rule = &ty_adam, .unused = {0, 1}};
    ty_tensor *x = ty_ones(TY_F32, 1, (int64_t[]){2}), *states[3] = {0};
    for (int i = 0; i < ty_adam.nstates; i++) states[i] = ty_zeros(TY_F32, 1, (int64_t[]){2});
    CHECK_POISON(ty_optimise(&o, x, x, states, ty_num(1), NULL), "does not know is set (`unused`)");
    ty_schedule s = {.rate = 1, .unused = {1}};
    CHECK_POISON(ty_schedule_rate(&s, ty_num(1)), "does not know is set (`unused`)");
    ty_image_step step = {.apply = ty_step_flip, .unused = {1}};
    CHECK_POISON(ty_augment(1, &step, ty_zeros(TY_U8, 3, (int64_t[]){2, 2, 3}), 0, 0, 0), "(`unused`)");
    ty_rewrite rewrite = {.name = "r", .op = "add", .act = unchanged, .unused = {&s}};
    ty_program *p =
        test_program(ty_compile(1, &x, (ty_compile_options){.rewrites = &rewrite, .nrewrites = 1}));
    CHECK(strstr(ty_program_error(p), "(`unused`)") || test_starving(), "%s", ty_program_error(p));
    ty_plateau plateau = {.rate = 1, .unused = {1}};
    CHECK(ty_plateau_next(&plateau, 1) != ty_plateau_next(&plateau, 1), "a plateau of a later version");
    CHECK_POISON(
        ty_dbscan(ty_ones(TY_F64, 2, (int64_t[]){2, 2}), (ty_dbscan_options){.radius = 1, .unused = {1}})
            .labels,
        "(`unused`)");
}

TESTS_MAIN(TEST(reads_and_writes), TEST(no_struct_ends_in_padding), TEST(reserved_members),
           TEST(structs_of_other_sizes))
