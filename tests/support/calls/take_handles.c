/* Tensors, programs, models and other handles, and callbacks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "contract/configuration.h"
#include "tests/support/calls/take.h"

TAKE(ty_tensor_p, ty_tensor *) { return calls_tensor(c, name); }

/* ---- sparse matrices: two entries or a triangle; otherwise invalid ones ---- */

static ty_sparse any_sparse(struct calls *c) {
    ty_sparse a = {
        .form = take_ty_sparse_form(c, ""), .rows = take_int64_t(c, ""), .columns = take_int64_t(c, "")};
    a.values = calls_tensor(c, "");
    a.indices = calls_tensor(c, "");
    a.starts = calls_choose(c, 4) ? calls_tensor(c, "") : NULL;
    return a;
}
TAKE(ty_sparse, ty_sparse) {
    static const int32_t pairs[] = {0, 0, 1, 1, 2, 2, 2, 0};
    int64_t n = c->mould == 3 ? 2 : 4;
    (void)name;
    if (calls_choose(c, 8) == 7) return any_sparse(c);
    ty_tensor *values = ty_sub(ty_num(5), ty_iota(TY_F32, 1, &n, 0));
    if (calls_choose(c, 4) == 3) values = ty_cast(values, take_ty_dtype(c, ""));
    ty_sparse a = ty_sparse_coo(values, ty_from(TY_I32, 2, (int64_t[]){n, 2}, pairs), 3, 3);
    return ty_sparse_as(a, (ty_sparse_form)calls_choose(c, TY_SPARSE_FORMS));
}
TAKE(c_ty_sparse_p, const ty_sparse *) {
    size_t n = c->count == NOT_SAID ? 1 : calls_elements(c);
    ty_sparse *all = calls_room(c, n * sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = i < 4 ? take_ty_sparse(c, name) : all[0];
    return all;
}
TAKE(c_ty_sparse_lu_p, const ty_sparse_lu *) {
    ty_sparse_lu *lu = calls_room(c, sizeof *lu);
    lu->l = take_ty_sparse(c, name);
    lu->u = take_ty_sparse(c, name);
    return lu;
}
static ty_tensor *doubled(void *context, ty_tensor *x) {
    (void)context;
    return ty_add(x, x);
}
static ty_tensor *mapped_null(void *context, ty_tensor *x) {
    (void)context, (void)x;
    return NULL;
}
TAKE(ty_linear, ty_linear) {
    (void)name;
    int which = calls_choose(c, 8);
    return (ty_linear){.apply = which < 6 ? doubled : which == 6 ? mapped_null : NULL};
}

TAKE(owned_ty_program_p, ty_program *) {
    (void)name;
    int way = calls_refusal(c, 5);
    ty_tensor *v = ty_var(calls_tensor(c, ""), "v"), *y = way == 2 ? ty_poison("none") : ty_add(v, ty_num(1));
    const ty_update of_none = {ty_num(1), ty_num(1)};
    ty_compile_options o = {.engine = way == 1 ? "none" : NULL,
                            .nupdates = way == 3 ? -1 : way == 4,
                            .updates = way == 4 ? &of_none : NULL};
    return ty_compile(way == 5 ? -1 : 1, &y, o);
}
HANDLE(ty_program_p, ty_program, ty_program_free)

static void sum_of_all(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_sum(x[0], TY_ALL);
}
TAKE(owned_ty_function_p, ty_function *) {
    (void)name;
    int way = calls_refusal(c, 4);
    ty_compile_options o = {.engine = way == 4 ? "none" : NULL, .incremental = way == 3};
    return ty_function_new(way == 1 ? NULL : sum_of_all, NULL, way == 2 ? -1 : 1, 1, o);
}
HANDLE(ty_function_p, ty_function, ty_function_free)

TAKE(owned_ty_walk_p, ty_walk *) {
    (void)name;
    int way = calls_refusal(c, 2);
    ty_tensor *y = way == 2 ? ty_poison("none") : ty_exp(ty_var(calls_tensor(c, ""), "a"));
    return ty_walk_new(way == 1 ? -1 : 1, &y);
}
HANDLE(ty_walk_p, ty_walk, ty_walk_free)

TAKE(owned_ty_archive_p, ty_archive *) {
    ty_tensor *tensors[] = {ty_iota(TY_F32, 1, (int64_t[]){4}, 0), ty_scalar(TY_U8, 1)}, *error = NULL;
    size_t size = 0;
    (void)name;
    void *bytes = ty_archive_bytes(2, (const char *const[]){"a", "b"}, tensors,
                                   (ty_file_options){.format = "npz"}, &size, &error);
    if (!bytes) return ty_archive_parse("", 0, (ty_file_options){0});
    calls_own(c, bytes, ty_free);
    int way = calls_refusal(c, 4);
    if (way == 4) return ty_archive_open("/nonexistent/a.npz", (ty_file_options){0});
    size_t n = way == 1 ? 3 : way == 2 ? size - 1 : size;
    return ty_archive_parse(bytes, n, (ty_file_options){.format = way == 3 ? "csv" : NULL});
}
HANDLE(ty_archive_p, ty_archive, ty_archive_free)

TAKE(owned_ty_graph_p, ty_graph *) {
    ty_tensor *v = ty_var(calls_tensor(c, ""), "a"), *y = ty_add(v, ty_num(1)), *error = NULL;
    size_t size = 0;
    (void)name;
    void *bytes = ty_graph_bytes(1, (const char *const[]){"a"}, &y, (ty_graph_options){0}, &size, &error);
    if (!bytes) return ty_graph_parse("", 0, (ty_file_options){0});
    calls_own(c, bytes, ty_free);
    int way = calls_refusal(c, 4);
    if (way == 3) ((char *)bytes)[size / 2] ^= 1;
    if (way == 4) return ty_graph_load("/nonexistent/a", (ty_file_options){0});
    return ty_graph_parse(bytes, way == 1 ? 3 : way == 2 ? size - 1 : size, (ty_file_options){0});
}
HANDLE(ty_graph_p, ty_graph, ty_graph_free)

TAKE(owned_ty_dataset_p, ty_dataset *) {
    ty_tensor *fields[] = {ty_iota(TY_F32, 3, (int64_t[]){4, 3, 3}, 0),
                           ty_iota(TY_I64, 1, (int64_t[]){4}, 0)};
    (void)name;
    int way = calls_refusal(c, 7);
    if (way == 2) fields[1] = ty_poison("none");
    if (way == 3) fields[1] = ty_zeros(TY_I64, 1, (int64_t[]){5});
    if (way == 4) return ty_dataset_digits(1, -1, -1);
    if (way == 5) return ty_dataset_source((ty_data_source){.size = 3, .nfields = 1});
    ty_dataset *set = ty_dataset_arrays(way == 1 ? 0 : 2, fields, (const char *const[]){"a", "b"}),
               *part = set;
    if (way == 6) part = ty_dataset_subset(set, 2, (int64_t[]){0, 4});
    if (way == 7) part = ty_dataset_concat(2, (ty_dataset *[]){set, NULL});
    if (part != set) ty_dataset_free(set);
    return part;
}
HANDLE(ty_dataset_p, ty_dataset, ty_dataset_free)

TAKE(ty_dataset_pc_p, ty_dataset *const *) {
    size_t n = calls_elements(c);
    ty_dataset **sets = calls_room(c, n * sizeof(ty_dataset *)), *one = take_ty_dataset_p(c, name);
    for (size_t i = 0; i < n; i++) sets[i] = calls_choose(c, 32) == 31 ? NULL : one;
    return sets;
}

/* Free the datasets of a NULL-terminated array. */
static void end_datasets(void *sets) {
    for (ty_dataset **set = sets; *set; set++) ty_dataset_free(*set);
}
TAKE(ty_dataset_p_p, ty_dataset **) {
    (void)name;
    return calls_own(c, calls_room(c, (calls_elements(c) + 1) * sizeof(ty_dataset *)), end_datasets);
}

TAKE(owned_ty_loader_p, ty_loader *) {
    ty_dataset *set = take_ty_dataset_p(c, name);
    int way = calls_refusal(c, 6);
    ty_loader_options o = take_ty_loader_options(c, name);
    static const ty_image_step none[1];
    if (way == 2) o.batch = -5;
    if (way == 3) o.threads = 9999;
    if (way == 4) o.nsteps = 1, o.steps = none;
    if (way == 5) o.order = (ty_order)99;
    if (way == 6) o.ntarget_steps = -1;
    return ty_loader_new(way == 1 ? NULL : set, o);
}
HANDLE(ty_loader_p, ty_loader, ty_loader_free)

static bool give_example(void *context, int64_t index, ty_tensor **out) {
    (void)context, (void)index;
    out[0] = ty_ones(TY_F32, 1, (int64_t[]){3});
    return true;
}
static void end_nothing(void *context) { (void)context; }
TAKE(ty_data_source, ty_data_source) {
    static const int64_t shape[] = {3};
    static const ty_field fields[] = {{"x", TY_F32, 1, shape}};
    (void)name;
    ty_data_source source = {.size = take_option(c, 2), .nfields = 1, .fields = fields, .get = give_example};
    if (calls_choose(c, 8) == 7) source.get = NULL;
    if (calls_choose(c, 8) == 7) source.nfields = (int)(int64_t[]){0, -1, 17, 1}[calls_choose(c, 4)];
    if (calls_choose(c, 2)) source.done = end_nothing;
    return source;
}

TAKE(ty_draws_p, ty_draws *) {
    ty_draws *draws = calls_room(c, sizeof *draws);
    draws->seed = take_uint64_t(c, name);
    return draws;
}

/* The profile has one or two rows. */
TAKE(owned_ty_profile_p, ty_profile *) {
    ty_profile_start();
    ty_exp(calls_tensor(c, name));
    return ty_profile_stop();
}
HANDLE(ty_profile_p, ty_profile, ty_profile_free)

TAKE(owned_ty_einsum_plan_p, ty_einsum_plan *) {
    static const int64_t shape[] = {2, 3};
    ty_einsum_operand operands[] = {{2, shape, NULL}, {2, shape, NULL}};
    (void)name;
    int way = calls_refusal(c, 4);
    if (way == 4) operands[1].rank = 1;
    return ty_einsum_plan_new(way == 1 ? "?" : "ij,kj->ik", way == 2 ? (ty_dtype)99 : TY_F32,
                              way == 3 ? 1 : 2, operands, (ty_einsum_options){0});
}
HANDLE(ty_einsum_plan_p, ty_einsum_plan, ty_einsum_plan_free)

TAKE(owned_ty_tree_p, ty_tree *) {
    ty_tensor *points = ty_iota(TY_F32, 2, (int64_t[]){4, 3}, 0);
    int way = calls_refusal(c, 5);
    ty_distance_options o = {.distance = way == 2 ? (ty_distance)99 : (ty_distance)0};
    if (way == 1 && !c->refusal) o = take_ty_distance_options(c, name);
    if (way == 1) o.parameter = ty_poison("none");
    if (way == 3) points = ty_ones(TY_F32, 1, (int64_t[]){4});
    if (way == 4) points = ty_mul(points, ty_num(NAN));
    return ty_tree_new(way == 5 ? NULL : points, o);
}
HANDLE(ty_tree_p, ty_tree, ty_tree_free)

TAKE(owned_ty_contraction_p, ty_contraction *) {
    static const int64_t shape[] = {3, 3};
    const ty_contraction_operand operand = {TY_F32, 2, shape, NULL, 0};
    ty_contraction *k = contraction_empty();
    (void)name;
    int way = calls_choose(c, 8);
    if (contraction_is_static(k)) return k;
    if (way < 6) contraction_from(k, "ij,jk->ik", &operand, &operand, NULL);
    if (way == 1) ty_contraction_optimise(k, 1);
    if (way == 5) k->ndims = take_int(c, ""), k->nloops = take_int(c, "");
    if (way > 1 && way < 5) {
        k->dims[0].size = take_option(c, 3), k->dims[1].stride[calls_choose(c, 3)] = take_option(c, 1);
        k->loops[0].step = take_option(c, 1), k->loops[0].dim = (int)take_option(c, 0);
        k->offset[calls_choose(c, 3)] = take_option(c, 0), k->spans = take_option(c, 0);
        k->dtype[calls_choose(c, 3)] = take_ty_dtype(c, "");
        k->nguards = (int)take_option(c, 0);
    }
    return k;
}
HANDLE(ty_contraction_p, ty_contraction, ty_contraction_free)

/* Choose a plan for 3 by 3 matrices, which lie in the memory of take_c_void_p. */
TAKE(owned_ty_contraction_plan_p, ty_contraction_plan *) {
    static const int64_t shape[] = {3, 3};
    const ty_contraction_operand operand = {TY_F32, 2, shape, NULL, 0};
    ty_contraction *k = calls_room(c, sizeof *k);
    (void)name;
    int way = calls_refusal(c, 3);
    if (way != 1) contraction_from(k, way == 2 ? "?" : "ij,jk->ik", &operand, &operand, NULL);
    if (way == 3) k->dims[0].size = -1;
    return ty_contraction_compile(k);
}
HANDLE(ty_contraction_plan_p, ty_contraction_plan, ty_contraction_plan_release)

TAKE(owned_ty_context_p, ty_context *) {
    (void)name;
    int way = calls_refusal(c, 1);
    return ty_context_new((ty_context_options){.engine = way == 1 ? "none" : NULL});
}
static void end_context(void *thing) { ty_context_free(thing); }
TAKE(ty_context_p, ty_context *) { return calls_own(c, take_owned_ty_context_p(c, name), end_context); }

TAKE(owned_ty_scope_p, ty_scope *) {
    (void)c, (void)name;
    return ty_open();
}
TAKE(owned_void_p, void *) { return ty_format(calls_tensor(c, name), (ty_print_options){0}); }
TAKE(owned_ty_tensor_p, ty_tensor *) { return ty_retain(calls_tensor(c, name)); }

/* ---- DLPack: the called function frees them ---- */

static void end_dlpack(DLManagedTensor *self) {
    free(self->manager_ctx);
    free(self);
}
static void end_dlpack_versioned(DLManagedTensorVersioned *self) {
    free(self->manager_ctx);
    free(self);
}

/* Return a DLPack tensor of 2 by 3 values; one block holds its sizes and data. */
static DLTensor dlpack_tensor(struct calls *c, void *block) {
    int64_t *sizes = block;
    sizes[0] = take_option(c, 2), sizes[1] = take_option(c, 3), sizes[2] = take_option(c, 3),
    sizes[3] = take_option(c, 1);
    bool plain = sizes[0] == 2 && sizes[1] == 3 && sizes[2] == 3 && sizes[3] == 1;
    /* tensors must fit the memory, be empty, or be too large for any memory */
    if (sizes[0] > 0 && sizes[1] > 0 && !plain) sizes[0] = sizes[0] > INT32_MAX ? INT64_MAX : 0;
    return (DLTensor){.data = sizes + 8,
                      .device = {(DLDeviceType)take_option(c, kDLCPU), (int32_t)take_option(c, 0)},
                      .ndim = plain ? 2 : (int32_t[]){2, 2, 0, -1, 65, INT32_MAX}[calls_choose(c, 6)],
                      .dtype = {kDLFloat, (uint8_t)take_option(c, 32), (uint16_t)take_option(c, 1)},
                      .shape = sizes,
                      .strides = calls_choose(c, 2) ? sizes + 2 : NULL,
                      .byte_offset = calls_choose(c, 2) ? UINT64_MAX - 3 : 0};
}

enum { DLPACK_BYTES = 512 };

TAKE(DLManagedTensor_p, DLManagedTensor *) {
    DLManagedTensor *managed = calloc(1, sizeof *managed);
    (void)name;
    if (!managed) abort();
    managed->manager_ctx = calloc(1, DLPACK_BYTES);
    if (!managed->manager_ctx) abort();
    managed->dl_tensor = dlpack_tensor(c, managed->manager_ctx);
    managed->deleter = end_dlpack;
    return managed;
}

TAKE(DLManagedTensorVersioned_p, DLManagedTensorVersioned *) {
    DLManagedTensorVersioned *managed = calloc(1, sizeof *managed);
    (void)name;
    if (!managed) abort();
    managed->manager_ctx = calloc(1, DLPACK_BYTES);
    if (!managed->manager_ctx) abort();
    managed->version = (DLPackVersion){(uint32_t)take_option(c, 1), (uint32_t)take_option(c, 1)};
    managed->dl_tensor = dlpack_tensor(c, managed->manager_ctx);
    managed->deleter = end_dlpack_versioned;
    return managed;
}

/* ---- callbacks ---- */

static void fill(const int64_t *index, void *element, void *context) {
    (void)index, (void)element, (void)context;
}
static void do_nothing(void *context, void *data) { (void)context, (void)data; }
static ty_tensor *lambda(ty_tensor *x, void *context) {
    (void)context;
    return ty_neg(x);
}
static ty_tensor *lambda_null(ty_tensor *x, void *context) {
    (void)x, (void)context;
    return NULL;
}
static ty_tensor *body(void *context, ty_tensor *const *x) {
    (void)context;
    return calls_now->count > 0 ? ty_exp(x[0]) : ty_num(1);
}
static ty_tensor *body_null(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return NULL;
}

TAKE(callback_done, calls_done) {
    (void)c, (void)name;
    return do_nothing;
}
TAKE(callback_f, calls_fill) {
    (void)c, (void)name;
    return fill;
}
TAKE(callback_function, calls_lambda) {
    (void)name;
    return calls_choose(c, 4) < 3 ? lambda : lambda_null;
}
TAKE(callback_ty_body, ty_body) {
    (void)name;
    return calls_choose(c, 4) < 3 ? body : body_null;
}
TAKE(callback_ty_activation, ty_activation) {
    (void)c, (void)name;
    return ty_relu;
}

/* Return the carries plus one; results are the elements. */
static void step_on(void *context, ty_step *step) {
    (void)context;
    for (int64_t i = 0; i < calls_now->count; i++) {
        step->next[i] = ty_add(step->carry[i], ty_num(1));
        step->y[i] = step->x[i];
    }
}
static void step_idle(void *context, ty_step *step) { (void)context, (void)step; }
TAKE(callback_ty_step_function, ty_step_function) {
    (void)name;
    return calls_choose(c, 8) < 7 ? step_on : step_idle;
}

static ty_tensor *holds(void *context, ty_tensor *const *carry) {
    (void)context;
    return calls_now->count > 0 ? ty_any(ty_lt(carry[0], ty_num(3)), TY_ALL) : ty_scalar(TY_BOOL, 0);
}
TAKE(callback_ty_condition, ty_condition) {
    (void)c, (void)name;
    return holds;
}

static void go_on(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    for (int64_t i = 0; i < calls_now->count; i++) next[i] = ty_mul(carry[i], carry[i]);
}
static void stay(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context, (void)carry, (void)next;
}
TAKE(callback_ty_next, ty_next) {
    (void)name;
    return calls_choose(c, 8) < 7 ? go_on : stay;
}

static void branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    for (int64_t i = 0; i < calls_now->count; i++)
        results[i] = calls_now->operands > 0 ? ty_neg(x[0]) : ty_num(1);
}
static void branch_null(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context, (void)x, (void)results;
}
TAKE(callback_ty_branch, ty_branch) {
    (void)name;
    return calls_choose(c, 8) < 7 ? branch : branch_null;
}

