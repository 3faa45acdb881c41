/* The menus: take_KIND(c, name) chooses an argument for the parameter `name`. */
#ifndef TESTS_SUPPORT_CALLS_TAKE_H
#define TESTS_SUPPORT_CALLS_TAKE_H
#include <stdio.h>
#include <tyto/contraction.h>
#include <tyto/data.h>
#include <tyto/dlpack.h>
#include <tyto/engine.h>
#include <tyto/export_c.h>
#include <tyto/expression.h>
#include <tyto/formula.h>
#include <tyto/io.h>
#include <tyto/notation.h>
#include <tyto/onnx.h>
#include <tyto/plot.h>
#include <tyto/prepare.h>
#include <tyto/decode.h>
#include <tyto/tokens.h>
#include <tyto/table.h>
#include <tyto/table_groups.h>
#include <tyto/table_rows.h>
#include <tyto/zoo.h>
#include "tests/support/calls/calls.h"

#define TAKE(kind, type) type take_##kind(struct calls *c, const char *name)

/* numbers (take_numbers.c) */
TAKE(int, int);
TAKE(rank_int, int);
TAKE(count_int, int);
TAKE(count_int64_t, int64_t);
TAKE(int64_t, int64_t);
TAKE(uint64_t, uint64_t);
TAKE(steps, int64_t);
TAKE(most, int64_t);
TAKE(few, int64_t);
TAKE(nresults, int);
TAKE(ny, int);
TAKE(order, int);
TAKE(double, double);
TAKE(_Bool, bool);
TAKE(bytes_before, size_t);
TAKE(ty_dtype, ty_dtype);
TAKE(ty_axes, ty_axes);
TAKE(ty_scatter_mode, ty_scatter_mode);
TAKE(ty_pad_kind, ty_pad_kind);
TAKE(ty_code, ty_code);
TAKE(ty_column_kind, ty_column_kind);
TAKE(ty_group_value, ty_group_value);
TAKE(ty_pairing, ty_pairing);
TAKE(ty_fft_norm, ty_fft_norm);
TAKE(ty_eigen_order, ty_eigen_order);
TAKE(ty_matrix_order, ty_matrix_order);
TAKE(ty_overlap, ty_overlap);
TAKE(ty_walk_order, ty_walk_order);
TAKE(ty_sparse_form, ty_sparse_form);
TAKE(ty_band, ty_band);
TAKE(ty_distribution, ty_distribution);
TAKE(ty_ties, ty_ties);
TAKE(ty_multivariate, ty_multivariate);
TAKE(ty_adjustment, ty_adjustment);
TAKE(ty_sampling, ty_sampling);
/* Choose an integer for an options struct; in half of the cases its default. */
int64_t take_option(struct calls *c, int64_t usual);
/* Choose a real number for an options struct; in half of the cases its default. */
double take_real_option(struct calls *c, double usual);
/* Choose an enumerator 0 .. n - 1, or an invalid one. */
int take_enumerator(struct calls *c, int n);

/* arrays, texts, memory (take_arrays.c) */
TAKE(c__Bool_p, const bool *);
TAKE(c_int64_t_p, const int64_t *);
TAKE(byte_strides, const int64_t *);
TAKE(c_int_p, const int *);
TAKE(c_ty_dtype_p, const ty_dtype *);
TAKE(c_ty_index_p, const ty_index *);
TAKE(c_ty_padding_p, const ty_padding *);
TAKE(c_ty_einsum_operand_p, const ty_einsum_operand *);
TAKE(c_ty_contraction_operand_p, const ty_contraction_operand *);
TAKE(c_ty_group_column_p, const ty_group_column *);
TAKE(ty_tensor_pc_p, ty_tensor *const *);
TAKE(ty_tensor_p_p, ty_tensor **);
TAKE(ny_results, ty_tensor **);
TAKE(c_char_p, const char *);
TAKE(format, const char *);
TAKE(c_char_pc_p, const char *const *);
TAKE(c_char_p_p, const char **);
TAKE(char_p, char *);
TAKE(void_p, void *);
TAKE(c_void_p, const void *);
TAKE(int_p, int *);
TAKE(int64_t_p, int64_t *);
TAKE(c_int64_t_p_p, const int64_t **);
TAKE(size_t_p, size_t *);
TAKE(ty_dtype_p, ty_dtype *);
TAKE(c_double_p, const double *);
TAKE(ty_sparsity_p, ty_sparsity *);
TAKE(ty_report_p, ty_report *);
TAKE(ty_memory_state_p, ty_memory_state *);
TAKE(ty_function_memory_p, ty_function_memory *);
TAKE(ty_attribute_p, ty_attribute *);
TAKE(few_int64_t_p, int64_t *);
TAKE(few_double_p, double *);
TAKE(ty_einsum_report_p, ty_einsum_report *);
TAKE(ty_profile_row_p, ty_profile_row *);
TAKE(ty_print_options_p, ty_print_options *);
TAKE(FILE_p, FILE *);

