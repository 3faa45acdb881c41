/* Structs of options: each field is zero or extreme. */
#include <string.h>
#include "tests/support/calls/take.h"

static void take_three(struct calls *c, int64_t *out, int64_t usual) {
    if (calls_choose(c, 4) < 2)
        for (int i = 0; i < 3; i++) out[i] = usual;
    else
        for (int i = 0; i < 3; i++) out[i] = take_option(c, usual);
}

TAKE(ty_pool, ty_pool) {
    ty_pool o = {.same = calls_choose(c, 8) == 7};
    (void)name;
    take_three(c, o.size, strstr(c->function, "adaptive") ? 1 : 2);
    take_three(c, o.stride, 0);
    take_three(c, o.dilation, 0);
    take_three(c, o.low, 0);
    take_three(c, o.high, 0);
    int flags = calls_choose(c, 32);
    if (strstr(c->function, "adaptive") && calls_choose(c, 4) < 3) {
        ty_pool plain = {.nchw = flags & 1};
        memcpy(plain.size, o.size, sizeof o.size);
        return plain;
    }
    o.same_lower = flags & 1, o.ceil = flags & 2, o.nchw = flags & 4, o.count_padding = flags & 8;
    o.divisor = take_real_option(c, 0);
    o.power = take_real_option(c, 0);
    return o;
}

TAKE(ty_conv, ty_conv) {
    ty_conv o = {.same = calls_choose(c, 8) == 7};
    (void)name;
    take_three(c, o.stride, 0);
    take_three(c, o.dilation, 0);
    take_three(c, o.low, 0);
    take_three(c, o.high, 0);
    take_three(c, o.output_padding, 0);
    int flags = calls_choose(c, 8);
    o.same_lower = flags & 1, o.nchw = flags & 2;
    o.groups = take_option(c, 0);
    o.winograd = (int)take_option(c, flags & 4 ? 2 : 0);
    return o;
}

TAKE(ty_stft_options, ty_stft_options) {
    ty_stft_options o = {.size = take_option(c, 2), .step = take_option(c, 0), .n = take_option(c, 0)};
    (void)name;
    o.window = calls_choose(c, 4) == 3 ? calls_tensor(c, "window") : NULL;
    o.plain = calls_choose(c, 2);
    return o;
}

TAKE(ty_iteration, ty_iteration) {
    ty_iteration o = {.tolerance = take_real_option(c, 0), .absolute = take_real_option(c, 0)};
    o.most = calls_choose(c, 4) < 3 ? 0 : take_int64_t(c, name) % 100;
    o.restart = calls_choose(c, 4) < 3 ? 0 : take_int64_t(c, name);
    if (calls_choose(c, 4) == 3) o.preconditioner = take_ty_linear(c, name);
    o.first = calls_choose(c, 4) == 3 ? calls_tensor(c, "first") : NULL;
    return o;
}

TAKE(ty_lanczos_options, ty_lanczos_options) {
    ty_lanczos_options o = {.which = (ty_spectrum_end)take_enumerator(c, TY_SPECTRUM_ENDS),
                            .tolerance = take_real_option(c, 0)};
    o.vectors = calls_choose(c, 4) < 3 ? 0 : take_int64_t(c, name);
    o.most = calls_choose(c, 4) < 3 ? 0 : take_int64_t(c, name) % 10;
    o.simple = calls_choose(c, 2) == 1;
    return o;
}

TAKE(ty_distance_options, ty_distance_options) {
    ty_distance_options o = {.p = take_real_option(c, 0)};
    (void)name;
    if (calls_choose(c, 2)) o.distance = (ty_distance)take_enumerator(c, TY_DISTANCES);
    o.parameter = calls_choose(c, 4) == 3 ? calls_tensor(c, "parameter") : NULL;
    return o;
}

TAKE(ty_kmeans_options, ty_kmeans_options) {
    ty_kmeans_options o = {
        .clusters = take_option(c, 1), .starts = take_option(c, 0), .iterations = take_option(c, 0)};
    (void)name;
    if (o.starts > CALLS_MOST) o.starts = -1; /* more starts would take years */
    if (o.iterations > CALLS_MOST) o.iterations = 3;
    o.tolerance = take_real_option(c, 0);
    o.key = calls_choose(c, 4) == 3 ? calls_tensor(c, "key") : NULL;
    o.centres = calls_choose(c, 4) == 3 ? calls_tensor(c, "centres") : NULL;
    return o;
}