static bool visit_on(void *context, int64_t node, ty_tensor *x) {
    (void)context, (void)node;
    return ty_ok(x);
}
static bool visit_once(void *context, int64_t node, ty_tensor *x) {
    (void)context, (void)node, (void)x;
    return false;
}
TAKE(callback_ty_node_visitor, ty_node_visitor) {
    (void)name;
    return calls_choose(c, 8) < 7 ? visit_on : visit_once;
}

static ty_tensor *pass_on(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context, (void)x;
    return ty_operands(y) ? ty_neg(y) : NULL;
}
static ty_tensor *pass_bad(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context, (void)x, (void)y;
    return ty_poison("refused by the pass");
}
TAKE(callback_ty_pass, ty_pass) {
    (void)name;
    return calls_choose(c, 8) < 7 ? pass_on : pass_bad;
}

static ty_tensor *bell(void *context, ty_tensor *x) {
    (void)context;
    return ty_mul(ty_sum(ty_square(x), TY_ALL), ty_num(-0.5));
}
static ty_tensor *bell_null(void *context, ty_tensor *x) {
    (void)context, (void)x;
    return NULL;
}
TAKE(callback_ty_log_density, ty_log_density) {
    (void)name;
    return calls_choose(c, 8) < 7 ? bell : bell_null;
}