/* options (take_options.c) */
TAKE(ty_pool, ty_pool);
TAKE(ty_conv, ty_conv);
TAKE(ty_running, ty_running);
TAKE(ty_stft_options, ty_stft_options);
TAKE(ty_iteration, ty_iteration);
TAKE(ty_lanczos_options, ty_lanczos_options);
TAKE(ty_distance_options, ty_distance_options);
TAKE(ty_kmeans_options, ty_kmeans_options);
TAKE(ty_dbscan_options, ty_dbscan_options);
TAKE(ty_peaks_options, ty_peaks_options);
TAKE(ty_test_options, ty_test_options);
TAKE(ty_bootstrap_options, ty_bootstrap_options);
TAKE(ty_sampler_options, ty_sampler_options);
TAKE(ty_scan_spec, ty_scan_spec);
TAKE(c_ty_place_p, const ty_place *);
TAKE(ty_file_options, ty_file_options);
TAKE(ty_print_options, ty_print_options);
TAKE(ty_notation_options, ty_notation_options);
TAKE(ty_cast_options, ty_cast_options);
TAKE(ty_table_print_options, ty_table_print_options);
TAKE(ty_preparation_options, ty_preparation_options);
TAKE(ty_plot_options, ty_plot_options);
TAKE(ty_plot_style, ty_plot_style);
TAKE(ty_plot_text_options, ty_plot_text_options);
TAKE(ty_table_options, ty_table_options);
TAKE(ty_table_write_options, ty_table_write_options);
TAKE(ty_expression_limits, ty_expression_limits);
TAKE(ty_nms_options, ty_nms_options);
TAKE(ty_roi_options, ty_roi_options);
TAKE(ty_check_options, ty_check_options);
TAKE(ty_custom, ty_custom);
TAKE(ty_check_report_p, ty_check_report *);
TAKE(c_ty_export_function_p, const ty_export_function *);
TAKE(ty_export_options, ty_export_options);
TAKE(ty_export_report_p, ty_export_report *);
TAKE(ty_grid_options, ty_grid_options);
TAKE(ty_interpolation, ty_interpolation);
TAKE(ty_einsum_options, ty_einsum_options);
TAKE(ty_compile_options, ty_compile_options);
TAKE(ty_graph_options, ty_graph_options);
TAKE(ty_context_options, ty_context_options);
TAKE(ty_allocator, ty_allocator);
TAKE(ty_thread_pool, ty_thread_pool);
TAKE(c_ty_allocator_p, const ty_allocator *);
TAKE(c_ty_thread_pool_p, const ty_thread_pool *);
TAKE(c_ty_progress_state_p, const ty_progress_state *);
typedef bool (*calls_report)(void *data, const ty_progress_state *now);
TAKE(callback_report, calls_report);
TAKE(ty_source, ty_source);
TAKE(ty_sink, ty_sink);
TAKE(c_ty_optimiser_p, const ty_optimiser *);
TAKE(ty_csv_options, ty_csv_options);
TAKE(ty_text_options, ty_text_options);
TAKE(ty_folder_options, ty_folder_options);
TAKE(ty_loader_options, ty_loader_options);
TAKE(ty_data_place, ty_data_place);
TAKE(c_ty_image_step_p, const ty_image_step *);
TAKE(ty_image_step_p, ty_image_step *);