TAKE(ty_peaks_options, ty_peaks_options) {
    ty_peaks_options o = {.height = calls_choose(c, 2) ? take_ty_tensor_p(c, name) : NULL};
    if (calls_choose(c, 2)) o.most_height = take_ty_tensor_p(c, name);
    o.most_threshold = take_real_option(c, 0), o.most_plateau = take_option(c, 0);
    o.threshold = take_real_option(c, 0), o.prominence = take_real_option(c, 0),
    o.width = take_real_option(c, 0);
    o.distance = take_option(c, 0), o.window = take_option(c, 0), o.plateau = take_option(c, 0);
    o.relative_height = take_real_option(c, 0);
    return o;
}

TAKE(ty_dbscan_options, ty_dbscan_options) {
    ty_dbscan_options o = {.radius = take_real_option(c, 1), .least = take_option(c, 0)};
    o.distance = take_ty_distance_options(c, name);
    return o;
}

TAKE(ty_test_options, ty_test_options) {
    (void)name;
    ty_test_options o = {.welch = calls_choose(c, 2), .continuity = calls_choose(c, 3) - 1};
    if (calls_choose(c, 2)) o.alternative = (ty_alternative)take_enumerator(c, TY_ALTERNATIVES);
    if (calls_choose(c, 2)) o.method = (ty_test_method)take_enumerator(c, TY_METHODS);
    if (calls_choose(c, 2)) o.zeros = (ty_zero_method)take_enumerator(c, TY_ZERO_METHODS);
    o.ddof = take_real_option(c, 0);
    return o;
}

TAKE(ty_bootstrap_options, ty_bootstrap_options) {
    (void)name;
    ty_bootstrap_options o = {.resamples = take_option(c, 20), .paired = calls_choose(c, 2)};
    if (o.resamples == 0 || o.resamples > CALLS_MOST) o.resamples = CALLS_MOST;
    if (calls_choose(c, 2)) o.method = (ty_bootstrap_method)take_enumerator(c, TY_BOOTSTRAPS);
    if (calls_choose(c, 2)) o.alternative = (ty_alternative)take_enumerator(c, TY_ALTERNATIVES);
    o.confidence = take_real_option(c, 0);
    return o;
}

TAKE(ty_sampler_options, ty_sampler_options) {
    (void)name;
    ty_sampler_options o = {
        .draws = take_option(c, 3), .warmup = take_option(c, -1), .leaps = take_option(c, 2)};
    if (o.draws == 0 || o.draws > CALLS_MOST) o.draws = CALLS_MOST;
    if (o.warmup == 0 || o.warmup > CALLS_MOST) o.warmup = CALLS_MOST;
    if (o.leaps > CALLS_MOST) o.leaps = CALLS_MOST;
    o.depth = 1 + calls_choose(c, 4) - (calls_choose(c, 8) == 7) * 3;
    o.step_size = take_real_option(c, 0);
    o.target = take_real_option(c, 0);
    o.plain = calls_choose(c, 2);
    return o;
}

TAKE(ty_running, ty_running) {
    (void)name;
    int way = calls_choose(c, 4);
    return (ty_running){way & 1, way & 2};
}

/* A scan with equal numbers of carries, sequences and results. */
TAKE(ty_scan_spec, ty_scan_spec) {
    static const int counts[] = {1, 0, 2, -1};
    int n = counts[calls_choose(c, 4)];
    c->count = n;
    ty_scan_spec spec = {.ncarry = n, .nx = n, .ny = n, .length = take_option(c, n > 0 ? 0 : 3)};
    spec.carry = take_ty_tensor_pc_p(c, name), spec.x = take_ty_tensor_pc_p(c, name);
    if (calls_choose(c, 8) == 7) spec.carry = NULL;
    spec.reverse = calls_choose(c, 2), spec.checkpoint = take_option(c, 0);
    if (spec.length > CALLS_MOST)
        spec.length = n > 0 ? INT64_MAX : CALLS_MOST; /* refused together with a sequence */
    return spec;
}