static ty_tensor *half_of_first(void *context, ty_tensor *const *x, ty_tensor *key) {
    (void)context, (void)key;
    return ty_cast(ty_mul(x[0], ty_num(0.5)), ty_dtype_of(x[0]));
}
TAKE(c_ty_conditional_p, const ty_conditional *) {
    size_t n = calls_elements(c);
    ty_conditional *all = calls_room(c, n * sizeof *all);
    (void)name;
    for (size_t i = 0; i < n; i++) all[i] = calls_choose(c, 32) == 31 ? NULL : half_of_first;
    return all;
}

static void do_nothing_with(void *context) { (void)context; }
static void flow_on(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                    ty_tensor **gradients) {
    (void)context, (void)x, (void)y;
    for (int i = 0; i < n; i++) gradients[i] = i ? NULL : g;
}
static ty_tensor *move_on(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    (void)context, (void)n, (void)x, (void)y;
    return t[0];
}
static void give_first(void *context, ty_called *call) {
    (void)context;
    for (int i = 0; i < call->m; i++)
        call->y[i] = ty_zeros(call->forms[i].dtype, call->forms[i].rank, call->forms[i].shape);
}
static void flow_all(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *g, ty_tensor **gradients) {
    (void)context, (void)x, (void)m, (void)y;
    for (int i = 0; i < n; i++) gradients[i] = i ? NULL : g[0];
}
TAKE(ty_callee, ty_callee) {
    int kind = calls_choose(c, 4);
    (void)name;
    return (ty_callee){.f = calls_choose(c, 8) < 7 ? give_first : NULL,
                       .vjp = kind < 2 ? flow_all : NULL,
                       .release = kind == 3 ? do_nothing_with : NULL,
                       .ordered = kind == 2};
}
/* A small form, since a call allocates it. */
static size_t form_elements;
TAKE(ty_form, ty_form) {
    static const int64_t sizes[] = {2, 3}, bad[] = {-1, INT64_MAX};
    int kind = calls_choose(c, 8), rank = kind == 6 ? 65 : kind % 3;
    (void)name;
    form_elements = rank == 0 ? 1 : rank == 1 ? 2 : 6;
    return (ty_form){kind == 7 ? TY_DTYPES : TY_F64, rank, kind == 5 ? bad : sizes};
}
/* Look at the slices, and fail for those of 5 elements. */
static bool see_slice(void *context, ty_visit *v) {
    (void)context;
    if (v->n < 1 || !v->x || !v->size) abort();
    return v->size[0] != 5;
}
/* Also fill a result of the last form. */
static bool fill_slice(void *context, ty_visit *v) {
    memset(v->y, 0, form_elements * sizeof(double));
    return see_slice(context, v);
}
TAKE(ty_slicing, ty_slicing) {
    int kind = calls_choose(c, 4);
    ty_slice_function f = strncmp(c->function, "ty_map_", 7) ? see_slice : fill_slice;
    return (ty_slicing){.f = calls_choose(c, 8) < 7 ? f : NULL,
                        .axes = take_ty_axes(c, name),
                        .threads = kind == 1,
                        .ordered = kind == 2,
                        .release = kind == 3 ? do_nothing_with : NULL};
}
TAKE(ty_custom, ty_custom) {
    int kind = calls_choose(c, 4);
    return (ty_custom){.f = calls_choose(c, 8) < 7 ? take_callback_ty_body(c, name) : NULL,
                       .vjp = kind < 2 ? flow_on : NULL,
                       .jvp = kind % 2 ? move_on : NULL,
                       .release = kind == 3 ? do_nothing_with : NULL};
}