/* tensors, handles, callbacks (take_handles.c); the called function frees an owned_ one */
TAKE(ty_tensor_p, ty_tensor *);
TAKE(ty_sparse, ty_sparse);
TAKE(c_ty_sparse_p, const ty_sparse *);
TAKE(c_ty_sparse_lu_p, const ty_sparse_lu *);
TAKE(ty_linear, ty_linear);
TAKE(ty_program_p, ty_program *);
TAKE(ty_archive_p, ty_archive *);
TAKE(ty_graph_p, ty_graph *);
TAKE(ty_dataset_p, ty_dataset *);
TAKE(ty_dataset_pc_p, ty_dataset *const *);
TAKE(ty_dataset_p_p, ty_dataset **);
TAKE(ty_loader_p, ty_loader *);
TAKE(ty_data_source, ty_data_source);
TAKE(ty_context_p, ty_context *);
TAKE(ty_draws_p, ty_draws *);
TAKE(ty_profile_p, ty_profile *);
TAKE(ty_function_p, ty_function *);
TAKE(ty_walk_p, ty_walk *);
TAKE(ty_einsum_plan_p, ty_einsum_plan *);
TAKE(ty_tree_p, ty_tree *);
TAKE(ty_table_p, ty_table *);
TAKE(ty_preparation_p, ty_preparation *);
TAKE(ty_tokenizer_p, ty_tokenizer *);
TAKE(ty_decoder_p, ty_decoder *);
TAKE(ty_plot_p, ty_plot *);
TAKE(ty_contraction_p, ty_contraction *);
TAKE(owned_ty_contraction_p, ty_contraction *);
TAKE(ty_contraction_plan_p, ty_contraction_plan *);
TAKE(DLManagedTensor_p, DLManagedTensor *);
TAKE(DLManagedTensorVersioned_p, DLManagedTensorVersioned *);
TAKE(owned_void_p, void *);
TAKE(owned_ty_tensor_p, ty_tensor *);
TAKE(owned_ty_scope_p, ty_scope *);
TAKE(owned_ty_context_p, ty_context *);
TAKE(owned_ty_program_p, ty_program *);
TAKE(owned_ty_archive_p, ty_archive *);
TAKE(owned_ty_graph_p, ty_graph *);
TAKE(owned_ty_dataset_p, ty_dataset *);
TAKE(owned_ty_loader_p, ty_loader *);
TAKE(owned_ty_profile_p, ty_profile *);
TAKE(owned_ty_function_p, ty_function *);
TAKE(owned_ty_walk_p, ty_walk *);
TAKE(owned_ty_einsum_plan_p, ty_einsum_plan *);
TAKE(owned_ty_tree_p, ty_tree *);
TAKE(owned_ty_table_p, ty_table *);
TAKE(owned_ty_preparation_p, ty_preparation *);
TAKE(owned_ty_tokenizer_p, ty_tokenizer *);
TAKE(owned_ty_decoder_p, ty_decoder *);
TAKE(ty_draw_options, ty_draw_options);
TAKE(owned_ty_plot_p, ty_plot *);
TAKE(owned_ty_contraction_plan_p, ty_contraction_plan *);
typedef void (*calls_done)(void *context, void *data);
typedef void (*calls_fill)(const int64_t *index, void *element, void *context);
typedef ty_tensor *(*calls_lambda)(ty_tensor *x, void *context);
TAKE(callback_done, calls_done);
TAKE(callback_f, calls_fill);
TAKE(callback_function, calls_lambda);
TAKE(callback_ty_body, ty_body);
TAKE(callback_ty_activation, ty_activation);
TAKE(callback_ty_step_function, ty_step_function);
TAKE(callback_ty_condition, ty_condition);
TAKE(callback_ty_next, ty_next);
TAKE(callback_ty_branch, ty_branch);
TAKE(callback_ty_node_visitor, ty_node_visitor);
TAKE(callback_ty_pass, ty_pass);
TAKE(c_ty_form_p, const ty_form *);
TAKE(ty_callee, ty_callee);
TAKE(ty_form, ty_form);
TAKE(ty_slicing, ty_slicing);
TAKE(c_ty_branch_p, const ty_branch *);
TAKE(callback_ty_log_density, ty_log_density);
TAKE(c_ty_conditional_p, const ty_conditional *);

/* Define two menus for a handle: one that the harness frees after the call, and one that the called
   function frees. */