TAKE(c_ty_place_p, const ty_place *) {
    ty_place *room = calls_room(c, sizeof *room);
    ty_place place = {.dtype = take_ty_dtype(c, name), .rank = take_rank_int(c, name)};
    place.shape = calls_choose(c, 16) == 15 ? NULL : take_c_int64_t_p(c, name);
    place.fan_in = take_real_option(c, 4), place.fan_out = take_real_option(c, 4);
    place.key = calls_choose(c, 16) == 15 ? NULL : calls_tensor(c, "key");
    *room = place;
    return room;
}

/* Formats that are written to memory need a name; a shape has a size for each axis. */
TAKE(ty_file_options, ty_file_options) {
    static const char *const formats[] = {"npz", NULL,  "npy", "safetensors", "csv",
                                          "idx", "raw", "",    "none",        "wav"};
    ty_file_options o = {.format = formats[calls_choose(c, 10)], .most_bytes = 1 << 20, .rate = 8000};
    int flags = calls_choose(c, 16);
    o.map = flags & 1, o.bf16 = flags & 2, o.deflate = flags & 4;
    o.delimiter = (char)take_option(c, 0), o.comment = (char)take_option(c, 0);
    o.skip_rows = take_option(c, 0), o.precision = (int)take_option(c, 0);
    o.header = flags & 8 ? "a,b" : NULL;
    o.dtype = take_ty_dtype(c, name);
    o.rank = calls_choose(c, 2) ? take_rank_int(c, name) : -1;
    c->count = o.rank;
    o.shape = o.rank > 0 && calls_choose(c, 8) < 7 ? take_c_int64_t_p(c, name) : NULL;
    o.offset = (uint64_t)take_option(c, 0);
    c->count = o.nmeta = (int[]){0, 0, 1, -1}[calls_choose(c, 4)];
    o.keys = calls_choose(c, 8) < 7 ? take_c_char_pc_p(c, name) : NULL;
    o.values = calls_choose(c, 8) < 7 ? take_c_char_pc_p(c, name) : NULL;
    o.decimal = (char)take_option(c, 0), o.thousands = (char)take_option(c, 0);
    o.names = (int)take_option(c, 0), o.nmissing = (int)take_option(c, 0);
    o.ragged = calls_choose(c, 2), o.words = calls_choose(c, 2), o.rounded = calls_choose(c, 2);
    return o;
}

TAKE(ty_expression_limits, ty_expression_limits) {
    (void)name;
    return (ty_expression_limits){.operations = take_real_option(c, 1e6)};
}

TAKE(ty_print_options, ty_print_options) {
    (void)name;
    ty_print_options o = {.precision = (int)take_option(c, 0), .suppress = calls_choose(c, 2)};
    o.threshold = (int)take_option(c, 0), o.edge_items = (int)take_option(c, 0);
    o.line_width = (int)take_option(c, 0);
    o.sign = (char)take_option(c, 0);
    o.mode = (ty_float_mode)(calls_choose(c, 2) ? take_enumerator(c, 4) : 0);
    if (calls_choose(c, 4) == 3) o.nan_text = "a text of more than fifteen bytes", o.inf_text = "";
    return o;
}

TAKE(ty_cast_options, ty_cast_options) {
    (void)name;
    return (ty_cast_options){.overflows = calls_choose(c, 2),
                             .scale = (ty_scale_rounding)take_enumerator(c, TY_SCALE_NEAREST + 1)};
}

TAKE(ty_table_options, ty_table_options) {
    (void)name;
    ty_table_options o = {.header = (ty_header)take_option(c, 0), .skip_rows = take_option(c, 0)};
    o.delimiter = (char)take_option(c, 0), o.decimal = (char)take_option(c, 0);
    o.thousands = (char)take_option(c, 0), o.comment = (char)take_option(c, 0);
    o.rows = take_option(c, 0), o.nmissing = (int)take_option(c, 0);
    o.words = calls_choose(c, 2), o.ragged = calls_choose(c, 2), o.rounded = calls_choose(c, 2);
    o.most_bytes = (uint64_t)take_option(c, 0);
    return o;
}

