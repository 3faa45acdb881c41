/* No public function crashes on NULL pointers or invalid handles. The calls are generated from the public
   headers (tests/support/calls). Each function runs in its own process, so that every crashing function is
   named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "tests/support/calls/each.h"
#include "tests/support/harness.h"
#include "tests/support/tree.h"

enum { MOST_BYTES = 48, LARGEST = 1 << 22 };

/* Parameters for which the header defines NULL: function.parameter, between blanks. */
static const char meaningful[] =
    " ty_set_allocator.allocator ty_set_allocator.error ty_context_set_pool.context "
    "ty_context_set_pool.pool ty_context_set_pool.error ty_context_set_progress.context "
    "ty_context_set_progress.report ty_context_set_progress.data ty_progress_report.progress "
    "ty_progress_report.now ty_here.file "
    "ty_context_failure.context ty_context_use.context ty_interrupt.context "
    "ty_resume.context ty_interrupted.context ty_deadline.context ty_limits.context ty_sync.device "
    "ty_sync.error "
    "ty_is_contiguous.x ty_is_columns.x ty_named.name ty_print.x ty_table_print.table "
    "ty_plot_line.x ty_plot_points.x ty_plot_curves.steps ty_plot_write.error ty_plot_send.error "
    "ty_preparation_print.preparation ty_to_dlpack.error "
    "ty_to_dlpack_legacy.error ty_save.error ty_onnx_reserve.bytes ty_onnx_reserve.error "
    "ty_archive_read.name ty_archive_save.error ty_archive_send.error ty_archive_bytes.error "
    "ty_checkpoint_save.error ty_graph_save.error ty_graph_bytes.error ty_profile_save.error "
    "ty_profile_load.error ty_model_new.forward ty_model_new.context ty_model_forward.key "
    "ty_layer_recurrent_from.name ty_layer_lstm_from.name ty_layer_gru_from.name ty_layer_attend.name "
    "ty_layer_recurrent_from.more ty_layer_lstm_from.more ty_layer_gru_from.more ty_layer_attend.more "
    "ty_layer_bayesian_linear_kl.kl ty_layer_transform.more ty_layer_transform.name "
    "ty_layer_bayesian_linear_kl.name ty_rotary.places ty_mask_rcnn_loss.context "
    "ty_trainer_fit.error ty_model_build.error ty_model_bound.error ty_model_commit.error "
    "ty_model_save.error ty_model_load.error ty_tokenizer_save.error ty_decoder_read.error "
    "ty_decoder_draw.error "
    "ty_optimise.states "
    "ty_optimise.step ty_exponential.scale ty_laplace.loc ty_laplace.scale ty_logistic.loc ty_logistic.scale "
    "ty_gumbel.loc ty_gumbel.scale ty_cauchy.loc ty_cauchy.scale "
    "ty_optimise.rate ty_accumulate.context ty_minimise.context ty_minimise.report ty_accumulate.value "
    "ty_clip_by_global_norm.norm "
    "ty_trainer_run.each ty_trainer_run.context ty_trainer_save.error ty_trainer_load.error "
    "ty_progress_draw.progress ty_progress_draw.now ty_borrow.done ty_borrow.context "
    "ty_from_function.context ty_permute.order "
    "ty_flip_axes.axes ty_squeeze_axes.axes ty_slide.axes ty_spread.tiles ty_spread.repeats ty_tile.tiles "
    "ty_roll.axes ty_diff.prepend ty_diff.append ty_ediff1d.begin ty_ediff1d.end ty_trapezoid.at "
    "ty_sum_where.where ty_sum_where.initial ty_prod_where.where ty_prod_where.initial ty_amax_where.where "
    "ty_amax_where.initial ty_amin_where.where ty_amin_where.initial ty_mean_where.where ty_any_where.where "
    "ty_all_where.where ty_unwrap.period "
    "ty_quantile.method ty_percentile.method ty_nanquantile.method ty_nanpercentile.method "
    "ty_histogram.weights ty_histogram_edges.weights ty_histogram2d.weights ty_bincount.weights ty_choice.p "
    "ty_einsum.b ty_matmul_integer.a_zero ty_matmul_integer.b_zero ty_conv_integer.x_zero "
    "ty_conv_integer.w_zero ty_interpolate.axes ty_max_unpool1d.plane ty_max_unpool2d.plane "
    "ty_max_unpool3d.plane ty_var.name ty_track.name ty_assign.error ty_assign_all.error "
    "ty_assign_items.error ty_assign_at.error "
    "ty_expose.error ty_into.error ty_into_all.error ty_fuse.context "
    "ty_walk_ancestors.context ty_walk_ancestors.error ty_walk_descendants.context "
    "ty_walk_descendants.error ty_transform.context "
    "ty_scan.context ty_scan.steps ty_while.context ty_while.steps "
    "ty_cond.context ty_switch.context ty_function_new.context ty_function_bound.error "
    "ty_value_and_grad.context ty_value_and_grad.value "
    "ty_results_and_grad.context ty_value_and_jvp.context ty_value_and_jvp.value ty_value_and_vjp.context "
    "ty_value_and_vjp.value ty_value_and_jacobian.context ty_value_and_jacobian.value "
    "ty_value_grad_and_hessian.context ty_value_grad_and_hessian.value ty_value_grad_and_hessian.gradients "
    "ty_value_grad_and_hvp.context ty_value_grad_and_hvp.value ty_value_grad_and_hvp.gradients "
    "ty_value_and_laplacian.context ty_value_and_laplacian.value ty_value_and_derivative.context "
    "ty_value_and_derivative.value ty_check_gradient.context ty_check_gradient.report "
    "ty_check_gradient.error ty_checkpoint.context "
    "ty_vmap.context ty_vmap.axes ty_vmap.out_axes "
    "ty_sparse_jacobian.sparsity ty_sparse_hessian.sparsity ty_sparse_save.error ty_matrix_market_save.error "
    "ty_fftn.axes ty_fftn.sizes ty_ifftn.axes ty_ifftn.sizes ty_rfftn.axes ty_rfftn.sizes ty_irfftn.axes "
    "ty_irfftn.sizes "
    "ty_fft2.sizes ty_ifft2.sizes ty_rfft2.sizes ty_irfft2.sizes ty_fftshift.axes ty_ifftshift.axes "
    "ty_fft_convolve.axes ty_fir.window ty_resample_ratio.h ty_filter_from.state "
    "ty_filter_sections_from.state "
    "ty_count.nodes ty_count.edges ty_count.error ty_loader_seek.error ty_optimiser_set.error "
    "ty_program_check.error ty_program_memory.memory "
    "ty_program_memory.error ty_contraction_new.out ty_entropy.other ty_kde.weights "
    "ty_runs_test.cutoff ty_chisquare.expected ty_wilcoxon.y ty_bootstrap.context "
    "ty_metropolis.context ty_hmc.context ty_nuts.context ty_gibbs.context ty_polyfit.weights "
    "ty_simpson.at ty_cumulative_trapezoid.at ty_quad.context ty_quad.report ty_fixed_quad.context "
    "ty_find_root.context ty_newton.context ty_fsolve.context ty_least_squares.context "
    "ty_curve_fit.context ty_curve_fit.sigma ty_odeint.context "
    "ty_contraction_check.bytes ty_table_receive.name ty_table_new.names ty_table_with.missing "
    "ty_table_write.error ty_table_send.error ty_table_sort.descending ty_table_join.left_suffix "
    "ty_table_join.right_suffix ty_group_value_named.name "
    "ty_dataset_arrays.names "
    "ty_dataset_split.key "
    "ty_model_set_note.text ty_trainer_find_rate.curve ty_trainer_find_rate.error ty_trainer_use_means.error "
    "ty_dataset_readable.bad ty_dataset_readable.count ty_image_steps_parse.error ty_model_input.name "
    "ty_model_input.dtype ty_model_input.rank "
    "ty_model_input.shape "
    "ty_export_c.report ty_export_c.error ty_export_trainer.report ty_export_trainer.error "
    "ty_nests_check.error ty_engine_register.error "
    "ty_engine_unregister.error ty_onnx_value_strings.lengths ty_onnx_value_text.n ty_onnx_value_shape.shape "