#define HANDLE(kind, type, end)                                                                              \
    static void end_##kind(void *thing) { end(thing); }                                                      \
    TAKE(kind, type *) { return calls_own(c, take_owned_##kind(c, name), end_##kind); }

/* interpolation, quadrature, equations (take_numeric.c) */
TAKE(ty_interp_options, ty_interp_options);
TAKE(ty_piecewise, ty_piecewise);
TAKE(ty_quad_options, ty_quad_options);
TAKE(ty_quad_report_p, ty_quad_report *);
TAKE(ty_root_options, ty_root_options);
TAKE(ty_least_squares_options, ty_least_squares_options);
TAKE(ty_ode_options, ty_ode_options);

/* regression (take_regression.c) */
TAKE(ty_regression_values, ty_regression_values);
TAKE(ty_regression_options, ty_regression_options);
TAKE(ty_lasso_options, ty_lasso_options);
TAKE(ty_svm_options, ty_svm_options);
TAKE(ty_knn_options, ty_knn_options);
TAKE(ty_regression_report_p, ty_regression_report *);
TAKE(ty_regression_p, ty_regression *);
TAKE(owned_ty_regression_p, ty_regression *);
TAKE(formula, const char *);
TAKE(ty_design_p, ty_design *);
TAKE(owned_ty_design_p, ty_design *);

/* lists of nests and engines (take_engine.c) */
TAKE(c_ty_nests_p, const ty_nests *);
TAKE(c_ty_nest_p, const ty_nest *);
TAKE(c_ty_nest_instr_p, const ty_nest_instr *);
TAKE(c_ty_nest_write_p, const ty_nest_write *);
TAKE(c_ty_nest_value_p, const ty_nest_value *);
TAKE(ty_nest_value_p, ty_nest_value *);
TAKE(c_void_pc_p, const void *const *);
TAKE(ty_folding_p, ty_folding *);
TAKE(owned_ty_folding_p, ty_folding *);
TAKE(ty_engine, ty_engine);
TAKE(c_ty_engine_p, const ty_engine *);
TAKE(ty_engine_error_p, ty_engine_error *);
TAKE(ty_engine_counts_p, ty_engine_counts *);

/* models in ONNX's format (take_onnx.c) */
TAKE(onnx_bytes, const void *);
TAKE(onnx_shape, const int64_t *);
TAKE(onnx_texts, const char *const *);
TAKE(onnx_lengths, const size_t *);
TAKE(onnx_symbols, const char *const *);
TAKE(onnx_sizes, const int64_t *);
TAKE(ty_onnx_kind, ty_onnx_kind);
TAKE(ty_onnx_options, ty_onnx_options);
TAKE(ty_onnx_operator_p, ty_onnx_operator *);
TAKE(ty_onnx_port_p, ty_onnx_port *);
TAKE(ty_onnx_p, ty_onnx *);
TAKE(owned_ty_onnx_p, ty_onnx *);
TAKE(ty_onnx_value_p, ty_onnx_value *);
TAKE(owned_ty_onnx_value_p, ty_onnx_value *);
TAKE(ty_onnx_value_pc_p, ty_onnx_value *const *);
TAKE(c_ty_onnx_value_pc_p, const ty_onnx_value *const *);
TAKE(ty_onnx_value_p_p, ty_onnx_value **);

/* networks (take_nn.c) */
TAKE(ty_model_p, ty_model *);
TAKE(ty_layer_p, ty_layer *);
TAKE(ty_trainer_p, ty_trainer *);
TAKE(owned_ty_model_p, ty_model *);
TAKE(owned_ty_trainer_p, ty_trainer *);
TAKE(ty_model_options, ty_model_options);
TAKE(ty_weights_options, ty_weights_options);
TAKE(ty_parameter, ty_parameter);
TAKE(ty_update_p, ty_update *);
TAKE(c_ty_layer_kind_p, const ty_layer_kind *);
TAKE(c_ty_network_p, const ty_network *);
TAKE(ty_network_options, ty_network_options);
TAKE(c_ty_layer_value_p, const ty_layer_value *);
TAKE(layer_options, const void *);
TAKE(ty_recurrence_p, ty_recurrence *);
TAKE(ty_heads_p, ty_heads *);
TAKE(ty_attention_options, ty_attention_options);
TAKE(layer_results, ty_tensor **);
#define LAYER(kind) TAKE(ty_##kind##_layer, ty_##kind##_layer);
#define LAYERS(kind) LAYER(kind)
#include <tyto/tables/layers.def>
TAKE(c_ty_optimiser_p, const ty_optimiser *);
TAKE(ty_optimiser_p, ty_optimiser *);
TAKE(ty_loss_options, ty_loss_options);
TAKE(c_ty_schedule_p, const ty_schedule *);
TAKE(ty_plateau_p, ty_plateau *);
TAKE(c_ty_batch_source_p, const ty_batch_source *);
TAKE(ty_metric, ty_metric);
TAKE(ty_metric_options, ty_metric_options);
TAKE(ty_minimise_options, ty_minimise_options);
TAKE(ty_minimum_p, ty_minimum *);
TAKE(ty_trainer_options, ty_trainer_options);
TAKE(ty_fit_options, ty_fit_options);
TAKE(ty_rate_options, ty_rate_options);
TAKE(ty_note, ty_note);
TAKE(c_ty_moment_p, const ty_moment *);
TAKE(layer_bytes, size_t);
TAKE(ty_progress_p, ty_progress *);
TAKE(progress, void *);
typedef bool (*calls_each)(void *context, const ty_moment *now);
TAKE(callback_each, calls_each);
TAKE(callback_ty_forward, ty_forward);
#endif