TAKE(ty_table_print_options, ty_table_print_options) {
    (void)name;
    ty_table_print_options o = {.rows = take_option(c, 0), .width = (int)take_option(c, 0)};
    o.precision = (int)take_option(c, 0), o.word = (int)take_option(c, 0);
    return o;
}

TAKE(ty_table_write_options, ty_table_write_options) {
    (void)name;
    ty_table_write_options o = {.delimiter = (char)take_option(c, 0), .decimal = (char)take_option(c, 0)};
    o.nameless = calls_choose(c, 2), o.precision = (int)take_option(c, 0);
    o.missing = (const char *const[]){NULL, "", "NA", "a \"text\", quoted"}[calls_choose(c, 4)];
    return o;
}

/* Columns of the tables that take_owned_ty_table_p makes, and one that they lack. */
static const char *take_column(struct calls *c) {
    return (const char *const[]){"x", "y", "z", "none"}[calls_choose(c, 4)];
}

TAKE(ty_preparation_options, ty_preparation_options) {
    ty_column_plan *plan = calls_room(c, sizeof *plan);
    (void)name;
    *plan =
        (ty_column_plan){.name = take_column(c), .encoding = (ty_encoding)take_enumerator(c, TY_ENCODINGS)};
    plan->fill = (ty_fill)take_enumerator(c, TY_FILLS);
    plan->scaling = (ty_scaling)take_enumerator(c, TY_SCALINGS);
    int flags = calls_choose(c, 8);
    plan->log = flags & 1, plan->unflagged = flags & 2, plan->clipped = flags & 4;
    plan->low = take_real_option(c, 0), plan->high = take_real_option(c, 1);
    ty_preparation_options o = {.target = calls_choose(c, 2) ? take_column(c) : NULL, .plans = plan};
    o.task = (ty_task)take_enumerator(c, TY_TASKS);
    o.scaling = (ty_scaling)take_enumerator(c, TY_SCALINGS);
    o.nplans = take_option(c, 0), o.most_words = take_option(c, 0), o.rare = take_option(c, 0);
    if (o.nplans > 1) o.nplans = 1;
    return o;
}

TAKE(ty_nms_options, ty_nms_options) {
    (void)name;
    ty_nms_options o = {.most = take_option(c, 2), .overlap = take_real_option(c, 0.5)};
    o.score = take_real_option(c, 0);
    int flags = calls_choose(c, 4);
    o.use_score = flags & 1, o.centre = flags & 2;
    return o;
}

TAKE(ty_roi_options, ty_roi_options) {
    (void)name;
    ty_roi_options o = {.size = {2, take_option(c, 2)}, .samples = take_option(c, 1)};
    o.size[0] = take_option(c, 2), o.scale = take_real_option(c, 0);
    int flags = calls_choose(c, 8);
    o.max = flags & 1, o.corners = flags & 2, o.half_pixel = flags & 4;
    return o;
}

TAKE(ty_grid_options, ty_grid_options) {
    ty_grid_options o = {.sampling = calls_choose(c, 2) ? take_ty_sampling(c, name) : TY_LINEAR};
    o.outside = (ty_outside)(calls_choose(c, 2) ? take_enumerator(c, TY_OUTSIDES) : 0);
    o.align_corners = calls_choose(c, 2), o.channels_last = calls_choose(c, 2);
    return o;
}

TAKE(ty_interpolation, ty_interpolation) {
    ty_interpolation o = {.sampling = take_ty_sampling(c, name)};
    size_t n = calls_elements(c);
    if (calls_choose(c, 2)) o.coordinates = (ty_coordinates)take_enumerator(c, TY_COORDINATES);
    if (calls_choose(c, 2)) o.nearest = (ty_nearest)take_enumerator(c, TY_NEAREST_RULES);
    if (calls_choose(c, 2)) o.aspect = (ty_aspect)take_enumerator(c, TY_ASPECTS);
    o.cubic = take_real_option(c, 0), o.extrapolation = take_real_option(c, 0);
    o.antialias = calls_choose(c, 4) == 3, o.exclude_outside = calls_choose(c, 4) == 3;
    int given = calls_choose(c, 4);
    double *scales = calls_room(c, n * sizeof *scales), *roi = calls_room(c, 2 * n * sizeof *roi);
    for (size_t i = 0; i < n; i++) scales[i] = take_real_option(c, 2);
    for (size_t i = 0; i < 2 * n; i++) roi[i] = take_real_option(c, i < n ? 0 : 1);
    o.scales = given == 1 || given == 2 ? scales : NULL;
    o.sizes = given != 1 ? take_c_int64_t_p(c, name) : NULL;
    o.roi = calls_choose(c, 4) < 3 ? roi : NULL;
    return o;
}