#define LAYER(kind) " ty_layer_" #kind ".name "
#define LAYERS(kind) LAYER(kind)
#include <tyto/tables/layers.def>
    "";

/* Functions of one handle that return it. */
static const char anonymous[] =
    " ty_keep ty_retain ty_own ty_disown ty_named ty_model_forward ty_layer_sequence ty_activate_linear ";

/* Functions that fail in all of these calls. They need files, several matrices of matching sizes,
   parameters in their domain or three samples; they exceed the memory limit; or their true result is
   false. */
static const char never_well[] =
    " ty_set_allocator ty_friedman ty_kstest ty_anderson_of ty_find_root ty_sylvester ty_lyapunov "
    "ty_discrete_lyapunov "
    "ty_care ty_dare"
    " ty_poison ty_poison_code ty_load ty_archive_parse ty_graph_load ty_graph_parse ty_map ty_archive_open "
    "ty_archive_pair "
    "ty_checkpoint_load "
    "ty_model_read ty_model_parse ty_model_state ty_model_find ty_model_is_frozen "
    "ty_model_save "
    "ty_model_load ty_trainer_load ty_contraction_load ty_contraction_read "
    "ty_shares_memory ty_unfold_add ty_output ty_operand ty_attribute_at ty_body_output ty_function_call "
    "ty_replace "
    "ty_profile_load "
    "ty_vae_loss ty_mask_rcnn_loss ty_rotary ty_loss_multi_hinge ty_roc_auc ty_average_precision "
    "ty_roc_curve ty_network_open ty_trainer_find_rate ty_trainer_use_means ty_image_steps_parse "
    "ty_interrupted ty_keeps_order ty_is_read ty_trap_nan ty_loss_cosine ty_loss_ctc ty_loss_nll "
    "ty_optimiser_set "
    "ty_attention "
    "ty_metric_top_k "
    "ty_metric_add ty_metric_value ty_dataset_files ty_dataset_archive ty_dataset_csv "
    "ty_dataset_mnist ty_dataset_cifar10 ty_dataset_cifar100 ty_dataset_text ty_dataset_folder "
    "ty_filter_both ty_fir ty_elliptic ty_filter_from ty_filter_sections_response "
    "ty_filter_sections_from ty_filter_sections_steady ty_savgol "
    "ty_filter_sections ty_filter_sections_both ty_sparse_diagonals ty_sparse_load "
    "ty_regress ty_regress_exponential ty_lasso ty_linear_svm ty_knn_regress ty_matrix_market_load "
    "ty_matrix_market_parse "
    "ty_squareform ty_draw ty_multivariate_pdf "
    "ty_multivariate_logpdf ty_multivariate_mean ty_multivariate_variance ty_multivariate_covariance "
    "ty_tokenizer_parse ty_tokenizer_load ty_tokenizer_train ty_decoder_new "
    "ty_preparation_parse ty_preparation_read ty_table_read ty_table_with ty_table_with_words "
    "ty_table_column ty_table_where "
    "ty_table_matrix ty_multivariate_entropy "
    "ty_multivariate_draw ty_interpn ty_odeint ty_engine_fail ty_engine_unregister ty_engine_counted "
    "ty_export_c ty_export_trainer ty_onnx_load ty_plot_write ";

