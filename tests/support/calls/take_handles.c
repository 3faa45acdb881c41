/* Tensors, programs, models and other handles. */
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

TAKE(owned_ty_table_p, ty_table *) {
    ty_tensor *columns[] = {ty_iota(TY_F64, 1, (int64_t[]){4}, 0), ty_iota(TY_I64, 1, (int64_t[]){4}, 0)};
    (void)name;
    int way = calls_refusal(c, 4);
    if (way == 2) columns[1] = ty_poison("none");
    if (way == 3) columns[1] = ty_zeros(TY_I64, 1, (int64_t[]){5});
    ty_table *numbers =
        ty_table_new(way == 1 ? -1 : 2, (const char *const[]){"x", way == 4 ? "x" : "y"}, columns);
    ty_table *all =
        ty_table_with_words(numbers, "z", columns[1], 4, (const char *const[]){"a", "b", "", "c"});
    ty_table_free(numbers);
    return all;
}
HANDLE(ty_table_p, ty_table, ty_table_free)

TAKE(owned_ty_preparation_p, ty_preparation *) {
    int way = calls_refusal(c, 2);
    ty_table *t = take_owned_ty_table_p(c, name);
    ty_preparation_options o = {.target = way == 1 ? "none" : "z"};
    ty_preparation *p = ty_preparation_fit(way == 2 ? NULL : t, o);
    ty_table_free(t);
    return p;
}
HANDLE(ty_preparation_p, ty_preparation, ty_preparation_free)

TAKE(owned_ty_tokenizer_p, ty_tokenizer *) {
    static const char text[] = "the owl and the other owl";
    int way = calls_refusal(c, 2);
    (void)name;
    return way == 1   ? ty_tokenizer_parse("{}", 2)
           : way == 2 ? ty_tokenizer_new()
                      : ty_tokenizer_train(text, sizeof text - 1, 262);
}
HANDLE(ty_tokenizer_p, ty_tokenizer, ty_tokenizer_free)

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