TAKE(ty_einsum_options, ty_einsum_options) {
    (void)name;
    ty_einsum_options o = {.objective =
                               (ty_einsum_objective)(calls_choose(c, 4) == 3 ? take_enumerator(c, 3) : 0)};
    o.strategy = (ty_einsum_strategy)(calls_choose(c, 4) == 3 ? take_enumerator(c, 4) : 0);
    o.memory = take_option(c, 0);
    return o;
}

static ty_tensor *double_negative(void *context, ty_tensor *y) {
    (void)context;
    ty_tensor *x = ty_operand(y, 0);
    return strcmp(ty_operator(x), "neg") ? NULL : ty_operand(x, 0);
}

TAKE(ty_compile_options, ty_compile_options) {
    (void)name;
    ty_compile_options o = {
        .engine = (const char *const[]){NULL, "cpu", "ref", "null", "none", ""}[calls_choose(c, 6)]};
    int flags = calls_choose(c, 8), n = (int[]){0, 0, 1, 2, -1}[calls_choose(c, 5)];
    ty_update *updates = calls_room(c, (n > 0 ? (size_t)n : 0) * sizeof *updates);
    for (int i = 0; i < n; i++)
        updates[i] = (ty_update){calls_tensor(c, "variable"), calls_tensor(c, "value")};
    o.updates = calls_choose(c, 8) < 7 ? updates : NULL;
    o.nupdates = n;
    o.no_rewrite = flags & 1, o.no_fuse = flags & 2, o.no_reuse = flags & 4, o.keep_graph = flags % 3;
    o.incremental = calls_choose(c, 2), o.nchanging = (int[]){0, 0, 1, 2, -1}[calls_choose(c, 5)];
    ty_tensor **changing = calls_room(c, (o.nchanging > 0 ? (size_t)o.nchanging : 0) * sizeof *changing);
    for (int i = 0; i < o.nchanging; i++) changing[i] = calls_tensor(c, "variable");
    o.changing = calls_choose(c, 8) < 7 ? changing : NULL;
    o.max_bytes = (int64_t[]){0, 0, 1, 4096, -1}[calls_choose(c, 5)];
    o.pack_steps = (int64_t[]){0, 1, 1000000, -1}[calls_choose(c, 4)];
    static const ty_rewrite rewrites[] = {{.name = "twice", .op = "neg", .act = double_negative},
                                          {.name = "none"}};
    o.nrewrites = (int[]){0, 0, 1, 2, -1}[calls_choose(c, 5)];
    o.rewrites = calls_choose(c, 8) < 7 ? rewrites : NULL;
    o.shadow = calls_choose(c, 2);
    return o;
}

TAKE(ty_context_options, ty_context_options) {
    (void)name;
    ty_context_options o = {0};
    o.engine = (const char *const[]){NULL, "cpu", "ref", "null", "none", ""}[calls_choose(c, 6)];
    o.threads = (int)take_option(c, 0);
    o.workspace = take_option(c, 0);
    return o;
}

TAKE(ty_graph_options, ty_graph_options) {
    ty_compile_options o = take_ty_compile_options(c, name);
    return (ty_graph_options){.updates = o.updates, .nupdates = o.nupdates, .no_values = o.no_fuse};
}

static int64_t read_nothing(void *context, void *out, size_t n) {
    (void)context, (void)out, (void)n;
    return 0;
}

TAKE(ty_source, ty_source) {
    (void)name;
    ty_source source = {.size = (uint64_t)take_option(c, 0)};
    if (calls_choose(c, 4) < 3) source.read = read_nothing;
    return source;
}