static void describe_call(struct said *said, const struct calls *c, int function) {
    snprintf(said->now, sizeof said->now, "%s, pointer %d is NULL, mould %d, %d bytes, refusal %d",
             calls_name(function), c->null_at, c->mould, (int)c->size, c->refusal);
}

/* Return true if docs/tyto.json says that the result of a function may be NULL. */
static bool described_as_null(const char *function) {
    static char *text;
    if (!text) text = tree_text("docs/tyto.json");
    char start[128];
    snprintf(start, sizeof start, "\n{\"name\": \"%s\", \"header\": ", function);
    const char *entry = strstr(text, start);
    if (!entry) return false;
    const char *facts = strstr(entry, "\"result_facts\": {"), *end = strchr(entry + 1, '\n');
    const char *nullable = facts ? strstr(facts, "\"nullable\": true}") : NULL;
    return nullable && nullable < end && nullable < strchr(facts, '}');
}

static void check_null_result(struct said *said, const struct calls *c, int function) {
    if (!*said->wrong && c->null_result && !described_as_null(calls_name(function)))
        snprintf(said->wrong, sizeof said->wrong, "%s returns NULL, and docs/tyto.json does not say so",
                 calls_name(function));
}

static void look(struct said *said, const struct calls *c, int function) {
    check_null_result(said, c, function);
    if (!c->null_name) {
        said->well_once |= !c->tells || c->outcome == CALLS_WELL;
        return;
    }
    bool names = strstr(c->sentence, calls_name(function) + 3) || strstr(anonymous, calls_name(function));
    if (!*said->wrong && c->sentence[0] && strstr(c->sentence, "NULL is not a tensor") && !names)
        snprintf(said->wrong, sizeof said->wrong, "%s with NULL for %s says \"%.400s\", without its name",
                 calls_name(function), c->null_name, c->sentence);
    if (!*said->wrong && strstr(c->sentence, "NULL") && !strstr(c->sentence, "returned NULL") &&
        c->code != TY_ERROR_ARGUMENT)
        snprintf(said->wrong, sizeof said->wrong,
                 "%s with NULL for %s has the code %s, not argument: \"%.400s\"", calls_name(function),
                 c->null_name, ty_code_name(c->code), c->sentence);
    if (*said->wrong || !c->tells || c->outcome == CALLS_REFUSED || c->null_is_none) return;
    if (!is_word(meaningful, calls_name(function), c->null_name))
        snprintf(said->wrong, sizeof said->wrong, "%s with NULL for %s is not refused", calls_name(function),
                 c->null_name);
}

/* Call with each pointer NULL in turn, and with none, for `streams` streams of choices, the first ones
   valid. */
static void call_all_ways(struct said *said, int function, int streams, const char *path) {
    uint8_t bytes[MOST_BYTES];
    for (int stream = 0; stream < streams; stream++) {
        for (int i = 0; i < MOST_BYTES; i++) bytes[i] = (uint8_t)(test_random() % (stream % 2 ? 256 : 8));
        struct calls c = {.data = bytes, .size = stream < CALLS_MOULDS ? 0 : MOST_BYTES, .path = path};
        c.mould = stream % CALLS_MOULDS;
        for (c.null_at = said->start; c.null_at <= said->start || c.null_at < c.pointers; c.null_at++) {
            said->null_at = c.null_at;
            describe_call(said, &c, function);
            calls_make(&c, function);
            look(said, &c, function);
        }
    }
}

static void call_with_null(struct said *said, int function) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/tyto_handles_%d.npy", (int)getpid());
    mem_limit(LARGEST);
    ty_trim();
    int64_t live = mem_live();
    call_all_ways(said, function, test_some(60, 30, 12), path);
    unlink(path);
    ty_trim();
    if (mem_live() != live && !*said->wrong)
        snprintf(said->wrong, sizeof said->wrong, "%s leaves %lld blocks of memory", calls_name(function),
                 (long long)(mem_live() - live));
}

static void null_for_each_pointer(void) {
    if (test_starving()) return;
    int wrong = each_function(call_with_null, never_well);
    CHECK(!wrong, "%d of %d functions", wrong, calls_count());
}

/* Call with every kind of invalid handle; nothing that it points to is freed. */
static void call_refused(struct said *said, int function) {
    mem_limit(LARGEST);
    ty_trim();
    int64_t live = mem_live();
    for (int refusal = 1; refusal <= CALLS_REFUSALS; refusal++)
        for (int mould = 0; mould < 2; mould++) {
            struct calls c = {
                .null_at = -1, .mould = mould, .refusal = refusal, .path = "/nonexistent/a.npy"};
            describe_call(said, &c, function);
            calls_make(&c, function);
        }
    ty_trim();
    if (mem_live() != live && !*said->wrong)
        snprintf(said->wrong, sizeof said->wrong, "%s on refused handles leaves %lld blocks of memory",
                 calls_name(function), (long long)(mem_live() - live));
}