static bool write_away(void *context, const void *bytes, size_t n) {
    (void)context, (void)bytes, (void)n;
    return true;
}

TAKE(ty_sink, ty_sink) {
    (void)name;
    return (ty_sink){.write = calls_choose(c, 8) < 7 ? write_away : NULL};
}

TAKE(ty_check_options, ty_check_options) {
    (void)name;
    return (ty_check_options){.order = (int)take_option(c, 0),
                              .difference = (ty_difference)take_enumerator(c, 3),
                              .step = take_real_option(c, 0),
                              .absolute = take_real_option(c, 0),
                              .relative = take_real_option(c, 0),
                              .dtypes = calls_choose(c, 2)};
}
TAKE(ty_check_report_p, ty_check_report *) {
    (void)name;
    return calls_room(c, sizeof(ty_check_report));
}

/* ---- data ---- */

TAKE(ty_csv_options, ty_csv_options) {
    static const char *const targets[] = {NULL, "0", "-1", "a", "99999999999999999999"};
    ty_csv_options o = {.target = targets[calls_choose(c, 5)]};
    o.classes = calls_choose(c, 2), o.missing = calls_choose(c, 2);
    o.file = take_ty_file_options(c, name);
    return o;
}

TAKE(ty_text_options, ty_text_options) {
    (void)name;
    ty_text_options o = {.length = take_option(c, 1)};
    o.stride = take_option(c, 1), o.characters = calls_choose(c, 2);
    return o;
}

TAKE(ty_folder_options, ty_folder_options) {
    (void)name;
    return (ty_folder_options){(int)take_option(c, 0)};
}

/* Few loader threads: calls run in processes that fork. */
TAKE(ty_loader_options, ty_loader_options) {
    ty_loader_options o = {.batch = take_option(c, 2), .threads = -1};
    (void)name;
    if (calls_choose(c, 8) == 7) o.order = (ty_order)take_enumerator(c, 3);
    if (calls_choose(c, 8) == 7) o.threads = (int)take_option(c, 1);
    if (calls_choose(c, 8) == 7) o.prefetch = (int)take_option(c, 1);
    o.samples = take_option(c, 0), o.seed = take_uint64_t(c, name), o.drop_last = calls_choose(c, 2);
    if (calls_choose(c, 8) == 7) o.nsteps = (int)take_option(c, 1);
    if (o.nsteps == 1) o.steps = take_c_ty_image_step_p(c, name);
    return o;
}

TAKE(ty_data_place, ty_data_place) {
    return (ty_data_place){take_uint64_t(c, name), take_option(c, 0), take_option(c, 1)};
}

TAKE(ty_image_step_p, ty_image_step *) {
    (void)name;
    return calls_room(c, calls_elements(c) * sizeof(ty_image_step));
}

/* An array of the announced count, at least one. */
TAKE(c_ty_image_step_p, const ty_image_step *) {
    size_t n = c->count == NOT_SAID || c->count < 1 ? 1 : calls_elements(c);
    ty_image_step *steps = calls_room(c, n * sizeof *steps);
    for (size_t i = 0; i < n; i++) {
        ty_image_step *s = &steps[i];
        s->apply = calls_choose(c, 8) == 7 ? NULL : ty_step_float;
        s->size[0] = take_option(c, 2), s->size[1] = take_option(c, 2), s->pad = take_option(c, 0);
        s->chance = take_real_option(c, 0), s->degrees = take_real_option(c, 0);
        s->shift[0] = take_real_option(c, 0), s->scale[0] = s->scale[1] = take_real_option(c, 0);
        s->area[0] = s->area[1] = take_real_option(c, 0), s->hue = take_real_option(c, 0);
        s->mean[0] = take_real_option(c, 0), s->brightness = take_real_option(c, 0);
    }
    (void)name;
    return steps;
}

TAKE(ty_notation_options, ty_notation_options) {
    (void)name;
    return (ty_notation_options){.form = (ty_notation_form)(calls_choose(c, 6) - 1),
                                 .as_recorded = calls_choose(c, 2)};
}