static void refused_handles_in_every_function(void) {
    if (!test_starving()) each_function(call_refused, false);
}

/* Check a call that fails against the call `well`: it poisons all results of an array or none, and replaces no
   tensor. */
static void check_results(struct said *said, const struct calls *c, const struct calls *well, int64_t k) {
    bool refused = c->tells && c->outcome == CALLS_REFUSED, apart = c->is_error || well->poisoned;
    if (*said->wrong || apart || well->outcome == CALLS_REFUSED || !(refused || c->poisoned)) return;
    for (int i = 0; i < c->nouts && !*said->wrong; i++)
        if ((c->outs[i].poisoned || !c->poisoned) && c->outs[i].poisoned < well->outs[i].filled)
            snprintf(said->wrong, sizeof said->wrong,
                     "%s poisons %d of %d results when allocation %lld fails", c->function,
                     c->outs[i].poisoned, well->outs[i].filled, (long long)k);
    if (!*said->wrong && c->replaced)
        snprintf(said->wrong, sizeof said->wrong, "%s fails and replaces tensors when allocation %lld fails",
                 c->function, (long long)k);
}

/* Fail each allocation of a valid call in turn. */
static void call_starving(struct said *said, int function) {
    enum { MOST_ALLOCATIONS = 60 };
    mem_limit(LARGEST);
    for (int mould = 0; mould < test_some(CALLS_MOULDS, 3, 1); mould++) {
        bool starved = true;
        struct calls well = {.null_at = -1, .mould = mould, .path = "/nonexistent/a.npy"};
        calls_make(&well, function);
        ty_trim();
        for (int64_t k = 1; starved && k <= MOST_ALLOCATIONS; k++) {
            struct calls c = {.null_at = -1, .mould = mould, .path = "/nonexistent/a.npy"};
            describe_call(said, &c, function);
            int64_t live = mem_live();
            mem_fail_at(k);
            calls_make(&c, function);
            starved = mem_failed();
            mem_fail_at(0);
            check_null_result(said, &c, function);
            check_results(said, &c, &well, k);
            ty_trim();
            if (mem_live() == live || *said->wrong) continue;
            snprintf(said->wrong, sizeof said->wrong, "%s leaves %lld blocks when allocation %lld fails",
                     calls_name(function), (long long)(mem_live() - live), (long long)k);
        }
    }
}

static void failing_allocations_in_every_function(void) {
    if (test_starving()) return;
    int wrong = each_function(call_starving, NULL);
    CHECK(!wrong, "%d of %d functions", wrong, calls_count());
}

/* ---- messages ---- */

static void null_has_a_sentence(void) {
    ty_tensor *x = ty_num(1), *out[2];
    CHECK(!ty_ok(NULL) && strstr(ty_error(NULL), "NULL"), "\"%s\"", ty_error(NULL));
    CHECK(ty_rank(NULL) == 0 && ty_size(NULL) == 1 && ty_shape(NULL), "NULL has another shape than poison");
    CHECK_POISON(ty_add(x, NULL), "add: operand 2 is NULL");
    CHECK_POISON(ty_exp(NULL), "exp: the tensor is NULL");
    CHECK_POISON(ty_concat(2, (ty_tensor *[]){x, NULL}, 0), "concat: operand 2 is NULL");
    CHECK_POISON(ty_concat(2, NULL, 0), "concat: the array of 2 tensors is NULL");
    CHECK_POISON(ty_sum(NULL, TY_ALL), "sum: the tensor is NULL");
    CHECK_POISON(ty_matmul(NULL, x), "matmul: operand 1 is NULL");
    CHECK_POISON(ty_retain(NULL), "NULL");
    CHECK(!ty_grad(NULL, 1, &x, out) && strstr(ty_error(out[0]), "NULL"), "\"%s\"", ty_error(out[0]));
    ty_release(NULL);
}

TESTS_MAIN(TEST(null_for_each_pointer), TEST(refused_handles_in_every_function),
           TEST(failing_allocations_in_every_function), TEST(null_has_a_sentence))
