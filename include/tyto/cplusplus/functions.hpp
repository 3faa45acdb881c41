/* Made by ./dev docs of the public headers: the functions of tensors in C++.  Part of <tyto/tyto.hpp>. */
#ifndef TYTO_CPLUSPLUS_FUNCTIONS_HPP
#define TYTO_CPLUSPLUS_FUNCTIONS_HPP
#include <tyto/cplusplus/arguments.hpp>

TY_CXX_BEGIN

inline tensor cast(const tensor &x, ty_dtype dtype_) {
    return detail::take((ty_cast)(x.get(), dtype_));
}
inline tensor cast_by(const tensor &x, ty_dtype dtype_, const ty_cast_options &options = {}) {
    return detail::take((ty_cast_by)(x.get(), dtype_, options));
}
inline tensor poison_code(ty_code code, const cstring &format) {
    return detail::take((ty_poison_code)(code, format.get()));
}
inline ty_dtype dtype_of(const tensor &x) {
    return (ty_dtype_of)(x.get());
}
inline int rank(const tensor &x) {
    return (ty_rank)(x.get());
}
inline int64_t size(const tensor &x) {
    return (ty_size)(x.get());
}
inline bool is_promise(const tensor &x) {
    return (ty_is_promise)(x.get());
}
inline bool is_contiguous(const tensor &x) {
    return (ty_is_contiguous)(x.get());
}
inline tensor to(const tensor &x, const cstring &device) {
    return detail::take((ty_to)(x.get(), device.get()));
}
inline bool sync(const cstring &device = nullptr) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_sync)(device.get(), &reason), reason);
}
inline tensor var(const tensor &value, const cstring &name = nullptr) {
    return detail::take((ty_var)(value.get(), name.get()));
}
inline tensor track(const tensor &value, const cstring &name = nullptr) {
    return detail::take((ty_track)(value.get(), name.get()));
}
inline tensor lazy(const tensor &value) {
    return detail::take((ty_lazy)(value.get()));
}
inline tensor detach(const tensor &x) {
    return detail::take((ty_detach)(x.get()));
}
inline bool assign(const tensor &variable, const tensor &value) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_assign)(variable.get(), value.get(), &reason), reason);
}
inline bool assign_all(const list &variables, const list &values) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_assign_all)(detail::same_length("assign_all", variables.size(), values.size()), variables.get(), values.get(), &reason), reason);
}
inline tensor eval(const tensor &x) {
    return detail::take((ty_eval)(x.get()));
}
inline std::vector<tensor> eval_all(const list &x) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_eval_all)(x.count(), x.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("eval_all");
    return results;
}
inline std::vector<tensor> grad(const tensor &y, const list &x) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_grad)(y.get(), x.count(), x.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("grad");
    return results;
}
inline std::vector<tensor> vjp(const tensor &y, const tensor &g, const list &x) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_vjp)(y.get(), g.get(), x.count(), x.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("vjp");
    return results;
}
inline int operands(const tensor &x) {
    return (ty_operands)(x.get());
}
inline tensor operand(const tensor &x, int i) {
    return detail::take((ty_operand)(x.get(), i));
}
inline tensor load(const cstring &path) {
    return detail::take((ty_load)(path.get()));
}
inline bool save(const cstring &path, const tensor &x) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_save)(path.get(), x.get(), &reason), reason);
}
inline tensor map(const cstring &path, ty_dtype dtype_, const shape_list &shape, uint64_t offset) {
    return detail::take((ty_map)(path.get(), dtype_, shape.count(), shape.data(), offset));
}
inline bool engine_unregister(const cstring &name) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_engine_unregister)(name.get(), &reason), reason);
}
struct attention_options {
    tensor mask{};
    tensor lengths{};
    tensor offset{};
    tensor slopes{};
    bool causal{};
    int64_t window{};
    double scale{};
    double dropout{};
    tensor key{};
    int64_t block{};
    static attention_options own(const ty_attention_options &x_) {
        attention_options made_;
        made_.key = tensor::adopt(ty_own(x_.key));
        made_.slopes = tensor::adopt(ty_own(x_.slopes));
        made_.offset = tensor::adopt(ty_own(x_.offset));
        made_.lengths = tensor::adopt(ty_own(x_.lengths));
        made_.mask = tensor::adopt(ty_own(x_.mask));
        made_.causal = x_.causal;
        made_.window = x_.window;
        made_.scale = x_.scale;
        made_.dropout = x_.dropout;
        made_.block = x_.block;
        return made_;
    }
    void check() {
        detail::check(this->mask);
        detail::check(this->lengths);
        detail::check(this->offset);
        detail::check(this->slopes);
        detail::check(this->key);
    }
    ty_attention_options get() const noexcept {
        ty_attention_options made_ = {};
        made_.mask = this->mask.get();
        made_.lengths = this->lengths.get();
        made_.offset = this->offset.get();
        made_.slopes = this->slopes.get();
        made_.causal = this->causal;
        made_.window = this->window;
        made_.scale = this->scale;
        made_.dropout = this->dropout;
        made_.key = this->key.get();
        made_.block = this->block;
        return made_;
    }
};
inline tensor attention(const tensor &q, const tensor &k, const tensor &v, const attention_options &options = {}) {
    return detail::take((ty_attention)(q.get(), k.get(), v.get(), options.get()));
}
inline tensor alibi_slopes(int64_t heads) {
    return detail::take((ty_alibi_slopes)(heads));
}
inline tensor rotary(const tensor &x, const tensor &places, double base, bool pairs) {
    return detail::take((ty_rotary)(x.get(), places.get(), base, pairs));
}
inline tensor sinusoids(ty_dtype dtype_, int64_t places, int64_t units, double base) {
    return detail::take((ty_sinusoids)(dtype_, places, units, base));
}
template <class T> tensor sinusoids(int64_t places, int64_t units, double base) {
    return detail::take((ty_sinusoids)(dtype_of<T>(), places, units, base));
}
inline tensor max_pool1d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_max_pool1d)(x.get(), options));
}
inline tensor max_pool2d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_max_pool2d)(x.get(), options));
}
inline tensor max_pool3d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_max_pool3d)(x.get(), options));
}
inline tensor max_pool1d_index(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_max_pool1d_index)(x.get(), options));
}
inline tensor max_pool2d_index(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_max_pool2d_index)(x.get(), options));
}
inline tensor max_pool3d_index(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_max_pool3d_index)(x.get(), options));
}
inline tensor avg_pool1d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_avg_pool1d)(x.get(), options));
}
inline tensor avg_pool2d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_avg_pool2d)(x.get(), options));
}
inline tensor avg_pool3d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_avg_pool3d)(x.get(), options));
}
inline tensor lp_pool1d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_lp_pool1d)(x.get(), options));
}
inline tensor lp_pool2d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_lp_pool2d)(x.get(), options));
}
inline tensor lp_pool3d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_lp_pool3d)(x.get(), options));
}
inline tensor adaptive_max_pool1d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_max_pool1d)(x.get(), options));
}
inline tensor adaptive_max_pool2d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_max_pool2d)(x.get(), options));
}
inline tensor adaptive_max_pool3d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_max_pool3d)(x.get(), options));
}
inline tensor adaptive_max_pool1d_index(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_max_pool1d_index)(x.get(), options));
}
inline tensor adaptive_max_pool2d_index(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_max_pool2d_index)(x.get(), options));
}
inline tensor adaptive_max_pool3d_index(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_max_pool3d_index)(x.get(), options));
}
inline tensor adaptive_avg_pool1d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_avg_pool1d)(x.get(), options));
}
inline tensor adaptive_avg_pool2d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_avg_pool2d)(x.get(), options));
}
inline tensor adaptive_avg_pool3d(const tensor &x, const ty_pool &options = {}) {
    return detail::take((ty_adaptive_avg_pool3d)(x.get(), options));
}
inline tensor global_max_pool(const tensor &x, bool nchw = false) {
    return detail::take((ty_global_max_pool)(x.get(), nchw));
}
inline tensor global_avg_pool(const tensor &x, bool nchw = false) {
    return detail::take((ty_global_avg_pool)(x.get(), nchw));
}
inline tensor global_lp_pool(const tensor &x, double power = 2, bool nchw = false) {
    return detail::take((ty_global_lp_pool)(x.get(), power, nchw));
}
inline tensor layer_input(ty_layer *at, const cstring &name, const tensor &x, const ty_input_layer &options = {}) {
    return detail::take((ty_layer_input)(at, name.get(), x.get(), options));
}
inline tensor layer_scale(ty_layer *at, const cstring &name, const tensor &x, const ty_scale_layer &options = {}) {
    return detail::take((ty_layer_scale)(at, name.get(), x.get(), options));
}
inline tensor layer_conv1d(ty_layer *at, const cstring &name, const tensor &x, ty_conv1d_layer options) {
    return detail::take((ty_layer_conv1d)(at, name.get(), x.get(), options));
}
inline tensor layer_conv2d(ty_layer *at, const cstring &name, const tensor &x, ty_conv2d_layer options) {
    return detail::take((ty_layer_conv2d)(at, name.get(), x.get(), options));
}
inline tensor layer_conv3d(ty_layer *at, const cstring &name, const tensor &x, ty_conv3d_layer options) {
    return detail::take((ty_layer_conv3d)(at, name.get(), x.get(), options));
}
inline tensor layer_conv_transpose1d(ty_layer *at, const cstring &name, const tensor &x, ty_conv_transpose1d_layer options) {
    return detail::take((ty_layer_conv_transpose1d)(at, name.get(), x.get(), options));
}
inline tensor layer_conv_transpose2d(ty_layer *at, const cstring &name, const tensor &x, ty_conv_transpose2d_layer options) {
    return detail::take((ty_layer_conv_transpose2d)(at, name.get(), x.get(), options));
}
inline tensor layer_conv_transpose3d(ty_layer *at, const cstring &name, const tensor &x, ty_conv_transpose3d_layer options) {
    return detail::take((ty_layer_conv_transpose3d)(at, name.get(), x.get(), options));
}
inline tensor layer_linear(ty_layer *at, const cstring &name, const tensor &x, const ty_linear_layer &options = {}) {
    return detail::take((ty_layer_linear)(at, name.get(), x.get(), options));
}
inline tensor layer_fully_connected(ty_layer *at, const cstring &name, const tensor &x, ty_fully_connected_layer options) {
    return detail::take((ty_layer_fully_connected)(at, name.get(), x.get(), options));
}
inline tensor layer_max_pool1d(ty_layer *at, const cstring &name, const tensor &x, ty_max_pool1d_layer options) {
    return detail::take((ty_layer_max_pool1d)(at, name.get(), x.get(), options));
}
inline tensor layer_max_pool2d(ty_layer *at, const cstring &name, const tensor &x, ty_max_pool2d_layer options) {
    return detail::take((ty_layer_max_pool2d)(at, name.get(), x.get(), options));
}
inline tensor layer_max_pool3d(ty_layer *at, const cstring &name, const tensor &x, ty_max_pool3d_layer options) {
    return detail::take((ty_layer_max_pool3d)(at, name.get(), x.get(), options));
}
inline tensor layer_avg_pool1d(ty_layer *at, const cstring &name, const tensor &x, ty_avg_pool1d_layer options) {
    return detail::take((ty_layer_avg_pool1d)(at, name.get(), x.get(), options));
}
inline tensor layer_avg_pool2d(ty_layer *at, const cstring &name, const tensor &x, ty_avg_pool2d_layer options) {
    return detail::take((ty_layer_avg_pool2d)(at, name.get(), x.get(), options));
}
inline tensor layer_avg_pool3d(ty_layer *at, const cstring &name, const tensor &x, ty_avg_pool3d_layer options) {
    return detail::take((ty_layer_avg_pool3d)(at, name.get(), x.get(), options));
}
inline tensor layer_adaptive_max_pool1d(ty_layer *at, const cstring &name, const tensor &x, ty_adaptive_max_pool1d_layer options) {
    return detail::take((ty_layer_adaptive_max_pool1d)(at, name.get(), x.get(), options));
}
inline tensor layer_adaptive_max_pool2d(ty_layer *at, const cstring &name, const tensor &x, ty_adaptive_max_pool2d_layer options) {
    return detail::take((ty_layer_adaptive_max_pool2d)(at, name.get(), x.get(), options));
}
inline tensor layer_adaptive_max_pool3d(ty_layer *at, const cstring &name, const tensor &x, ty_adaptive_max_pool3d_layer options) {
    return detail::take((ty_layer_adaptive_max_pool3d)(at, name.get(), x.get(), options));
}
inline tensor layer_adaptive_avg_pool1d(ty_layer *at, const cstring &name, const tensor &x, ty_adaptive_avg_pool1d_layer options) {
    return detail::take((ty_layer_adaptive_avg_pool1d)(at, name.get(), x.get(), options));
}
inline tensor layer_adaptive_avg_pool2d(ty_layer *at, const cstring &name, const tensor &x, ty_adaptive_avg_pool2d_layer options) {
    return detail::take((ty_layer_adaptive_avg_pool2d)(at, name.get(), x.get(), options));
}
inline tensor layer_adaptive_avg_pool3d(ty_layer *at, const cstring &name, const tensor &x, ty_adaptive_avg_pool3d_layer options) {
    return detail::take((ty_layer_adaptive_avg_pool3d)(at, name.get(), x.get(), options));
}
inline tensor layer_global_max_pool(ty_layer *at, const cstring &name, const tensor &x, ty_global_max_pool_layer options) {
    return detail::take((ty_layer_global_max_pool)(at, name.get(), x.get(), options));
}
inline tensor layer_global_avg_pool(ty_layer *at, const cstring &name, const tensor &x, ty_global_avg_pool_layer options) {
    return detail::take((ty_layer_global_avg_pool)(at, name.get(), x.get(), options));
}
inline tensor layer_batch_norm(ty_layer *at, const cstring &name, const tensor &x, const ty_batch_norm_layer &options = {}) {
    return detail::take((ty_layer_batch_norm)(at, name.get(), x.get(), options));
}
inline tensor layer_layer_norm(ty_layer *at, const cstring &name, const tensor &x, const ty_layer_norm_layer &options = {}) {
    return detail::take((ty_layer_layer_norm)(at, name.get(), x.get(), options));
}
inline tensor layer_rms_norm(ty_layer *at, const cstring &name, const tensor &x, ty_rms_norm_layer options) {
    return detail::take((ty_layer_rms_norm)(at, name.get(), x.get(), options));
}
inline tensor layer_group_norm(ty_layer *at, const cstring &name, const tensor &x, const ty_group_norm_layer &options = {}) {
    return detail::take((ty_layer_group_norm)(at, name.get(), x.get(), options));
}
inline tensor layer_instance_norm(ty_layer *at, const cstring &name, const tensor &x, ty_instance_norm_layer options) {
    return detail::take((ty_layer_instance_norm)(at, name.get(), x.get(), options));
}
inline tensor layer_embedding(ty_layer *at, const cstring &name, const tensor &x, const ty_embedding_layer &options = {}) {
    return detail::take((ty_layer_embedding)(at, name.get(), x.get(), options));
}
inline tensor layer_position_embedding(ty_layer *at, const cstring &name, const tensor &x, const ty_position_embedding_layer &options = {}) {
    return detail::take((ty_layer_position_embedding)(at, name.get(), x.get(), options));
}
inline tensor layer_sinusoidal(ty_layer *at, const cstring &name, const tensor &x, const ty_sinusoidal_layer &options = {}) {
    return detail::take((ty_layer_sinusoidal)(at, name.get(), x.get(), options));
}
inline tensor layer_recurrent(ty_layer *at, const cstring &name, const tensor &x, const ty_recurrent_layer &options = {}) {
    return detail::take((ty_layer_recurrent)(at, name.get(), x.get(), options));
}
inline tensor layer_lstm(ty_layer *at, const cstring &name, const tensor &x, ty_lstm_layer options) {
    return detail::take((ty_layer_lstm)(at, name.get(), x.get(), options));
}
inline tensor layer_gru(ty_layer *at, const cstring &name, const tensor &x, ty_gru_layer options) {
    return detail::take((ty_layer_gru)(at, name.get(), x.get(), options));
}
inline tensor layer_multi_head_attention(ty_layer *at, const cstring &name, const tensor &x, const ty_multi_head_attention_layer &options = {}) {
    return detail::take((ty_layer_multi_head_attention)(at, name.get(), x.get(), options));
}
inline tensor layer_transformer_block(ty_layer *at, const cstring &name, const tensor &x, const ty_transformer_block_layer &options = {}) {
    return detail::take((ty_layer_transformer_block)(at, name.get(), x.get(), options));
}
inline tensor layer_dropout(ty_layer *at, const cstring &name, const tensor &x, const ty_dropout_layer &options = {}) {
    return detail::take((ty_layer_dropout)(at, name.get(), x.get(), options));
}
inline tensor layer_gaussian_noise(ty_layer *at, const cstring &name, const tensor &x, const ty_gaussian_noise_layer &options = {}) {
    return detail::take((ty_layer_gaussian_noise)(at, name.get(), x.get(), options));
}
inline tensor layer_gaussian_dropout(ty_layer *at, const cstring &name, const tensor &x, ty_gaussian_dropout_layer options) {
    return detail::take((ty_layer_gaussian_dropout)(at, name.get(), x.get(), options));
}
inline tensor layer_alpha_dropout(ty_layer *at, const cstring &name, const tensor &x, ty_alpha_dropout_layer options) {
    return detail::take((ty_layer_alpha_dropout)(at, name.get(), x.get(), options));
}
inline tensor layer_flatten(ty_layer *at, const cstring &name, const tensor &x, ty_flatten_layer options) {
    return detail::take((ty_layer_flatten)(at, name.get(), x.get(), options));
}
inline tensor layer_reshape(ty_layer *at, const cstring &name, const tensor &x, ty_reshape_layer options) {
    return detail::take((ty_layer_reshape)(at, name.get(), x.get(), options));
}
inline tensor layer_slice(ty_layer *at, const cstring &name, const tensor &x, const ty_slice_layer &options = {}) {
    return detail::take((ty_layer_slice)(at, name.get(), x.get(), options));
}
inline tensor layer_padding(ty_layer *at, const cstring &name, const tensor &x, const ty_padding_layer &options = {}) {
    return detail::take((ty_layer_padding)(at, name.get(), x.get(), options));
}
inline tensor layer_upsampling(ty_layer *at, const cstring &name, const tensor &x, const ty_upsampling_layer &options = {}) {
    return detail::take((ty_layer_upsampling)(at, name.get(), x.get(), options));
}
inline tensor layer_activation(ty_layer *at, const cstring &name, const tensor &x, const ty_activation_layer &options = {}) {
    return detail::take((ty_layer_activation)(at, name.get(), x.get(), options));
}
inline tensor layer_leaky_relu(ty_layer *at, const cstring &name, const tensor &x, const ty_leaky_relu_layer &options = {}) {
    return detail::take((ty_layer_leaky_relu)(at, name.get(), x.get(), options));
}
inline tensor layer_elu(ty_layer *at, const cstring &name, const tensor &x, const ty_elu_layer &options = {}) {
    return detail::take((ty_layer_elu)(at, name.get(), x.get(), options));
}
inline tensor layer_threshold(ty_layer *at, const cstring &name, const tensor &x, const ty_threshold_layer &options = {}) {
    return detail::take((ty_layer_threshold)(at, name.get(), x.get(), options));
}
inline tensor layer_prelu(ty_layer *at, const cstring &name, const tensor &x, const ty_prelu_layer &options = {}) {
    return detail::take((ty_layer_prelu)(at, name.get(), x.get(), options));
}
inline tensor layer_lambda(ty_layer *at, const cstring &name, const tensor &x, const ty_lambda_layer &options = {}) {
    return detail::take((ty_layer_lambda)(at, name.get(), x.get(), options));
}
inline tensor layer_depthwise_separable(ty_layer *at, const cstring &name, const tensor &x, const ty_depthwise_separable_layer &options = {}) {
    return detail::take((ty_layer_depthwise_separable)(at, name.get(), x.get(), options));
}
inline tensor layer_squeeze_excite(ty_layer *at, const cstring &name, const tensor &x, const ty_squeeze_excite_layer &options = {}) {
    return detail::take((ty_layer_squeeze_excite)(at, name.get(), x.get(), options));
}
inline tensor layer_inverted_residual(ty_layer *at, const cstring &name, const tensor &x, const ty_inverted_residual_layer &options = {}) {
    return detail::take((ty_layer_inverted_residual)(at, name.get(), x.get(), options));
}
inline tensor layer_residual(ty_layer *at, const cstring &name, const tensor &x, const ty_residual_layer &options = {}) {
    return detail::take((ty_layer_residual)(at, name.get(), x.get(), options));
}
inline tensor layer_bayesian_linear(ty_layer *at, const cstring &name, const tensor &x, const ty_bayesian_linear_layer &options = {}) {
    return detail::take((ty_layer_bayesian_linear)(at, name.get(), x.get(), options));
}
inline tensor layer_lambda_array(ty_layer *at, const cstring &name, const list &x, const ty_lambda_array_layer &options = {}) {
    return detail::take((ty_layer_lambda_array)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_add(ty_layer *at, const cstring &name, const list &x, ty_add_layer options) {
    return detail::take((ty_layer_add)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_mul(ty_layer *at, const cstring &name, const list &x, ty_mul_layer options) {
    return detail::take((ty_layer_mul)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_max(ty_layer *at, const cstring &name, const list &x, ty_max_layer options) {
    return detail::take((ty_layer_max)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_average(ty_layer *at, const cstring &name, const list &x, ty_average_layer options) {
    return detail::take((ty_layer_average)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_dot(ty_layer *at, const cstring &name, const list &x, ty_dot_layer options) {
    return detail::take((ty_layer_dot)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_concatenate(ty_layer *at, const cstring &name, const list &x, const ty_concatenate_layer &options = {}) {
    return detail::take((ty_layer_concatenate)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_graph_conv(ty_layer *at, const cstring &name, const list &x, const ty_graph_conv_layer &options = {}) {
    return detail::take((ty_layer_graph_conv)(at, name.get(), x.count(), x.get(), options));
}
inline tensor layer_bilinear(ty_layer *at, const cstring &name, const list &x, const ty_bilinear_layer &options = {}) {
    return detail::take((ty_layer_bilinear)(at, name.get(), x.count(), x.get(), options));
}
inline tensor activate_leaky_relu(const tensor &x) {
    return detail::take((ty_activate_leaky_relu)(x.get()));
}
inline tensor activate_elu(const tensor &x) {
    return detail::take((ty_activate_elu)(x.get()));
}
inline tensor activate_selu(const tensor &x) {
    return detail::take((ty_activate_selu)(x.get()));
}
inline tensor activate_celu(const tensor &x) {
    return detail::take((ty_activate_celu)(x.get()));
}
inline tensor activate_trelu(const tensor &x) {
    return detail::take((ty_activate_trelu)(x.get()));
}
inline tensor activate_softmax(const tensor &x) {
    return detail::take((ty_activate_softmax)(x.get()));
}
inline tensor activate_log_softmax(const tensor &x) {
    return detail::take((ty_activate_log_softmax)(x.get()));
}
struct loss_options {
    ty_reduction reduction{};
    tensor weight{};
    tensor positive{};
    int axis{};
    bool ignores{};
    int64_t ignored{};
    double smoothing{};
    double margin{};
    double delta{};
    double power{};
    double alpha{};
    double epsilon{};
    bool logs{};
    bool rates{};
    bool full{};
    bool swap{};
    int64_t blank{};
    bool zero_infinity{};
    static loss_options own(const ty_loss_options &x_) {
        loss_options made_;
        made_.positive = tensor::adopt(ty_own(x_.positive));
        made_.weight = tensor::adopt(ty_own(x_.weight));
        made_.reduction = x_.reduction;
        made_.axis = x_.axis;
        made_.ignores = x_.ignores;
        made_.ignored = x_.ignored;
        made_.smoothing = x_.smoothing;
        made_.margin = x_.margin;
        made_.delta = x_.delta;
        made_.power = x_.power;
        made_.alpha = x_.alpha;
        made_.epsilon = x_.epsilon;
        made_.logs = x_.logs;
        made_.rates = x_.rates;
        made_.full = x_.full;
        made_.swap = x_.swap;
        made_.blank = x_.blank;
        made_.zero_infinity = x_.zero_infinity;
        return made_;
    }
    void check() {
        detail::check(this->weight);
        detail::check(this->positive);
    }
    ty_loss_options get() const noexcept {
        ty_loss_options made_ = {};
        made_.reduction = this->reduction;
        made_.weight = this->weight.get();
        made_.positive = this->positive.get();
        made_.axis = this->axis;
        made_.ignores = this->ignores;
        made_.ignored = this->ignored;
        made_.smoothing = this->smoothing;
        made_.margin = this->margin;
        made_.delta = this->delta;
        made_.power = this->power;
        made_.alpha = this->alpha;
        made_.epsilon = this->epsilon;
        made_.logs = this->logs;
        made_.rates = this->rates;
        made_.full = this->full;
        made_.swap = this->swap;
        made_.blank = this->blank;
        made_.zero_infinity = this->zero_infinity;
        return made_;
    }
};
inline tensor loss_l1(const tensor &prediction, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_l1)(prediction.get(), target.get(), options.get()));
}
inline tensor loss_l2(const tensor &prediction, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_l2)(prediction.get(), target.get(), options.get()));
}
inline tensor loss_huber(const tensor &prediction, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_huber)(prediction.get(), target.get(), options.get()));
}
inline tensor loss_smooth_l1(const tensor &prediction, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_smooth_l1)(prediction.get(), target.get(), options.get()));
}
inline tensor loss_log_cosh(const tensor &prediction, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_log_cosh)(prediction.get(), target.get(), options.get()));
}
inline tensor loss_hinge(const tensor &score, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_hinge)(score.get(), target.get(), options.get()));
}
inline tensor loss_squared_hinge(const tensor &score, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_squared_hinge)(score.get(), target.get(), options.get()));
}
inline tensor loss_soft_margin(const tensor &score, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_soft_margin)(score.get(), target.get(), options.get()));
}
inline tensor loss_multi_hinge(const tensor &scores, const tensor &labels, const loss_options &options = {}) {
    return detail::take((ty_loss_multi_hinge)(scores.get(), labels.get(), options.get()));
}
inline tensor loss_cross_entropy(const tensor &logits, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_cross_entropy)(logits.get(), target.get(), options.get()));
}
inline tensor loss_nll(const tensor &logs, const tensor &labels, const loss_options &options = {}) {
    return detail::take((ty_loss_nll)(logs.get(), labels.get(), options.get()));
}
inline tensor loss_bce(const tensor &probability, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_bce)(probability.get(), target.get(), options.get()));
}
inline tensor loss_bce_logits(const tensor &logits, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_bce_logits)(logits.get(), target.get(), options.get()));
}
inline tensor loss_focal(const tensor &logits, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_focal)(logits.get(), target.get(), options.get()));
}
inline tensor loss_kl(const tensor &logs, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_kl)(logs.get(), target.get(), options.get()));
}
inline tensor loss_poisson(const tensor &prediction, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_poisson)(prediction.get(), target.get(), options.get()));
}
inline tensor loss_gaussian(const tensor &mean, const tensor &target, const tensor &variance, const loss_options &options = {}) {
    return detail::take((ty_loss_gaussian)(mean.get(), target.get(), variance.get(), options.get()));
}
inline tensor loss_triplet(const tensor &anchor, const tensor &positive, const tensor &negative, const loss_options &options = {}) {
    return detail::take((ty_loss_triplet)(anchor.get(), positive.get(), negative.get(), options.get()));
}
inline tensor loss_cosine(const tensor &a, const tensor &b, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_cosine)(a.get(), b.get(), target.get(), options.get()));
}
inline tensor loss_ranking(const tensor &a, const tensor &b, const tensor &target, const loss_options &options = {}) {
    return detail::take((ty_loss_ranking)(a.get(), b.get(), target.get(), options.get()));
}
inline tensor loss_ctc(const tensor &logs, const tensor &labels, const tensor &lengths, const tensor &label_lengths, const loss_options &options = {}) {
    return detail::take((ty_loss_ctc)(logs.get(), labels.get(), lengths.get(), label_lengths.get(), options.get()));
}
inline tensor mse(const tensor &prediction, const tensor &target) {
    return detail::take((ty_mse)(prediction.get(), target.get()));
}
inline tensor class_weights(const tensor &labels, int64_t classes) {
    return detail::take((ty_class_weights)(labels.get(), classes));
}
inline tensor penalty(const list &x, double l1, double l2) {
    return detail::take((ty_penalty)(x.count(), x.get(), l1, l2));
}
inline tensor metric_accuracy(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_accuracy)(prediction.get(), target.get(), options));
}
inline tensor metric_top_k(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_top_k)(prediction.get(), target.get(), options));
}
inline tensor metric_confusion(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_confusion)(prediction.get(), target.get(), options));
}
inline tensor metric_precision(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_precision)(prediction.get(), target.get(), options));
}
inline tensor metric_recall(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_recall)(prediction.get(), target.get(), options));
}
inline tensor metric_f_score(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_f_score)(prediction.get(), target.get(), options));
}
inline tensor metric_kappa(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_kappa)(prediction.get(), target.get(), options));
}
inline tensor metric_matthews(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_matthews)(prediction.get(), target.get(), options));
}
inline tensor metric_mae(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_mae)(prediction.get(), target.get(), options));
}
inline tensor metric_mse(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_mse)(prediction.get(), target.get(), options));
}
inline tensor metric_rmse(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_rmse)(prediction.get(), target.get(), options));
}
inline tensor metric_r2(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_r2)(prediction.get(), target.get(), options));
}
inline tensor metric_perplexity(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_perplexity)(prediction.get(), target.get(), options));
}
inline tensor metric_binned_auc(const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_binned_auc)(prediction.get(), target.get(), options));
}
inline tensor metric_state(ty_metric metric, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_state)(metric, options));
}
inline tensor metric_add(ty_metric metric, const tensor &state, const tensor &prediction, const tensor &target, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_add)(metric, state.get(), prediction.get(), target.get(), options));
}
inline tensor metric_value(ty_metric metric, const tensor &state, const ty_metric_options &options = {}) {
    return detail::take((ty_metric_value)(metric, state.get(), options));
}
inline tensor roc_auc(const tensor &scores, const tensor &labels) {
    return detail::take((ty_roc_auc)(scores.get(), labels.get()));
}
inline tensor roc_curve(const tensor &scores, const tensor &labels) {
    return detail::take((ty_roc_curve)(scores.get(), labels.get()));
}
inline tensor average_precision(const tensor &scores, const tensor &labels) {
    return detail::take((ty_average_precision)(scores.get(), labels.get()));
}
inline std::vector<tensor> clip_by_value(const list &gradients, double most) {
    std::vector<tensor> results(gradients.size());
    const bool well = (ty_clip_by_value)(gradients.count(), gradients.get(), most, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("clip_by_value");
    return results;
}
inline std::vector<tensor> clip_by_norm(const list &gradients, double most) {
    std::vector<tensor> results(gradients.size());
    const bool well = (ty_clip_by_norm)(gradients.count(), gradients.get(), most, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("clip_by_norm");
    return results;
}
inline tensor solve(const tensor &a, const tensor &b) {
    return detail::take((ty_solve)(a.get(), b.get()));
}
inline tensor triangular_solve(const tensor &a, const tensor &b, bool upper = false, bool unit = false) {
    return detail::take((ty_triangular_solve)(a.get(), b.get(), upper, unit));
}
inline tensor cholesky_solve(const tensor &l, const tensor &b) {
    return detail::take((ty_cholesky_solve)(l.get(), b.get()));
}
inline tensor inv(const tensor &a) {
    return detail::take((ty_inv)(a.get()));
}
inline tensor det(const tensor &a) {
    return detail::take((ty_det)(a.get()));
}
struct slogdet_parts {
    tensor sign{};
    tensor logabs{};
    static slogdet_parts own(const ty_slogdet_parts &x_) {
        slogdet_parts made_;
        made_.logabs = tensor::adopt(ty_own(x_.logabs));
        made_.sign = tensor::adopt(ty_own(x_.sign));
        return made_;
    }
    void check() {
        detail::check(this->sign);
        detail::check(this->logabs);
    }
    ty_slogdet_parts get() const noexcept {
        ty_slogdet_parts made_ = {};
        made_.sign = this->sign.get();
        made_.logabs = this->logabs.get();
        return made_;
    }
};
inline slogdet_parts slogdet(const tensor &a) {
    slogdet_parts parts_ = slogdet_parts::own((ty_slogdet)(a.get()));
    parts_.check();
    return parts_;
}
struct lstsq_parts {
    tensor x{};
    tensor residuals{};
    tensor rank{};
    tensor values{};
    static lstsq_parts own(const ty_lstsq_parts &x_) {
        lstsq_parts made_;
        made_.values = tensor::adopt(ty_own(x_.values));
        made_.rank = tensor::adopt(ty_own(x_.rank));
        made_.residuals = tensor::adopt(ty_own(x_.residuals));
        made_.x = tensor::adopt(ty_own(x_.x));
        return made_;
    }
    void check() {
        detail::check(this->x);
        detail::check(this->residuals);
        detail::check(this->rank);
        detail::check(this->values);
    }
    ty_lstsq_parts get() const noexcept {
        ty_lstsq_parts made_ = {};
        made_.x = this->x.get();
        made_.residuals = this->residuals.get();
        made_.rank = this->rank.get();
        made_.values = this->values.get();
        return made_;
    }
};
inline lstsq_parts lstsq(const tensor &a, const tensor &b, double rcond = -1) {
    lstsq_parts parts_ = lstsq_parts::own((ty_lstsq)(a.get(), b.get(), rcond));
    parts_.check();
    return parts_;
}
inline tensor pinv(const tensor &a, double rcond = -1) {
    return detail::take((ty_pinv)(a.get(), rcond));
}
struct lu_parts {
    tensor l{};
    tensor u{};
    tensor order{};
    static lu_parts own(const ty_lu_parts &x_) {
        lu_parts made_;
        made_.order = tensor::adopt(ty_own(x_.order));
        made_.u = tensor::adopt(ty_own(x_.u));
        made_.l = tensor::adopt(ty_own(x_.l));
        return made_;
    }
    void check() {
        detail::check(this->l);
        detail::check(this->u);
        detail::check(this->order);
    }
    ty_lu_parts get() const noexcept {
        ty_lu_parts made_ = {};
        made_.l = this->l.get();
        made_.u = this->u.get();
        made_.order = this->order.get();
        return made_;
    }
};
inline lu_parts lu(const tensor &a) {
    lu_parts parts_ = lu_parts::own((ty_lu)(a.get()));
    parts_.check();
    return parts_;
}
inline tensor cholesky(const tensor &a) {
    return detail::take((ty_cholesky)(a.get()));
}
struct qr_parts {
    tensor q{};
    tensor r{};
    static qr_parts own(const ty_qr_parts &x_) {
        qr_parts made_;
        made_.r = tensor::adopt(ty_own(x_.r));
        made_.q = tensor::adopt(ty_own(x_.q));
        return made_;
    }
    void check() {
        detail::check(this->q);
        detail::check(this->r);
    }
    ty_qr_parts get() const noexcept {
        ty_qr_parts made_ = {};
        made_.q = this->q.get();
        made_.r = this->r.get();
        return made_;
    }
};
inline qr_parts qr(const tensor &a, bool full = false) {
    qr_parts parts_ = qr_parts::own((ty_qr)(a.get(), full));
    parts_.check();
    return parts_;
}
struct qr_pivoted_parts {
    tensor q{};
    tensor r{};
    tensor order{};
    static qr_pivoted_parts own(const ty_qr_pivoted_parts &x_) {
        qr_pivoted_parts made_;
        made_.order = tensor::adopt(ty_own(x_.order));
        made_.r = tensor::adopt(ty_own(x_.r));
        made_.q = tensor::adopt(ty_own(x_.q));
        return made_;
    }
    void check() {
        detail::check(this->q);
        detail::check(this->r);
        detail::check(this->order);
    }
    ty_qr_pivoted_parts get() const noexcept {
        ty_qr_pivoted_parts made_ = {};
        made_.q = this->q.get();
        made_.r = this->r.get();
        made_.order = this->order.get();
        return made_;
    }
};
inline qr_pivoted_parts qr_pivoted(const tensor &a, bool full = false) {
    qr_pivoted_parts parts_ = qr_pivoted_parts::own((ty_qr_pivoted)(a.get(), full));
    parts_.check();
    return parts_;
}
struct svd_parts {
    tensor u{};
    tensor s{};
    tensor vh{};
    static svd_parts own(const ty_svd_parts &x_) {
        svd_parts made_;
        made_.vh = tensor::adopt(ty_own(x_.vh));
        made_.s = tensor::adopt(ty_own(x_.s));
        made_.u = tensor::adopt(ty_own(x_.u));
        return made_;
    }
    void check() {
        detail::check(this->u);
        detail::check(this->s);
        detail::check(this->vh);
    }
    ty_svd_parts get() const noexcept {
        ty_svd_parts made_ = {};
        made_.u = this->u.get();
        made_.s = this->s.get();
        made_.vh = this->vh.get();
        return made_;
    }
};
inline svd_parts svd(const tensor &a, bool full = true) {
    svd_parts parts_ = svd_parts::own((ty_svd)(a.get(), full));
    parts_.check();
    return parts_;
}
inline tensor svdvals(const tensor &a) {
    return detail::take((ty_svdvals)(a.get()));
}
inline svd_parts randomised_svd(const tensor &a, int64_t rank, int64_t oversample, int64_t iterations, const tensor &key) {
    svd_parts parts_ = svd_parts::own((ty_randomised_svd)(a.get(), rank, oversample, iterations, key.get()));
    parts_.check();
    return parts_;
}
struct eigen_parts {
    tensor values{};
    tensor vectors{};
    static eigen_parts own(const ty_eigen_parts &x_) {
        eigen_parts made_;
        made_.vectors = tensor::adopt(ty_own(x_.vectors));
        made_.values = tensor::adopt(ty_own(x_.values));
        return made_;
    }
    void check() {
        detail::check(this->values);
        detail::check(this->vectors);
    }
    ty_eigen_parts get() const noexcept {
        ty_eigen_parts made_ = {};
        made_.values = this->values.get();
        made_.vectors = this->vectors.get();
        return made_;
    }
};
inline eigen_parts eigh(const tensor &a) {
    eigen_parts parts_ = eigen_parts::own((ty_eigh)(a.get()));
    parts_.check();
    return parts_;
}
inline tensor eigvalsh(const tensor &a) {
    return detail::take((ty_eigvalsh)(a.get()));
}
inline eigen_parts eig(const tensor &a) {
    eigen_parts parts_ = eigen_parts::own((ty_eig)(a.get()));
    parts_.check();
    return parts_;
}
inline tensor eigvals(const tensor &a) {
    return detail::take((ty_eigvals)(a.get()));
}
struct schur_parts {
    tensor t{};
    tensor z{};
    static schur_parts own(const ty_schur_parts &x_) {
        schur_parts made_;
        made_.z = tensor::adopt(ty_own(x_.z));
        made_.t = tensor::adopt(ty_own(x_.t));
        return made_;
    }
    void check() {
        detail::check(this->t);
        detail::check(this->z);
    }
    ty_schur_parts get() const noexcept {
        ty_schur_parts made_ = {};
        made_.t = this->t.get();
        made_.z = this->z.get();
        return made_;
    }
};
inline schur_parts schur(const tensor &a, ty_eigen_order order) {
    schur_parts parts_ = schur_parts::own((ty_schur)(a.get(), order));
    parts_.check();
    return parts_;
}
struct hessenberg_parts {
    tensor h{};
    tensor q{};
    static hessenberg_parts own(const ty_hessenberg_parts &x_) {
        hessenberg_parts made_;
        made_.q = tensor::adopt(ty_own(x_.q));
        made_.h = tensor::adopt(ty_own(x_.h));
        return made_;
    }
    void check() {
        detail::check(this->h);
        detail::check(this->q);
    }
    ty_hessenberg_parts get() const noexcept {
        ty_hessenberg_parts made_ = {};
        made_.h = this->h.get();
        made_.q = this->q.get();
        return made_;
    }
};
inline hessenberg_parts hessenberg(const tensor &a) {
    hessenberg_parts parts_ = hessenberg_parts::own((ty_hessenberg)(a.get()));
    parts_.check();
    return parts_;
}
struct qz_parts {
    tensor s{};
    tensor t{};
    tensor q{};
    tensor z{};
    static qz_parts own(const ty_qz_parts &x_) {
        qz_parts made_;
        made_.z = tensor::adopt(ty_own(x_.z));
        made_.q = tensor::adopt(ty_own(x_.q));
        made_.t = tensor::adopt(ty_own(x_.t));
        made_.s = tensor::adopt(ty_own(x_.s));
        return made_;
    }
    void check() {
        detail::check(this->s);
        detail::check(this->t);
        detail::check(this->q);
        detail::check(this->z);
    }
    ty_qz_parts get() const noexcept {
        ty_qz_parts made_ = {};
        made_.s = this->s.get();
        made_.t = this->t.get();
        made_.q = this->q.get();
        made_.z = this->z.get();
        return made_;
    }
};
inline qz_parts qz(const tensor &a, const tensor &b, ty_eigen_order order) {
    qz_parts parts_ = qz_parts::own((ty_qz)(a.get(), b.get(), order));
    parts_.check();
    return parts_;
}
inline tensor matrix_rank(const tensor &a, double rcond = -1) {
    return detail::take((ty_matrix_rank)(a.get(), rcond));
}
inline tensor matrix_norm(const tensor &a, ty_matrix_order order) {
    return detail::take((ty_matrix_norm)(a.get(), order));
}
inline tensor condition_number(const tensor &a, ty_matrix_order order) {
    return detail::take((ty_condition_number)(a.get(), order));
}
inline tensor null_space(const tensor &a, double rcond = -1) {
    return detail::take((ty_null_space)(a.get(), rcond));
}
inline tensor range_space(const tensor &a, double rcond = -1) {
    return detail::take((ty_range_space)(a.get(), rcond));
}
inline tensor matrix_power(const tensor &a, int64_t n) {
    return detail::take((ty_matrix_power)(a.get(), n));
}
inline tensor expm(const tensor &a) {
    return detail::take((ty_expm)(a.get()));
}
inline tensor logm(const tensor &a) {
    return detail::take((ty_logm)(a.get()));
}
inline tensor sqrtm(const tensor &a) {
    return detail::take((ty_sqrtm)(a.get()));
}
inline tensor sinm(const tensor &a) {
    return detail::take((ty_sinm)(a.get()));
}
inline tensor cosm(const tensor &a) {
    return detail::take((ty_cosm)(a.get()));
}
inline tensor sylvester(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_sylvester)(a.get(), b.get(), c.get()));
}
inline tensor lyapunov(const tensor &a, const tensor &q) {
    return detail::take((ty_lyapunov)(a.get(), q.get()));
}
inline tensor discrete_lyapunov(const tensor &a, const tensor &q) {
    return detail::take((ty_discrete_lyapunov)(a.get(), q.get()));
}
inline tensor care(const tensor &a, const tensor &b, const tensor &q, const tensor &r) {
    return detail::take((ty_care)(a.get(), b.get(), q.get(), r.get()));
}
inline tensor dare(const tensor &a, const tensor &b, const tensor &q, const tensor &r) {
    return detail::take((ty_dare)(a.get(), b.get(), q.get(), r.get()));
}
struct regression_parts {
    tensor coefficients{};
    tensor intercept{};
    tensor determination{};
    static regression_parts own(const ty_regression_parts &x_) {
        regression_parts made_;
        made_.determination = tensor::adopt(ty_own(x_.determination));
        made_.intercept = tensor::adopt(ty_own(x_.intercept));
        made_.coefficients = tensor::adopt(ty_own(x_.coefficients));
        return made_;
    }
    void check() {
        detail::check(this->coefficients);
        detail::check(this->intercept);
        detail::check(this->determination);
    }
    ty_regression_parts get() const noexcept {
        ty_regression_parts made_ = {};
        made_.coefficients = this->coefficients.get();
        made_.intercept = this->intercept.get();
        made_.determination = this->determination.get();
        return made_;
    }
};
inline regression_parts linear_regression(const tensor &x, const tensor &y, bool intercept = true) {
    regression_parts parts_ = regression_parts::own((ty_linear_regression)(x.get(), y.get(), intercept));
    parts_.check();
    return parts_;
}
struct pca_parts {
    tensor components{};
    tensor variances{};
    tensor mean{};
    tensor scores{};
    static pca_parts own(const ty_pca_parts &x_) {
        pca_parts made_;
        made_.scores = tensor::adopt(ty_own(x_.scores));
        made_.mean = tensor::adopt(ty_own(x_.mean));
        made_.variances = tensor::adopt(ty_own(x_.variances));
        made_.components = tensor::adopt(ty_own(x_.components));
        return made_;
    }
    void check() {
        detail::check(this->components);
        detail::check(this->variances);
        detail::check(this->mean);
        detail::check(this->scores);
    }
    ty_pca_parts get() const noexcept {
        ty_pca_parts made_ = {};
        made_.components = this->components.get();
        made_.variances = this->variances.get();
        made_.mean = this->mean.get();
        made_.scores = this->scores.get();
        return made_;
    }
};
inline pca_parts pca(const tensor &x, int64_t count) {
    pca_parts parts_ = pca_parts::own((ty_pca)(x.get(), count));
    parts_.check();
    return parts_;
}
inline regression_parts ridge(const tensor &x, const tensor &y, double alpha = 1, bool intercept = true) {
    regression_parts parts_ = regression_parts::own((ty_ridge)(x.get(), y.get(), alpha, intercept));
    parts_.check();
    return parts_;
}
struct lasso_options {
    tensor alphas{};
    double share{};
    int64_t iterations{};
    double tolerance{};
    bool plain{};
    static lasso_options own(const ty_lasso_options &x_) {
        lasso_options made_;
        made_.alphas = tensor::adopt(ty_own(x_.alphas));
        made_.share = x_.share;
        made_.iterations = x_.iterations;
        made_.tolerance = x_.tolerance;
        made_.plain = x_.plain;
        return made_;
    }
    void check() {
        detail::check(this->alphas);
    }
    ty_lasso_options get() const noexcept {
        ty_lasso_options made_ = {};
        made_.alphas = this->alphas.get();
        made_.share = this->share;
        made_.iterations = this->iterations;
        made_.tolerance = this->tolerance;
        made_.plain = this->plain;
        return made_;
    }
};
struct lasso_parts {
    tensor alphas{};
    tensor coefficients{};
    tensor intercepts{};
    tensor gaps{};
    tensor converged{};
    static lasso_parts own(const ty_lasso_parts &x_) {
        lasso_parts made_;
        made_.converged = tensor::adopt(ty_own(x_.converged));
        made_.gaps = tensor::adopt(ty_own(x_.gaps));
        made_.intercepts = tensor::adopt(ty_own(x_.intercepts));
        made_.coefficients = tensor::adopt(ty_own(x_.coefficients));
        made_.alphas = tensor::adopt(ty_own(x_.alphas));
        return made_;
    }
    void check() {
        detail::check(this->alphas);
        detail::check(this->coefficients);
        detail::check(this->intercepts);
        detail::check(this->gaps);
        detail::check(this->converged);
    }
    ty_lasso_parts get() const noexcept {
        ty_lasso_parts made_ = {};
        made_.alphas = this->alphas.get();
        made_.coefficients = this->coefficients.get();
        made_.intercepts = this->intercepts.get();
        made_.gaps = this->gaps.get();
        made_.converged = this->converged.get();
        return made_;
    }
};
inline lasso_parts lasso(const tensor &x, const tensor &y, const lasso_options &options = {}) {
    lasso_parts parts_ = lasso_parts::own((ty_lasso)(x.get(), y.get(), options.get()));
    parts_.check();
    return parts_;
}
struct svm_parts {
    tensor coefficients{};
    tensor intercepts{};
    tensor converged{};
    static svm_parts own(const ty_svm_parts &x_) {
        svm_parts made_;
        made_.converged = tensor::adopt(ty_own(x_.converged));
        made_.intercepts = tensor::adopt(ty_own(x_.intercepts));
        made_.coefficients = tensor::adopt(ty_own(x_.coefficients));
        return made_;
    }
    void check() {
        detail::check(this->coefficients);
        detail::check(this->intercepts);
        detail::check(this->converged);
    }
    ty_svm_parts get() const noexcept {
        ty_svm_parts made_ = {};
        made_.coefficients = this->coefficients.get();
        made_.intercepts = this->intercepts.get();
        made_.converged = this->converged.get();
        return made_;
    }
};
inline svm_parts linear_svm(const tensor &x, const tensor &labels, int64_t classes, const ty_svm_options &options = {}) {
    svm_parts parts_ = svm_parts::own((ty_linear_svm)(x.get(), labels.get(), classes, options));
    parts_.check();
    return parts_;
}
inline tensor zeros(ty_dtype dtype_, const shape_list &shape) {
    return detail::take((ty_zeros)(dtype_, shape.count(), shape.data()));
}
template <class T> tensor zeros(const shape_list &shape) {
    return detail::take((ty_zeros)(dtype_of<T>(), shape.count(), shape.data()));
}
inline tensor ones(ty_dtype dtype_, const shape_list &shape) {
    return detail::take((ty_ones)(dtype_, shape.count(), shape.data()));
}
template <class T> tensor ones(const shape_list &shape) {
    return detail::take((ty_ones)(dtype_of<T>(), shape.count(), shape.data()));
}
inline tensor full(ty_dtype dtype_, const shape_list &shape, double value) {
    return detail::take((ty_full)(dtype_, shape.count(), shape.data(), value));
}
template <class T> tensor full(const shape_list &shape, double value) {
    return detail::take((ty_full)(dtype_of<T>(), shape.count(), shape.data(), value));
}
inline tensor iota(ty_dtype dtype_, const shape_list &shape, int axis = -1) {
    return detail::take((ty_iota)(dtype_, shape.count(), shape.data(), axis));
}
template <class T> tensor iota(const shape_list &shape, int axis = -1) {
    return detail::take((ty_iota)(dtype_of<T>(), shape.count(), shape.data(), axis));
}
inline tensor arange(ty_dtype dtype_, double start, double stop, double step_) {
    return detail::take((ty_arange)(dtype_, start, stop, step_));
}
template <class T> tensor arange(double start, double stop, double step_) {
    return detail::take((ty_arange)(dtype_of<T>(), start, stop, step_));
}
inline tensor steps(ty_dtype dtype_, double start, double step_, int64_t n) {
    return detail::take((ty_steps)(dtype_, start, step_, n));
}
template <class T> tensor steps(double start, double step_, int64_t n) {
    return detail::take((ty_steps)(dtype_of<T>(), start, step_, n));
}
inline tensor linspace(ty_dtype dtype_, double first, double last, int64_t n) {
    return detail::take((ty_linspace)(dtype_, first, last, n));
}
template <class T> tensor linspace(double first, double last, int64_t n) {
    return detail::take((ty_linspace)(dtype_of<T>(), first, last, n));
}
inline tensor eye(ty_dtype dtype_, int64_t n) {
    return detail::take((ty_eye)(dtype_, n));
}
template <class T> tensor eye(int64_t n) {
    return detail::take((ty_eye)(dtype_of<T>(), n));
}
inline tensor empty(ty_dtype dtype_, const shape_list &shape) {
    return detail::take((ty_empty)(dtype_, shape.count(), shape.data()));
}
template <class T> tensor empty(const shape_list &shape) {
    return detail::take((ty_empty)(dtype_of<T>(), shape.count(), shape.data()));
}
inline tensor zeros_like(const tensor &x) {
    return detail::take((ty_zeros_like)(x.get()));
}
inline tensor ones_like(const tensor &x) {
    return detail::take((ty_ones_like)(x.get()));
}
inline tensor empty_like(const tensor &x) {
    return detail::take((ty_empty_like)(x.get()));
}
inline tensor full_like(const tensor &x, double value) {
    return detail::take((ty_full_like)(x.get(), value));
}
inline tensor full_of(const tensor &value, const shape_list &shape) {
    return detail::take((ty_full_of)(value.get(), shape.count(), shape.data()));
}
inline tensor full_like_of(const tensor &x, const tensor &value) {
    return detail::take((ty_full_like_of)(x.get(), value.get()));
}
inline tensor arange_of(ty_dtype dtype_, const tensor &start, const tensor &stop, const tensor &step_) {
    return detail::take((ty_arange_of)(dtype_, start.get(), stop.get(), step_.get()));
}
template <class T> tensor arange_of(const tensor &start, const tensor &stop, const tensor &step_) {
    return detail::take((ty_arange_of)(dtype_of<T>(), start.get(), stop.get(), step_.get()));
}
inline tensor linspace_open(ty_dtype dtype_, double first, double last, int64_t n) {
    return detail::take((ty_linspace_open)(dtype_, first, last, n));
}
template <class T> tensor linspace_open(double first, double last, int64_t n) {
    return detail::take((ty_linspace_open)(dtype_of<T>(), first, last, n));
}
inline tensor logspace(ty_dtype dtype_, double first, double last, int64_t n = 50, double base = 10) {
    return detail::take((ty_logspace)(dtype_, first, last, n, base));
}
template <class T> tensor logspace(double first, double last, int64_t n = 50, double base = 10) {
    return detail::take((ty_logspace)(dtype_of<T>(), first, last, n, base));
}
inline tensor geomspace(ty_dtype dtype_, double first, double last, int64_t n = 50) {
    return detail::take((ty_geomspace)(dtype_, first, last, n));
}
template <class T> tensor geomspace(double first, double last, int64_t n = 50) {
    return detail::take((ty_geomspace)(dtype_of<T>(), first, last, n));
}
inline std::vector<tensor> meshgrid(const list &x, bool xy = true) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_meshgrid)(x.count(), x.get(), xy, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("meshgrid");
    return results;
}
inline tensor unit(ty_dtype dtype_, int64_t n, int64_t i) {
    return detail::take((ty_unit)(dtype_, n, i));
}
template <class T> tensor unit(int64_t n, int64_t i) {
    return detail::take((ty_unit)(dtype_of<T>(), n, i));
}
inline tensor from_parts(const tensor &real, const tensor &imaginary) {
    return detail::take((ty_from_parts)(real.get(), imaginary.get()));
}
inline tensor polar(const tensor &modulus, const tensor &angle) {
    return detail::take((ty_polar)(modulus.get(), angle.get()));
}
inline tensor eye_of(ty_dtype dtype_, int64_t n, int64_t m, int64_t k) {
    return detail::take((ty_eye_of)(dtype_, n, m, k));
}
template <class T> tensor eye_of(int64_t n, int64_t m, int64_t k) {
    return detail::take((ty_eye_of)(dtype_of<T>(), n, m, k));
}
inline tensor tri(ty_dtype dtype_, int64_t n, int64_t m, int64_t k = 0) {
    return detail::take((ty_tri)(dtype_, n, m, k));
}
template <class T> tensor tri(int64_t n, int64_t m, int64_t k = 0) {
    return detail::take((ty_tri)(dtype_of<T>(), n, m, k));
}
inline tensor tril(const tensor &x, int64_t k = 0) {
    return detail::take((ty_tril)(x.get(), k));
}
inline tensor triu(const tensor &x, int64_t k = 0) {
    return detail::take((ty_triu)(x.get(), k));
}
inline tensor diag(const tensor &x, int64_t k = 0) {
    return detail::take((ty_diag)(x.get(), k));
}
inline tensor diagflat(const tensor &x, int64_t k = 0) {
    return detail::take((ty_diagflat)(x.get(), k));
}
inline tensor toeplitz(const tensor &column, const tensor &row) {
    return detail::take((ty_toeplitz)(column.get(), row.get()));
}
inline tensor hankel(const tensor &column, const tensor &row) {
    return detail::take((ty_hankel)(column.get(), row.get()));
}
inline tensor circulant(const tensor &column) {
    return detail::take((ty_circulant)(column.get()));
}
inline tensor companion(const tensor &a) {
    return detail::take((ty_companion)(a.get()));
}
inline tensor vander(const tensor &x, int64_t n, bool increasing = false) {
    return detail::take((ty_vander)(x.get(), n, increasing));
}
inline tensor hilbert(ty_dtype dtype_, int64_t n) {
    return detail::take((ty_hilbert)(dtype_, n));
}
template <class T> tensor hilbert(int64_t n) {
    return detail::take((ty_hilbert)(dtype_of<T>(), n));
}
inline tensor hadamard(ty_dtype dtype_, int64_t n) {
    return detail::take((ty_hadamard)(dtype_, n));
}
template <class T> tensor hadamard(int64_t n) {
    return detail::take((ty_hadamard)(dtype_of<T>(), n));
}
inline tensor magic(ty_dtype dtype_, int64_t n) {
    return detail::take((ty_magic)(dtype_, n));
}
template <class T> tensor magic(int64_t n) {
    return detail::take((ty_magic)(dtype_of<T>(), n));
}
inline tensor pascal(ty_dtype dtype_, int64_t n) {
    return detail::take((ty_pascal)(dtype_, n));
}
template <class T> tensor pascal(int64_t n) {
    return detail::take((ty_pascal)(dtype_of<T>(), n));
}
inline tensor rosser(ty_dtype dtype_) {
    return detail::take((ty_rosser)(dtype_));
}
template <class T> tensor rosser() {
    return detail::take((ty_rosser)(dtype_of<T>()));
}
inline tensor scalar(ty_dtype dtype_, double value) {
    return detail::take((ty_scalar)(dtype_, value));
}
template <class T> tensor scalar(double value) {
    return detail::take((ty_scalar)(dtype_of<T>(), value));
}
inline tensor num(double value) {
    return detail::take((ty_num)(value));
}
inline tensor int_(int64_t value) {
    return detail::take((ty_int)(value));
}
inline tensor natural(uint64_t value) {
    return detail::take((ty_natural)(value));
}
inline tensor complex(double real, double imaginary) {
    return detail::take((ty_complex)(real, imaginary));
}
inline tensor key(uint64_t seed) {
    return detail::take((ty_key)(seed));
}
inline tensor fold(const tensor &key, uint64_t n) {
    return detail::take((ty_fold)(key.get(), n));
}
inline tensor fold_by(const tensor &key, const tensor &n) {
    return detail::take((ty_fold_by)(key.get(), n.get()));
}
inline tensor uniform(ty_dtype dtype_, const shape_list &shape, const tensor &key) {
    return detail::take((ty_uniform)(dtype_, shape.count(), shape.data(), key.get()));
}
template <class T> tensor uniform(const shape_list &shape, const tensor &key) {
    return detail::take((ty_uniform)(dtype_of<T>(), shape.count(), shape.data(), key.get()));
}
inline tensor normal(ty_dtype dtype_, const shape_list &shape, const tensor &key) {
    return detail::take((ty_normal)(dtype_, shape.count(), shape.data(), key.get()));
}
template <class T> tensor normal(const shape_list &shape, const tensor &key) {
    return detail::take((ty_normal)(dtype_of<T>(), shape.count(), shape.data(), key.get()));
}
inline tensor bernoulli(const shape_list &shape, double p, const tensor &key) {
    return detail::take((ty_bernoulli)(shape.count(), shape.data(), p, key.get()));
}
inline tensor split_key(const tensor &key, int64_t n) {
    return detail::take((ty_split_key)(key.get(), n));
}
inline tensor randint(ty_dtype dtype_, const shape_list &shape, const tensor &low, const tensor &high, const tensor &key) {
    return detail::take((ty_randint)(dtype_, shape.count(), shape.data(), low.get(), high.get(), key.get()));
}
template <class T> tensor randint(const shape_list &shape, const tensor &low, const tensor &high, const tensor &key) {
    return detail::take((ty_randint)(dtype_of<T>(), shape.count(), shape.data(), low.get(), high.get(), key.get()));
}
inline tensor random_gamma(ty_dtype dtype_, const shape_list &shape, const tensor &a, const tensor &key) {
    return detail::take((ty_random_gamma)(dtype_, shape.count(), shape.data(), a.get(), key.get()));
}
template <class T> tensor random_gamma(const shape_list &shape, const tensor &a, const tensor &key) {
    return detail::take((ty_random_gamma)(dtype_of<T>(), shape.count(), shape.data(), a.get(), key.get()));
}
inline tensor random_beta(ty_dtype dtype_, const shape_list &shape, const tensor &a, const tensor &b, const tensor &key) {
    return detail::take((ty_random_beta)(dtype_, shape.count(), shape.data(), a.get(), b.get(), key.get()));
}
template <class T> tensor random_beta(const shape_list &shape, const tensor &a, const tensor &b, const tensor &key) {
    return detail::take((ty_random_beta)(dtype_of<T>(), shape.count(), shape.data(), a.get(), b.get(), key.get()));
}
inline tensor poisson(ty_dtype dtype_, const shape_list &shape, const tensor &rate, const tensor &key) {
    return detail::take((ty_poisson)(dtype_, shape.count(), shape.data(), rate.get(), key.get()));
}
template <class T> tensor poisson(const shape_list &shape, const tensor &rate, const tensor &key) {
    return detail::take((ty_poisson)(dtype_of<T>(), shape.count(), shape.data(), rate.get(), key.get()));
}
inline tensor binomial(ty_dtype dtype_, const shape_list &shape, const tensor &n, const tensor &p, const tensor &key) {
    return detail::take((ty_binomial)(dtype_, shape.count(), shape.data(), n.get(), p.get(), key.get()));
}
template <class T> tensor binomial(const shape_list &shape, const tensor &n, const tensor &p, const tensor &key) {
    return detail::take((ty_binomial)(dtype_of<T>(), shape.count(), shape.data(), n.get(), p.get(), key.get()));
}
inline tensor hypergeometric(ty_dtype dtype_, const shape_list &shape, const tensor &good, const tensor &bad, const tensor &drawn, const tensor &key) {
    return detail::take((ty_hypergeometric)(dtype_, shape.count(), shape.data(), good.get(), bad.get(), drawn.get(), key.get()));
}
template <class T> tensor hypergeometric(const shape_list &shape, const tensor &good, const tensor &bad, const tensor &drawn, const tensor &key) {
    return detail::take((ty_hypergeometric)(dtype_of<T>(), shape.count(), shape.data(), good.get(), bad.get(), drawn.get(), key.get()));
}
inline tensor von_mises(ty_dtype dtype_, const shape_list &shape, const tensor &concentration, const tensor &key) {
    return detail::take((ty_von_mises)(dtype_, shape.count(), shape.data(), concentration.get(), key.get()));
}
template <class T> tensor von_mises(const shape_list &shape, const tensor &concentration, const tensor &key) {
    return detail::take((ty_von_mises)(dtype_of<T>(), shape.count(), shape.data(), concentration.get(), key.get()));
}
inline tensor multinomial(const tensor &n, const tensor &p, const tensor &key) {
    return detail::take((ty_multinomial)(n.get(), p.get(), key.get()));
}
inline tensor exponential(ty_dtype dtype_, const shape_list &shape, const tensor &scale, const tensor &key) {
    return detail::take((ty_exponential)(dtype_, shape.count(), shape.data(), scale.get(), key.get()));
}
template <class T> tensor exponential(const shape_list &shape, const tensor &scale, const tensor &key) {
    return detail::take((ty_exponential)(dtype_of<T>(), shape.count(), shape.data(), scale.get(), key.get()));
}
inline tensor laplace(ty_dtype dtype_, const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_laplace)(dtype_, shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
template <class T> tensor laplace(const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_laplace)(dtype_of<T>(), shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
inline tensor logistic(ty_dtype dtype_, const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_logistic)(dtype_, shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
template <class T> tensor logistic(const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_logistic)(dtype_of<T>(), shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
inline tensor gumbel(ty_dtype dtype_, const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_gumbel)(dtype_, shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
template <class T> tensor gumbel(const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_gumbel)(dtype_of<T>(), shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
inline tensor cauchy(ty_dtype dtype_, const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_cauchy)(dtype_, shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
template <class T> tensor cauchy(const shape_list &shape, const tensor &loc, const tensor &scale, const tensor &key) {
    return detail::take((ty_cauchy)(dtype_of<T>(), shape.count(), shape.data(), loc.get(), scale.get(), key.get()));
}
inline tensor truncated_normal(ty_dtype dtype_, const shape_list &shape, const tensor &low, const tensor &high, const tensor &key) {
    return detail::take((ty_truncated_normal)(dtype_, shape.count(), shape.data(), low.get(), high.get(), key.get()));
}
template <class T> tensor truncated_normal(const shape_list &shape, const tensor &low, const tensor &high, const tensor &key) {
    return detail::take((ty_truncated_normal)(dtype_of<T>(), shape.count(), shape.data(), low.get(), high.get(), key.get()));
}
inline tensor categorical(const tensor &logits, int axis, const tensor &key) {
    return detail::take((ty_categorical)(logits.get(), axis, key.get()));
}
inline tensor dropout_mask(ty_dtype dtype_, const shape_list &shape, double rate, const tensor &key) {
    return detail::take((ty_dropout_mask)(dtype_, shape.count(), shape.data(), rate, key.get()));
}
template <class T> tensor dropout_mask(const shape_list &shape, double rate, const tensor &key) {
    return detail::take((ty_dropout_mask)(dtype_of<T>(), shape.count(), shape.data(), rate, key.get()));
}
inline tensor reshape(const tensor &x, const shape_list &shape) {
    return detail::take((ty_reshape)(x.get(), shape.count(), shape.data()));
}
inline tensor transpose(const tensor &x) {
    return detail::take((ty_transpose)(x.get()));
}
inline tensor broadcast(const tensor &x, const shape_list &shape) {
    return detail::take((ty_broadcast)(x.get(), shape.count(), shape.data()));
}
inline tensor slice(const tensor &x, int axis, int64_t start, int64_t stop, int64_t step_ = 1) {
    return detail::take((ty_slice)(x.get(), axis, start, stop, step_));
}
inline tensor flip(const tensor &x, int axis) {
    return detail::take((ty_flip)(x.get(), axis));
}
inline tensor squeeze(const tensor &x, int axis) {
    return detail::take((ty_squeeze)(x.get(), axis));
}
inline tensor expand(const tensor &x, int axis) {
    return detail::take((ty_expand)(x.get(), axis));
}
inline tensor window(const tensor &x, int axis, int64_t size, int64_t stride = 1, int64_t dilation = 1) {
    return detail::take((ty_window)(x.get(), axis, size, stride, dilation));
}
inline tensor diagonal(const tensor &x, int axis1, int axis2) {
    return detail::take((ty_diagonal)(x.get(), axis1, axis2));
}
inline tensor diagonal_at(const tensor &x, int64_t offset, int axis1, int axis2) {
    return detail::take((ty_diagonal_at)(x.get(), offset, axis1, axis2));
}
inline tensor swap(const tensor &x, int axis1, int axis2) {
    return detail::take((ty_swap)(x.get(), axis1, axis2));
}
inline tensor moveaxis(const tensor &x, const shape_list &from, const shape_list &to) {
    return detail::take((ty_moveaxis)(x.get(), detail::same_length("moveaxis", from.size(), to.size()), from.data(), to.data()));
}
inline tensor rollaxis(const tensor &x, int axis, int start = 0) {
    return detail::take((ty_rollaxis)(x.get(), axis, start));
}
inline tensor flip_axes(const tensor &x, const shape_list &axes_ = {}) {
    return detail::take((ty_flip_axes)(x.get(), axes_.count(), axes_.data()));
}
inline tensor rotate(const tensor &x, int64_t quarters = 1, int axis1 = 0, int axis2 = 1) {
    return detail::take((ty_rotate)(x.get(), quarters, axis1, axis2));
}
inline tensor squeeze_axes(const tensor &x, const shape_list &axes_ = {}) {
    return detail::take((ty_squeeze_axes)(x.get(), axes_.count(), axes_.data()));
}
inline tensor expand_axes(const tensor &x, const shape_list &axes_) {
    return detail::take((ty_expand_axes)(x.get(), axes_.count(), axes_.data()));
}
inline tensor atleast(const tensor &x, int rank) {
    return detail::take((ty_atleast)(x.get(), rank));
}
inline tensor ravel(const tensor &x) {
    return detail::take((ty_ravel)(x.get()));
}
inline std::vector<tensor> broadcast_together(const list &x) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_broadcast_together)(x.count(), x.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("broadcast_together");
    return results;
}
inline tensor slide(const tensor &x, const shape_list &sizes, const shape_list &axes_ = {}) {
    return detail::take((ty_slide)(x.get(), detail::longer_length("slide", sizes.size(), axes_.size()), sizes.or_null(), axes_.or_null()));
}
inline tensor view_as(const tensor &x, ty_dtype dtype_) {
    return detail::take((ty_view_as)(x.get(), dtype_));
}
inline std::vector<tensor> split_at(const tensor &x, const shape_list &indices, int axis = 0) {
    std::vector<tensor> results(indices.size() + 1);
    const bool well = (ty_split_at)(x.get(), indices.count(), indices.data(), axis, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("split_at");
    return results;
}
inline std::vector<tensor> split(const tensor &x, int n, int axis = 0) {
    std::vector<tensor> results(static_cast<std::size_t>(n < 0 ? 0 : n));
    const bool well = (ty_split)(x.get(), n, axis, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("split");
    return results;
}
inline std::vector<tensor> array_split(const tensor &x, int n, int axis = 0) {
    std::vector<tensor> results(static_cast<std::size_t>(n < 0 ? 0 : n));
    const bool well = (ty_array_split)(x.get(), n, axis, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("array_split");
    return results;
}
inline std::vector<tensor> hsplit(const tensor &x, int n) {
    std::vector<tensor> results(static_cast<std::size_t>(n < 0 ? 0 : n));
    const bool well = (ty_hsplit)(x.get(), n, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("hsplit");
    return results;
}
inline tensor contiguous(const tensor &x) {
    return detail::take((ty_contiguous)(x.get()));
}
inline tensor pad_around(const tensor &x, const shape_list &amounts, ty_pad_kind kind) {
    return detail::take((ty_pad_around)(x.get(), amounts.count(), amounts.data(), kind));
}
inline tensor concat(const list &x, int axis = 0) {
    return detail::take((ty_concat)(x.count(), x.get(), axis));
}
inline tensor stack(const list &x, int axis = 0) {
    return detail::take((ty_stack)(x.count(), x.get(), axis));
}
inline tensor hstack(const list &x) {
    return detail::take((ty_hstack)(x.count(), x.get()));
}
inline tensor vstack(const list &x) {
    return detail::take((ty_vstack)(x.count(), x.get()));
}
inline tensor dstack(const list &x) {
    return detail::take((ty_dstack)(x.count(), x.get()));
}
inline tensor column_stack(const list &x) {
    return detail::take((ty_column_stack)(x.count(), x.get()));
}
inline tensor block(int rows, const list &x) {
    return detail::take((ty_block)(rows, x.count(), x.get()));
}
inline tensor block_diag(const list &x) {
    return detail::take((ty_block_diag)(x.count(), x.get()));
}
inline tensor append(const tensor &x, const tensor &values) {
    return detail::take((ty_append)(x.get(), values.get()));
}
inline tensor spread(const tensor &x, const shape_list &tiles = {}, const shape_list &repeats = {}) {
    return detail::take((ty_spread)(x.get(), detail::longer_length("spread", tiles.size(), repeats.size()), tiles.or_null(), repeats.or_null()));
}
inline tensor tile(const tensor &x, const shape_list &tiles = {}) {
    return detail::take((ty_tile)(x.get(), tiles.count(), tiles.data()));
}
inline tensor repeat(const tensor &x, int64_t count, int axis) {
    return detail::take((ty_repeat)(x.get(), count, axis));
}
inline tensor repeat_each(const tensor &x, const tensor &counts, int axis = 0) {
    return detail::take((ty_repeat_each)(x.get(), counts.get(), axis));
}
inline tensor resize(const tensor &x, const shape_list &shape) {
    return detail::take((ty_resize)(x.get(), shape.count(), shape.data()));
}
inline tensor roll(const tensor &x, const shape_list &shifts, const shape_list &axes_ = {}) {
    return detail::take((ty_roll)(x.get(), detail::longer_length("roll", shifts.size(), axes_.size()), shifts.or_null(), axes_.or_null()));
}
inline tensor delete_(const tensor &x, const shape_list &indices, int axis = 0) {
    return detail::take((ty_delete)(x.get(), indices.count(), indices.data(), axis));
}
inline tensor insert(const tensor &x, const shape_list &indices, const tensor &values, int axis = 0) {
    return detail::take((ty_insert)(x.get(), indices.count(), indices.data(), values.get(), axis));
}
inline tensor trim_zeros(const tensor &x, bool front = true, bool back = true) {
    return detail::take((ty_trim_zeros)(x.get(), front, back));
}
inline tensor gather(const tensor &x, const tensor &index_, int axis = 0) {
    return detail::take((ty_gather)(x.get(), index_.get(), axis));
}
inline tensor scatter_add(const tensor &g, const tensor &index_, int axis, int64_t size) {
    return detail::take((ty_scatter_add)(g.get(), index_.get(), axis, size));
}
inline tensor one_hot(const tensor &index_, int64_t depth, ty_dtype dtype_) {
    return detail::take((ty_one_hot)(index_.get(), depth, dtype_));
}
inline tensor is_triu(const tensor &x, double tolerance = 0) {
    return detail::take((ty_is_triu)(x.get(), tolerance));
}
inline tensor is_tril(const tensor &x, double tolerance = 0) {
    return detail::take((ty_is_tril)(x.get(), tolerance));
}
inline tensor is_diag(const tensor &x, double tolerance = 0) {
    return detail::take((ty_is_diag)(x.get(), tolerance));
}
inline tensor is_symmetric(const tensor &x, double tolerance = 0) {
    return detail::take((ty_is_symmetric)(x.get(), tolerance));
}
inline tensor is_hermitian(const tensor &x, double tolerance = 0) {
    return detail::take((ty_is_hermitian)(x.get(), tolerance));
}
inline bool is_square(const tensor &x) {
    return (ty_is_square)(x.get());
}
inline tensor array_equal(const tensor &a, const tensor &b, bool equal_nan = false) {
    return detail::take((ty_array_equal)(a.get(), b.get(), equal_nan));
}
inline tensor array_equiv(const tensor &a, const tensor &b) {
    return detail::take((ty_array_equiv)(a.get(), b.get()));
}
inline bool shares_memory(const tensor &a, const tensor &b) {
    return (ty_shares_memory)(a.get(), b.get());
}
inline tensor fill_diagonal(const tensor &x, const tensor &value, bool wrap = false) {
    return detail::take((ty_fill_diagonal)(x.get(), value.get(), wrap));
}
inline tensor at(const tensor &x, const cstring &text) {
    return detail::take((ty_at)(x.get(), text.get()));
}
inline tensor at_with(const tensor &x, const cstring &text, const list &tensors) {
    return detail::take((ty_at_with)(x.get(), text.get(), tensors.count(), tensors.get()));
}
inline tensor set_at(const tensor &x, const cstring &text, const tensor &v) {
    return detail::take((ty_set_at)(x.get(), text.get(), v.get()));
}
inline tensor set_at_with(const tensor &x, const cstring &text, const list &tensors, ty_scatter_mode mode, const tensor &v) {
    return detail::take((ty_set_at_with)(x.get(), text.get(), tensors.count(), tensors.get(), mode, v.get()));
}
inline bool assign_at(const tensor &variable, const cstring &text, const tensor &value) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_assign_at)(variable.get(), text.get(), value.get(), &reason), reason);
}
inline tensor take(const tensor &x, const tensor &index_, int axis) {
    return detail::take((ty_take)(x.get(), index_.get(), axis));
}
inline tensor take_along_axis(const tensor &x, const tensor &index_, int axis) {
    return detail::take((ty_take_along_axis)(x.get(), index_.get(), axis));
}
inline tensor put_along_axis(const tensor &x, const tensor &index_, const tensor &v, int axis) {
    return detail::take((ty_put_along_axis)(x.get(), index_.get(), v.get(), axis));
}
inline tensor put(const tensor &x, const tensor &index_, const tensor &v) {
    return detail::take((ty_put)(x.get(), index_.get(), v.get()));
}
inline tensor gather_nd(const tensor &x, const tensor &index_, int batch = 0) {
    return detail::take((ty_gather_nd)(x.get(), index_.get(), batch));
}
inline tensor scatter_nd(const tensor &x, const tensor &index_, const tensor &updates, ty_scatter_mode mode) {
    return detail::take((ty_scatter_nd)(x.get(), index_.get(), updates.get(), mode));
}
inline tensor scatter(const tensor &x, const tensor &index_, const tensor &updates, int axis, ty_scatter_mode mode) {
    return detail::take((ty_scatter)(x.get(), index_.get(), updates.get(), axis, mode));
}
inline tensor nonzero(const tensor &x) {
    return detail::take((ty_nonzero)(x.get()));
}
inline tensor argwhere(const tensor &x) {
    return detail::take((ty_argwhere)(x.get()));
}
inline tensor flat_nonzero(const tensor &x) {
    return detail::take((ty_flat_nonzero)(x.get()));
}
inline tensor compress(const tensor &condition, const tensor &x, int axis) {
    return detail::take((ty_compress)(condition.get(), x.get(), axis));
}
inline tensor extract(const tensor &condition, const tensor &x) {
    return detail::take((ty_extract)(condition.get(), x.get()));
}
inline tensor place_mask(const tensor &x, const tensor &mask, const tensor &v) {
    return detail::take((ty_place_mask)(x.get(), mask.get(), v.get()));
}
inline tensor select(const list &conditions, const list &choices, const tensor &otherwise = 0) {
    return detail::take((ty_select)(detail::same_length("select", conditions.size(), choices.size()), conditions.get(), choices.get(), otherwise.get()));
}
inline tensor choose(const tensor &index_, const list &choices) {
    return detail::take((ty_choose)(index_.get(), choices.count(), choices.get()));
}
inline tensor unravel_index(const tensor &places, const shape_list &shape) {
    return detail::take((ty_unravel_index)(places.get(), shape.count(), shape.data()));
}
inline tensor ravel_multi_index(const list &indices, const shape_list &shape) {
    return detail::take((ty_ravel_multi_index)(detail::same_length("ravel_multi_index", indices.size(), shape.size()), indices.get(), shape.data()));
}
inline tensor indices(const shape_list &shape) {
    return detail::take((ty_indices)(shape.count(), shape.data()));
}
inline std::vector<tensor> ix(const list &x) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_ix)(x.count(), x.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("ix");
    return results;
}
inline tensor neg(const tensor &x) {
    return detail::take((ty_neg)(x.get()));
}
inline tensor abs(const tensor &x) {
    return detail::take((ty_abs)(x.get()));
}
inline tensor sign(const tensor &x) {
    return detail::take((ty_sign)(x.get()));
}
inline tensor square(const tensor &x) {
    return detail::take((ty_square)(x.get()));
}
inline tensor sqrt(const tensor &x) {
    return detail::take((ty_sqrt)(x.get()));
}
inline tensor floor(const tensor &x) {
    return detail::take((ty_floor)(x.get()));
}
inline tensor ceil(const tensor &x) {
    return detail::take((ty_ceil)(x.get()));
}
inline tensor trunc(const tensor &x) {
    return detail::take((ty_trunc)(x.get()));
}
inline tensor round(const tensor &x) {
    return detail::take((ty_round)(x.get()));
}
inline tensor conj(const tensor &x) {
    return detail::take((ty_conj)(x.get()));
}
inline tensor real(const tensor &x) {
    return detail::take((ty_real)(x.get()));
}
inline tensor imag(const tensor &x) {
    return detail::take((ty_imag)(x.get()));
}
inline tensor add(const tensor &a, const tensor &b) {
    return detail::take((ty_add)(a.get(), b.get()));
}
inline tensor sub(const tensor &a, const tensor &b) {
    return detail::take((ty_sub)(a.get(), b.get()));
}
inline tensor mul(const tensor &a, const tensor &b) {
    return detail::take((ty_mul)(a.get(), b.get()));
}
inline tensor div(const tensor &a, const tensor &b) {
    return detail::take((ty_div)(a.get(), b.get()));
}
inline tensor floor_div(const tensor &a, const tensor &b) {
    return detail::take((ty_floor_div)(a.get(), b.get()));
}
inline tensor mod(const tensor &a, const tensor &b) {
    return detail::take((ty_mod)(a.get(), b.get()));
}
inline tensor pow(const tensor &a, const tensor &b) {
    return detail::take((ty_pow)(a.get(), b.get()));
}
inline tensor max(const tensor &a, const tensor &b) {
    return detail::take((ty_max)(a.get(), b.get()));
}
inline tensor min(const tensor &a, const tensor &b) {
    return detail::take((ty_min)(a.get(), b.get()));
}
inline tensor fma(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_fma)(a.get(), b.get(), c.get()));
}
inline tensor clip(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_clip)(a.get(), b.get(), c.get()));
}
inline tensor is_nan(const tensor &x) {
    return detail::take((ty_is_nan)(x.get()));
}
inline tensor is_inf(const tensor &x) {
    return detail::take((ty_is_inf)(x.get()));
}
inline tensor is_finite(const tensor &x) {
    return detail::take((ty_is_finite)(x.get()));
}
inline tensor is_pos_inf(const tensor &x) {
    return detail::take((ty_is_pos_inf)(x.get()));
}
inline tensor is_neg_inf(const tensor &x) {
    return detail::take((ty_is_neg_inf)(x.get()));
}
inline tensor signbit(const tensor &x) {
    return detail::take((ty_signbit)(x.get()));
}
inline tensor logical_not(const tensor &x) {
    return detail::take((ty_logical_not)(x.get()));
}
inline tensor eq(const tensor &a, const tensor &b) {
    return detail::take((ty_eq)(a.get(), b.get()));
}
inline tensor ne(const tensor &a, const tensor &b) {
    return detail::take((ty_ne)(a.get(), b.get()));
}
inline tensor lt(const tensor &a, const tensor &b) {
    return detail::take((ty_lt)(a.get(), b.get()));
}
inline tensor le(const tensor &a, const tensor &b) {
    return detail::take((ty_le)(a.get(), b.get()));
}
inline tensor gt(const tensor &a, const tensor &b) {
    return detail::take((ty_gt)(a.get(), b.get()));
}
inline tensor ge(const tensor &a, const tensor &b) {
    return detail::take((ty_ge)(a.get(), b.get()));
}
inline tensor logical_and(const tensor &a, const tensor &b) {
    return detail::take((ty_logical_and)(a.get(), b.get()));
}
inline tensor logical_or(const tensor &a, const tensor &b) {
    return detail::take((ty_logical_or)(a.get(), b.get()));
}
inline tensor logical_xor(const tensor &a, const tensor &b) {
    return detail::take((ty_logical_xor)(a.get(), b.get()));
}
inline tensor where(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_where)(a.get(), b.get(), c.get()));
}
inline tensor rsqrt(const tensor &x) {
    return detail::take((ty_rsqrt)(x.get()));
}
inline tensor cbrt(const tensor &x) {
    return detail::take((ty_cbrt)(x.get()));
}
inline tensor positive(const tensor &x) {
    return detail::take((ty_positive)(x.get()));
}
inline tensor frac(const tensor &x) {
    return detail::take((ty_frac)(x.get()));
}
inline tensor recip(const tensor &x) {
    return detail::take((ty_recip)(x.get()));
}
inline tensor hypot(const tensor &a, const tensor &b) {
    return detail::take((ty_hypot)(a.get(), b.get()));
}
inline tensor copysign(const tensor &a, const tensor &b) {
    return detail::take((ty_copysign)(a.get(), b.get()));
}
inline tensor fmax(const tensor &a, const tensor &b) {
    return detail::take((ty_fmax)(a.get(), b.get()));
}
inline tensor fmin(const tensor &a, const tensor &b) {
    return detail::take((ty_fmin)(a.get(), b.get()));
}
inline tensor fmod(const tensor &a, const tensor &b) {
    return detail::take((ty_fmod)(a.get(), b.get()));
}
inline tensor fdim(const tensor &a, const tensor &b) {
    return detail::take((ty_fdim)(a.get(), b.get()));
}
inline tensor squared_difference(const tensor &a, const tensor &b) {
    return detail::take((ty_squared_difference)(a.get(), b.get()));
}
inline tensor heaviside(const tensor &a, const tensor &b) {
    return detail::take((ty_heaviside)(a.get(), b.get()));
}
inline tensor ldexp(const tensor &a, const tensor &b) {
    return detail::take((ty_ldexp)(a.get(), b.get()));
}
inline tensor nextafter(const tensor &a, const tensor &b) {
    return detail::take((ty_nextafter)(a.get(), b.get()));
}
inline tensor gcd(const tensor &a, const tensor &b) {
    return detail::take((ty_gcd)(a.get(), b.get()));
}
inline tensor lcm(const tensor &a, const tensor &b) {
    return detail::take((ty_lcm)(a.get(), b.get()));
}
inline tensor bit_not(const tensor &x) {
    return detail::take((ty_bit_not)(x.get()));
}
inline tensor bit_count(const tensor &x) {
    return detail::take((ty_bit_count)(x.get()));
}
inline tensor bit_and(const tensor &a, const tensor &b) {
    return detail::take((ty_bit_and)(a.get(), b.get()));
}
inline tensor bit_or(const tensor &a, const tensor &b) {
    return detail::take((ty_bit_or)(a.get(), b.get()));
}
inline tensor bit_xor(const tensor &a, const tensor &b) {
    return detail::take((ty_bit_xor)(a.get(), b.get()));
}
inline tensor shift_left(const tensor &a, const tensor &b) {
    return detail::take((ty_shift_left)(a.get(), b.get()));
}
inline tensor shift_right(const tensor &a, const tensor &b) {
    return detail::take((ty_shift_right)(a.get(), b.get()));
}
inline tensor exp(const tensor &x) {
    return detail::take((ty_exp)(x.get()));
}
inline tensor exp2(const tensor &x) {
    return detail::take((ty_exp2)(x.get()));
}
inline tensor expm1(const tensor &x) {
    return detail::take((ty_expm1)(x.get()));
}
inline tensor log(const tensor &x) {
    return detail::take((ty_log)(x.get()));
}
inline tensor log2(const tensor &x) {
    return detail::take((ty_log2)(x.get()));
}
inline tensor log10(const tensor &x) {
    return detail::take((ty_log10)(x.get()));
}
inline tensor log1p(const tensor &x) {
    return detail::take((ty_log1p)(x.get()));
}
inline tensor exp10(const tensor &x) {
    return detail::take((ty_exp10)(x.get()));
}
inline tensor logit(const tensor &x) {
    return detail::take((ty_logit)(x.get()));
}
inline tensor entr(const tensor &x) {
    return detail::take((ty_entr)(x.get()));
}
inline tensor logaddexp(const tensor &a, const tensor &b) {
    return detail::take((ty_logaddexp)(a.get(), b.get()));
}
inline tensor logaddexp2(const tensor &a, const tensor &b) {
    return detail::take((ty_logaddexp2)(a.get(), b.get()));
}
inline tensor xlogy(const tensor &a, const tensor &b) {
    return detail::take((ty_xlogy)(a.get(), b.get()));
}
inline tensor xlog1py(const tensor &a, const tensor &b) {
    return detail::take((ty_xlog1py)(a.get(), b.get()));
}
inline tensor sin(const tensor &x) {
    return detail::take((ty_sin)(x.get()));
}
inline tensor cos(const tensor &x) {
    return detail::take((ty_cos)(x.get()));
}
inline tensor tan(const tensor &x) {
    return detail::take((ty_tan)(x.get()));
}
inline tensor asin(const tensor &x) {
    return detail::take((ty_asin)(x.get()));
}
inline tensor acos(const tensor &x) {
    return detail::take((ty_acos)(x.get()));
}
inline tensor atan(const tensor &x) {
    return detail::take((ty_atan)(x.get()));
}
inline tensor sinh(const tensor &x) {
    return detail::take((ty_sinh)(x.get()));
}
inline tensor cosh(const tensor &x) {
    return detail::take((ty_cosh)(x.get()));
}
inline tensor tanh(const tensor &x) {
    return detail::take((ty_tanh)(x.get()));
}
inline tensor asinh(const tensor &x) {
    return detail::take((ty_asinh)(x.get()));
}
inline tensor acosh(const tensor &x) {
    return detail::take((ty_acosh)(x.get()));
}
inline tensor atanh(const tensor &x) {
    return detail::take((ty_atanh)(x.get()));
}
inline tensor sinpi(const tensor &x) {
    return detail::take((ty_sinpi)(x.get()));
}
inline tensor cospi(const tensor &x) {
    return detail::take((ty_cospi)(x.get()));
}
inline tensor sinc(const tensor &x) {
    return detail::take((ty_sinc)(x.get()));
}
inline tensor deg2rad(const tensor &x) {
    return detail::take((ty_deg2rad)(x.get()));
}
inline tensor rad2deg(const tensor &x) {
    return detail::take((ty_rad2deg)(x.get()));
}
inline tensor arg(const tensor &x) {
    return detail::take((ty_arg)(x.get()));
}
inline tensor atan2(const tensor &a, const tensor &b) {
    return detail::take((ty_atan2)(a.get(), b.get()));
}
inline tensor erf(const tensor &x) {
    return detail::take((ty_erf)(x.get()));
}
inline tensor erfc(const tensor &x) {
    return detail::take((ty_erfc)(x.get()));
}
inline tensor lgamma(const tensor &x) {
    return detail::take((ty_lgamma)(x.get()));
}
inline tensor gamma(const tensor &x) {
    return detail::take((ty_gamma)(x.get()));
}
inline tensor digamma(const tensor &x) {
    return detail::take((ty_digamma)(x.get()));
}
inline tensor trigamma(const tensor &x) {
    return detail::take((ty_trigamma)(x.get()));
}
inline tensor erfinv(const tensor &x) {
    return detail::take((ty_erfinv)(x.get()));
}
inline tensor erfcinv(const tensor &x) {
    return detail::take((ty_erfcinv)(x.get()));
}
inline tensor erfcx(const tensor &x) {
    return detail::take((ty_erfcx)(x.get()));
}
inline tensor ndtr(const tensor &x) {
    return detail::take((ty_ndtr)(x.get()));
}
inline tensor log_ndtr(const tensor &x) {
    return detail::take((ty_log_ndtr)(x.get()));
}
inline tensor ndtri(const tensor &x) {
    return detail::take((ty_ndtri)(x.get()));
}
inline tensor dawson(const tensor &x) {
    return detail::take((ty_dawson)(x.get()));
}
inline tensor i0(const tensor &x) {
    return detail::take((ty_i0)(x.get()));
}
inline tensor i1(const tensor &x) {
    return detail::take((ty_i1)(x.get()));
}
inline tensor i0e(const tensor &x) {
    return detail::take((ty_i0e)(x.get()));
}
inline tensor i1e(const tensor &x) {
    return detail::take((ty_i1e)(x.get()));
}
inline tensor j0(const tensor &x) {
    return detail::take((ty_j0)(x.get()));
}
inline tensor j1(const tensor &x) {
    return detail::take((ty_j1)(x.get()));
}
inline tensor y0(const tensor &x) {
    return detail::take((ty_y0)(x.get()));
}
inline tensor y1(const tensor &x) {
    return detail::take((ty_y1)(x.get()));
}
inline tensor k0(const tensor &x) {
    return detail::take((ty_k0)(x.get()));
}
inline tensor k1(const tensor &x) {
    return detail::take((ty_k1)(x.get()));
}
inline tensor expint_e1(const tensor &x) {
    return detail::take((ty_expint_e1)(x.get()));
}
inline tensor expint_ei(const tensor &x) {
    return detail::take((ty_expint_ei)(x.get()));
}
inline tensor polygamma(const tensor &a, const tensor &b) {
    return detail::take((ty_polygamma)(a.get(), b.get()));
}
inline tensor zeta(const tensor &a, const tensor &b) {
    return detail::take((ty_zeta)(a.get(), b.get()));
}
inline tensor lbeta(const tensor &a, const tensor &b) {
    return detail::take((ty_lbeta)(a.get(), b.get()));
}
inline tensor beta(const tensor &a, const tensor &b) {
    return detail::take((ty_beta)(a.get(), b.get()));
}
inline tensor gammainc(const tensor &a, const tensor &b) {
    return detail::take((ty_gammainc)(a.get(), b.get()));
}
inline tensor gammaincc(const tensor &a, const tensor &b) {
    return detail::take((ty_gammaincc)(a.get(), b.get()));
}
inline tensor log_gammainc(const tensor &a, const tensor &b) {
    return detail::take((ty_log_gammainc)(a.get(), b.get()));
}
inline tensor log_gammaincc(const tensor &a, const tensor &b) {
    return detail::take((ty_log_gammaincc)(a.get(), b.get()));
}
inline tensor betainc(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_betainc)(a.get(), b.get(), c.get()));
}
inline tensor betaincc(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_betaincc)(a.get(), b.get(), c.get()));
}
inline tensor log_betainc(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_log_betainc)(a.get(), b.get(), c.get()));
}
inline tensor log_betaincc(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_log_betaincc)(a.get(), b.get(), c.get()));
}
inline tensor jn(const tensor &a, const tensor &b) {
    return detail::take((ty_jn)(a.get(), b.get()));
}
inline tensor in(const tensor &a, const tensor &b) {
    return detail::take((ty_in)(a.get(), b.get()));
}
inline tensor ine(const tensor &a, const tensor &b) {
    return detail::take((ty_ine)(a.get(), b.get()));
}
inline tensor sinc_derivative(const tensor &a, const tensor &b) {
    return detail::take((ty_sinc_derivative)(a.get(), b.get()));
}
inline tensor jv(const tensor &a, const tensor &b) {
    return detail::take((ty_jv)(a.get(), b.get()));
}
inline tensor yv(const tensor &a, const tensor &b) {
    return detail::take((ty_yv)(a.get(), b.get()));
}
inline tensor iv(const tensor &a, const tensor &b) {
    return detail::take((ty_iv)(a.get(), b.get()));
}
inline tensor ive(const tensor &a, const tensor &b) {
    return detail::take((ty_ive)(a.get(), b.get()));
}
inline tensor kv(const tensor &a, const tensor &b) {
    return detail::take((ty_kv)(a.get(), b.get()));
}
inline tensor kve(const tensor &a, const tensor &b) {
    return detail::take((ty_kve)(a.get(), b.get()));
}
inline tensor spherical_jn(const tensor &a, const tensor &b) {
    return detail::take((ty_spherical_jn)(a.get(), b.get()));
}
inline tensor spherical_yn(const tensor &a, const tensor &b) {
    return detail::take((ty_spherical_yn)(a.get(), b.get()));
}
inline tensor spherical_in(const tensor &a, const tensor &b) {
    return detail::take((ty_spherical_in)(a.get(), b.get()));
}
inline tensor spherical_kn(const tensor &a, const tensor &b) {
    return detail::take((ty_spherical_kn)(a.get(), b.get()));
}
inline tensor airy_ai(const tensor &x) {
    return detail::take((ty_airy_ai)(x.get()));
}
inline tensor airy_bi(const tensor &x) {
    return detail::take((ty_airy_bi)(x.get()));
}
inline tensor airy_ai_derivative(const tensor &x) {
    return detail::take((ty_airy_ai_derivative)(x.get()));
}
inline tensor airy_bi_derivative(const tensor &x) {
    return detail::take((ty_airy_bi_derivative)(x.get()));
}
inline tensor gammaincinv(const tensor &a, const tensor &b) {
    return detail::take((ty_gammaincinv)(a.get(), b.get()));
}
inline tensor gammainccinv(const tensor &a, const tensor &b) {
    return detail::take((ty_gammainccinv)(a.get(), b.get()));
}
inline tensor betaincinv(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_betaincinv)(a.get(), b.get(), c.get()));
}
inline tensor factorial(const tensor &x) {
    return detail::take((ty_factorial)(x.get()));
}
inline tensor binom(const tensor &a, const tensor &b) {
    return detail::take((ty_binom)(a.get(), b.get()));
}
inline tensor stirling1(const tensor &a, const tensor &b) {
    return detail::take((ty_stirling1)(a.get(), b.get()));
}
inline tensor stirling2(const tensor &a, const tensor &b) {
    return detail::take((ty_stirling2)(a.get(), b.get()));
}
inline tensor lambertw(const tensor &x) {
    return detail::take((ty_lambertw)(x.get()));
}
inline tensor lambertwm1(const tensor &x) {
    return detail::take((ty_lambertwm1)(x.get()));
}
inline tensor polylog(const tensor &a, const tensor &b) {
    return detail::take((ty_polylog)(a.get(), b.get()));
}
inline tensor spence(const tensor &x) {
    return detail::take((ty_spence)(x.get()));
}
inline tensor expn(const tensor &a, const tensor &b) {
    return detail::take((ty_expn)(a.get(), b.get()));
}
inline tensor ellipk(const tensor &x) {
    return detail::take((ty_ellipk)(x.get()));
}
inline tensor ellipe(const tensor &x) {
    return detail::take((ty_ellipe)(x.get()));
}
inline tensor ellippi(const tensor &a, const tensor &b) {
    return detail::take((ty_ellippi)(a.get(), b.get()));
}
inline tensor ellipk_derivative(const tensor &a, const tensor &b) {
    return detail::take((ty_ellipk_derivative)(a.get(), b.get()));
}
inline tensor ellipe_derivative(const tensor &a, const tensor &b) {
    return detail::take((ty_ellipe_derivative)(a.get(), b.get()));
}
inline tensor ellipkinc(const tensor &a, const tensor &b) {
    return detail::take((ty_ellipkinc)(a.get(), b.get()));
}
inline tensor ellipeinc(const tensor &a, const tensor &b) {
    return detail::take((ty_ellipeinc)(a.get(), b.get()));
}
inline tensor ellippiinc(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_ellippiinc)(a.get(), b.get(), c.get()));
}
inline tensor elliprc(const tensor &a, const tensor &b) {
    return detail::take((ty_elliprc)(a.get(), b.get()));
}
inline tensor elliprf(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_elliprf)(a.get(), b.get(), c.get()));
}
inline tensor elliprd(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_elliprd)(a.get(), b.get(), c.get()));
}
inline tensor elliprg(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_elliprg)(a.get(), b.get(), c.get()));
}
inline tensor jacobi_sn(const tensor &a, const tensor &b) {
    return detail::take((ty_jacobi_sn)(a.get(), b.get()));
}
inline tensor jacobi_cn(const tensor &a, const tensor &b) {
    return detail::take((ty_jacobi_cn)(a.get(), b.get()));
}
inline tensor jacobi_dn(const tensor &a, const tensor &b) {
    return detail::take((ty_jacobi_dn)(a.get(), b.get()));
}
inline tensor jacobi_am(const tensor &a, const tensor &b) {
    return detail::take((ty_jacobi_am)(a.get(), b.get()));
}
inline tensor fresnel_s(const tensor &x) {
    return detail::take((ty_fresnel_s)(x.get()));
}
inline tensor fresnel_c(const tensor &x) {
    return detail::take((ty_fresnel_c)(x.get()));
}
inline tensor sine_integral(const tensor &x) {
    return detail::take((ty_sine_integral)(x.get()));
}
inline tensor cosine_integral(const tensor &x) {
    return detail::take((ty_cosine_integral)(x.get()));
}
inline tensor sinh_integral(const tensor &x) {
    return detail::take((ty_sinh_integral)(x.get()));
}
inline tensor cosh_integral(const tensor &x) {
    return detail::take((ty_cosh_integral)(x.get()));
}
inline tensor struve(const tensor &a, const tensor &b) {
    return detail::take((ty_struve)(a.get(), b.get()));
}
inline tensor modstruve(const tensor &a, const tensor &b) {
    return detail::take((ty_modstruve)(a.get(), b.get()));
}
inline tensor eval_legendre(const tensor &a, const tensor &b) {
    return detail::take((ty_eval_legendre)(a.get(), b.get()));
}
inline tensor eval_chebyt(const tensor &a, const tensor &b) {
    return detail::take((ty_eval_chebyt)(a.get(), b.get()));
}
inline tensor eval_chebyu(const tensor &a, const tensor &b) {
    return detail::take((ty_eval_chebyu)(a.get(), b.get()));
}
inline tensor eval_hermite(const tensor &a, const tensor &b) {
    return detail::take((ty_eval_hermite)(a.get(), b.get()));
}
inline tensor eval_hermitenorm(const tensor &a, const tensor &b) {
    return detail::take((ty_eval_hermitenorm)(a.get(), b.get()));
}
inline tensor eval_laguerre(const tensor &a, const tensor &b) {
    return detail::take((ty_eval_laguerre)(a.get(), b.get()));
}
inline tensor eval_genlaguerre(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_eval_genlaguerre)(a.get(), b.get(), c.get()));
}
inline tensor eval_gegenbauer(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_eval_gegenbauer)(a.get(), b.get(), c.get()));
}
inline tensor lpmv(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_lpmv)(a.get(), b.get(), c.get()));
}
inline tensor hyp1f1(const tensor &a, const tensor &b, const tensor &c) {
    return detail::take((ty_hyp1f1)(a.get(), b.get(), c.get()));
}
inline tensor sigmoid(const tensor &x) {
    return detail::take((ty_sigmoid)(x.get()));
}
inline tensor softplus(const tensor &x) {
    return detail::take((ty_softplus)(x.get()));
}
inline tensor log_sigmoid(const tensor &x) {
    return detail::take((ty_log_sigmoid)(x.get()));
}
inline tensor relu(const tensor &x) {
    return detail::take((ty_relu)(x.get()));
}
inline tensor squareplus(const tensor &x) {
    return detail::take((ty_squareplus)(x.get()));
}
inline tensor softmax(const tensor &x, int axis = -1) {
    return detail::take((ty_softmax)(x.get(), axis));
}
inline tensor log_softmax(const tensor &x, int axis = -1) {
    return detail::take((ty_log_softmax)(x.get(), axis));
}
inline tensor cross_entropy(const tensor &logits, const tensor &labels) {
    return detail::take((ty_cross_entropy)(logits.get(), labels.get()));
}
inline tensor cross_entropy_ignoring(const tensor &logits, const tensor &labels, int64_t ignored) {
    return detail::take((ty_cross_entropy_ignoring)(logits.get(), labels.get(), ignored));
}
inline tensor leaky_relu(const tensor &x, double slope = 0.01) {
    return detail::take((ty_leaky_relu)(x.get(), slope));
}
inline tensor elu(const tensor &x, double alpha = 1) {
    return detail::take((ty_elu)(x.get(), alpha));
}
inline tensor relu6(const tensor &x) {
    return detail::take((ty_relu6)(x.get()));
}
inline tensor silu(const tensor &x) {
    return detail::take((ty_silu)(x.get()));
}
inline tensor gelu(const tensor &x) {
    return detail::take((ty_gelu)(x.get()));
}
inline tensor gelu_tanh(const tensor &x) {
    return detail::take((ty_gelu_tanh)(x.get()));
}
inline tensor mish(const tensor &x) {
    return detail::take((ty_mish)(x.get()));
}
inline tensor softsign(const tensor &x) {
    return detail::take((ty_softsign)(x.get()));
}
inline tensor hard_sigmoid(const tensor &x) {
    return detail::take((ty_hard_sigmoid)(x.get()));
}
inline tensor hard_swish(const tensor &x) {
    return detail::take((ty_hard_swish)(x.get()));
}
inline tensor is_close(const tensor &a, const tensor &b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) {
    return detail::take((ty_is_close)(a.get(), b.get(), rtol, atol, equal_nan));
}
inline tensor all_close(const tensor &a, const tensor &b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) {
    return detail::take((ty_all_close)(a.get(), b.get(), rtol, atol, equal_nan));
}
inline tensor nan_to_num(const tensor &x, double nan, double above, double below) {
    return detail::take((ty_nan_to_num)(x.get(), nan, above, below));
}
inline tensor round_to(const tensor &x, int decimals) {
    return detail::take((ty_round_to)(x.get(), decimals));
}
inline tensor lerp(const tensor &a, const tensor &b, const tensor &weight) {
    return detail::take((ty_lerp)(a.get(), b.get(), weight.get()));
}
inline tensor float_power(const tensor &a, const tensor &b) {
    return detail::take((ty_float_power)(a.get(), b.get()));
}
inline tensor sum(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_sum)(x.get(), axes_.get()));
}
inline tensor prod(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_prod)(x.get(), axes_.get()));
}
inline tensor amax(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_amax)(x.get(), axes_.get()));
}
inline tensor amin(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_amin)(x.get(), axes_.get()));
}
inline tensor argmax(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_argmax)(x.get(), axes_.get()));
}
inline tensor argmin(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_argmin)(x.get(), axes_.get()));
}
inline tensor any(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_any)(x.get(), axes_.get()));
}
inline tensor mean(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_mean)(x.get(), axes_.get()));
}
inline tensor variance(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_variance)(x.get(), axes_.get()));
}
inline tensor variance_ddof(const tensor &x, const axes &axes_, double ddof) {
    return detail::take((ty_variance_ddof)(x.get(), axes_.get(), ddof));
}
inline tensor std(const tensor &x, const axes &axes_ = {}, double ddof = 0) {
    return detail::take((ty_std)(x.get(), axes_.get(), ddof));
}
inline tensor average(const tensor &x, const tensor &weights, const axes &axes_ = {}) {
    return detail::take((ty_average)(x.get(), weights.get(), axes_.get()));
}
inline tensor logsumexp(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_logsumexp)(x.get(), axes_.get()));
}
inline tensor norm(const tensor &x, double order = 2, const axes &axes_ = {}) {
    return detail::take((ty_norm)(x.get(), order, axes_.get()));
}
inline tensor ptp(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_ptp)(x.get(), axes_.get()));
}
inline tensor count_nonzero(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_count_nonzero)(x.get(), axes_.get()));
}
inline tensor sum_as(const tensor &x, const axes &axes_, ty_dtype dtype_) {
    return detail::take((ty_sum_as)(x.get(), axes_.get(), dtype_));
}
inline tensor prod_as(const tensor &x, const axes &axes_, ty_dtype dtype_) {
    return detail::take((ty_prod_as)(x.get(), axes_.get(), dtype_));
}
inline tensor sum_where(const tensor &x, const axes &axes_ = {}, const tensor &where = {}, const tensor &initial = {}) {
    return detail::take((ty_sum_where)(x.get(), axes_.get(), where.get(), initial.get()));
}
inline tensor prod_where(const tensor &x, const axes &axes_ = {}, const tensor &where = {}, const tensor &initial = {}) {
    return detail::take((ty_prod_where)(x.get(), axes_.get(), where.get(), initial.get()));
}
inline tensor amax_where(const tensor &x, const axes &axes_ = {}, const tensor &where = {}, const tensor &initial = {}) {
    return detail::take((ty_amax_where)(x.get(), axes_.get(), where.get(), initial.get()));
}
inline tensor amin_where(const tensor &x, const axes &axes_ = {}, const tensor &where = {}, const tensor &initial = {}) {
    return detail::take((ty_amin_where)(x.get(), axes_.get(), where.get(), initial.get()));
}
inline tensor mean_where(const tensor &x, const axes &axes_ = {}, const tensor &where = {}) {
    return detail::take((ty_mean_where)(x.get(), axes_.get(), where.get()));
}
inline tensor any_where(const tensor &x, const axes &axes_ = {}, const tensor &where = {}) {
    return detail::take((ty_any_where)(x.get(), axes_.get(), where.get()));
}
inline tensor all_where(const tensor &x, const axes &axes_ = {}, const tensor &where = {}) {
    return detail::take((ty_all_where)(x.get(), axes_.get(), where.get()));
}
inline tensor nansum(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nansum)(x.get(), axes_.get()));
}
inline tensor nanprod(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nanprod)(x.get(), axes_.get()));
}
inline tensor nanmax(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nanmax)(x.get(), axes_.get()));
}
inline tensor nanmin(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nanmin)(x.get(), axes_.get()));
}
inline tensor nanargmax(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nanargmax)(x.get(), axes_.get()));
}
inline tensor nanargmin(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nanargmin)(x.get(), axes_.get()));
}
inline tensor nanmean(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nanmean)(x.get(), axes_.get()));
}
inline tensor nanvar(const tensor &x, const axes &axes_ = {}, double ddof = 0) {
    return detail::take((ty_nanvar)(x.get(), axes_.get(), ddof));
}
inline tensor nanstd(const tensor &x, const axes &axes_ = {}, double ddof = 0) {
    return detail::take((ty_nanstd)(x.get(), axes_.get(), ddof));
}
inline tensor cov(const tensor &x, bool rows, double ddof = 1) {
    return detail::take((ty_cov)(x.get(), rows, ddof));
}
inline tensor corrcoef(const tensor &x, bool rows) {
    return detail::take((ty_corrcoef)(x.get(), rows));
}
inline tensor cumsum(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_cumsum)(x.get(), axis, way));
}
inline tensor cumprod(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_cumprod)(x.get(), axis, way));
}
inline tensor nancumsum(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_nancumsum)(x.get(), axis, way));
}
inline tensor nancumprod(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_nancumprod)(x.get(), axis, way));
}
inline tensor cummax(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_cummax)(x.get(), axis, way));
}
inline tensor cummin(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_cummin)(x.get(), axis, way));
}
inline tensor cumargmax(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_cumargmax)(x.get(), axis, way));
}
inline tensor cumargmin(const tensor &x, int axis, const ty_running &way = {}) {
    return detail::take((ty_cumargmin)(x.get(), axis, way));
}
inline tensor linear_recurrence(const tensor &a, const tensor &b, int axis, bool reverse = false) {
    return detail::take((ty_linear_recurrence)(a.get(), b.get(), axis, reverse));
}
inline tensor logcumsumexp(const tensor &x, int axis) {
    return detail::take((ty_logcumsumexp)(x.get(), axis));
}
inline tensor diff(const tensor &x, int n = 1, int axis = -1, const tensor &prepend = {}, const tensor &append = {}) {
    return detail::take((ty_diff)(x.get(), n, axis, prepend.get(), append.get()));
}
inline tensor ediff1d(const tensor &x, const tensor &begin = {}, const tensor &end = {}) {
    return detail::take((ty_ediff1d)(x.get(), begin.get(), end.get()));
}
inline tensor unwrap(const tensor &x, const tensor &period = {}, double jump = 0, int axis = -1) {
    return detail::take((ty_unwrap)(x.get(), period.get(), jump, axis));
}
inline tensor trapezoid(const tensor &y, const tensor &at = {}, double spacing = 1, int axis = -1) {
    return detail::take((ty_trapezoid)(y.get(), at.get(), spacing, axis));
}
inline tensor central_difference(const tensor &x, double spacing = 1, int axis = 0) {
    return detail::take((ty_central_difference)(x.get(), spacing, axis));
}
inline tensor sort(const tensor &x, int axis = -1, bool descending = false) {
    return detail::take((ty_sort)(x.get(), axis, descending));
}
inline tensor argsort(const tensor &x, int axis = -1, bool descending = false) {
    return detail::take((ty_argsort)(x.get(), axis, descending));
}
inline tensor top_k(const tensor &x, int64_t k, int axis = -1, bool largest = true) {
    return detail::take((ty_top_k)(x.get(), k, axis, largest));
}
inline tensor top_k_index(const tensor &x, int64_t k, int axis = -1, bool largest = true) {
    return detail::take((ty_top_k_index)(x.get(), k, axis, largest));
}
inline tensor partition(const tensor &x, int64_t kth, int axis = -1) {
    return detail::take((ty_partition)(x.get(), kth, axis));
}
inline tensor argpartition(const tensor &x, int64_t kth, int axis = -1) {
    return detail::take((ty_argpartition)(x.get(), kth, axis));
}
inline tensor lexsort(const list &keys, int axis = -1) {
    return detail::take((ty_lexsort)(keys.count(), keys.get(), axis));
}
inline tensor ordinal(const tensor &x, int axis = -1) {
    return detail::take((ty_ordinal)(x.get(), axis));
}
inline tensor is_sorted(const tensor &x, int axis = -1) {
    return detail::take((ty_is_sorted)(x.get(), axis));
}
inline tensor searchsorted(const tensor &sorted, const tensor &x, bool right) {
    return detail::take((ty_searchsorted)(sorted.get(), x.get(), right));
}
inline tensor digitize(const tensor &x, const tensor &bins, bool right = false) {
    return detail::take((ty_digitize)(x.get(), bins.get(), right));
}
inline tensor unique(const tensor &x) {
    return detail::take((ty_unique)(x.get()));
}
struct unique_parts {
    tensor values{};
    tensor index{};
    tensor inverse{};
    tensor counts{};
    static unique_parts own(const ty_unique_parts &x_) {
        unique_parts made_;
        made_.counts = tensor::adopt(ty_own(x_.counts));
        made_.inverse = tensor::adopt(ty_own(x_.inverse));
        made_.index = tensor::adopt(ty_own(x_.index));
        made_.values = tensor::adopt(ty_own(x_.values));
        return made_;
    }
    void check() {
        detail::check(this->values);
        detail::check(this->index);
        detail::check(this->inverse);
        detail::check(this->counts);
    }
    ty_unique_parts get() const noexcept {
        ty_unique_parts made_ = {};
        made_.values = this->values.get();
        made_.index = this->index.get();
        made_.inverse = this->inverse.get();
        made_.counts = this->counts.get();
        return made_;
    }
};
inline unique_parts unique_all(const tensor &x) {
    unique_parts parts_ = unique_parts::own((ty_unique_all)(x.get()));
    parts_.check();
    return parts_;
}
inline tensor unique_slices(const tensor &x, int axis = 0) {
    return detail::take((ty_unique_slices)(x.get(), axis));
}
inline tensor union1d(const tensor &a, const tensor &b) {
    return detail::take((ty_union1d)(a.get(), b.get()));
}
inline tensor intersect1d(const tensor &a, const tensor &b) {
    return detail::take((ty_intersect1d)(a.get(), b.get()));
}
inline tensor setdiff1d(const tensor &a, const tensor &b) {
    return detail::take((ty_setdiff1d)(a.get(), b.get()));
}
inline tensor setxor1d(const tensor &a, const tensor &b) {
    return detail::take((ty_setxor1d)(a.get(), b.get()));
}
inline tensor isin(const tensor &x, const tensor &among) {
    return detail::take((ty_isin)(x.get(), among.get()));
}
inline tensor quantile(const tensor &x, const tensor &q, const axes &axes_ = {}, const cstring &method = nullptr) {
    return detail::take((ty_quantile)(x.get(), q.get(), axes_.get(), method.get()));
}
inline tensor percentile(const tensor &x, const tensor &q, const axes &axes_ = {}, const cstring &method = nullptr) {
    return detail::take((ty_percentile)(x.get(), q.get(), axes_.get(), method.get()));
}
inline tensor nanquantile(const tensor &x, const tensor &q, const axes &axes_ = {}, const cstring &method = nullptr) {
    return detail::take((ty_nanquantile)(x.get(), q.get(), axes_.get(), method.get()));
}
inline tensor nanpercentile(const tensor &x, const tensor &q, const axes &axes_ = {}, const cstring &method = nullptr) {
    return detail::take((ty_nanpercentile)(x.get(), q.get(), axes_.get(), method.get()));
}
inline tensor median(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_median)(x.get(), axes_.get()));
}
inline tensor nanmedian(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_nanmedian)(x.get(), axes_.get()));
}
inline tensor iqr(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_iqr)(x.get(), axes_.get()));
}
inline tensor mode(const tensor &x, int axis = -1) {
    return detail::take((ty_mode)(x.get(), axis));
}
inline tensor histogram(const tensor &x, int64_t bins = 10, double low = 0, double high = 0, const tensor &weights = {}, bool density = false) {
    return detail::take((ty_histogram)(x.get(), bins, low, high, weights.get(), density));
}
inline tensor histogram_bin_edges(const tensor &x, int64_t bins = 10, double low = 0, double high = 0) {
    return detail::take((ty_histogram_bin_edges)(x.get(), bins, low, high));
}
inline tensor histogram_edges(const tensor &x, const tensor &edges, const tensor &weights = {}, bool density = false) {
    return detail::take((ty_histogram_edges)(x.get(), edges.get(), weights.get(), density));
}
inline tensor histogram2d(const tensor &x, const tensor &y, const tensor &x_edges, const tensor &y_edges, const tensor &weights = {}, bool density = false) {
    return detail::take((ty_histogram2d)(x.get(), y.get(), x_edges.get(), y_edges.get(), weights.get(), density));
}
inline tensor bincount(const tensor &x, const tensor &weights = {}, int64_t least = 0) {
    return detail::take((ty_bincount)(x.get(), weights.get(), least));
}
inline tensor permutation(int64_t n, const tensor &key) {
    return detail::take((ty_permutation)(n, key.get()));
}
inline tensor shuffle(const tensor &x, int axis, const tensor &key) {
    return detail::take((ty_shuffle)(x.get(), axis, key.get()));
}
inline tensor choice(int64_t n, int64_t count, bool replace, const tensor &p, const tensor &key) {
    return detail::take((ty_choice)(n, count, replace, p.get(), key.get()));
}
inline tensor einsum(const cstring &equation, const tensor &a, const tensor &b = {}) {
    return detail::take((ty_einsum)(equation.get(), a.get(), b.get()));
}
inline tensor einsum_of(const cstring &equation, const list &operands, const ty_einsum_options &options = {}) {
    return detail::take((ty_einsum_of)(equation.get(), operands.count(), operands.get(), options));
}
inline tensor matmul(const tensor &a, const tensor &b) {
    return detail::take((ty_matmul)(a.get(), b.get()));
}
inline tensor dot_product(const tensor &a, const tensor &b) {
    return detail::take((ty_dot_product)(a.get(), b.get()));
}
inline tensor outer(const tensor &a, const tensor &b) {
    return detail::take((ty_outer)(a.get(), b.get()));
}
inline tensor inner(const tensor &a, const tensor &b) {
    return detail::take((ty_inner)(a.get(), b.get()));
}
inline tensor vdot(const tensor &a, const tensor &b) {
    return detail::take((ty_vdot)(a.get(), b.get()));
}
inline tensor tensordot(const tensor &a, const tensor &b, const shape_list &axes_a, const shape_list &axes_b) {
    return detail::take((ty_tensordot)(a.get(), b.get(), detail::same_length("tensordot", axes_a.size(), axes_b.size()), axes_a.data(), axes_b.data()));
}
inline tensor cross(const tensor &a, const tensor &b, int axis = -1) {
    return detail::take((ty_cross)(a.get(), b.get(), axis));
}
inline tensor kron(const tensor &a, const tensor &b) {
    return detail::take((ty_kron)(a.get(), b.get()));
}
inline tensor trace(const tensor &x, int64_t offset = 0, int axis1 = 0, int axis2 = 1) {
    return detail::take((ty_trace)(x.get(), offset, axis1, axis2));
}
inline tensor conv1d(const tensor &x, const tensor &w, const ty_conv &options = {}) {
    return detail::take((ty_conv1d)(x.get(), w.get(), options));
}
inline tensor conv2d(const tensor &x, const tensor &w, const ty_conv &options = {}) {
    return detail::take((ty_conv2d)(x.get(), w.get(), options));
}
inline tensor conv3d(const tensor &x, const tensor &w, const ty_conv &options = {}) {
    return detail::take((ty_conv3d)(x.get(), w.get(), options));
}
inline tensor conv_transpose1d(const tensor &x, const tensor &w, const ty_conv &options = {}) {
    return detail::take((ty_conv_transpose1d)(x.get(), w.get(), options));
}
inline tensor conv_transpose2d(const tensor &x, const tensor &w, const ty_conv &options = {}) {
    return detail::take((ty_conv_transpose2d)(x.get(), w.get(), options));
}
inline tensor conv_transpose3d(const tensor &x, const tensor &w, const ty_conv &options = {}) {
    return detail::take((ty_conv_transpose3d)(x.get(), w.get(), options));
}
inline tensor matmul_integer(const tensor &a, const tensor &b, const tensor &a_zero = {}, const tensor &b_zero = {}) {
    return detail::take((ty_matmul_integer)(a.get(), b.get(), a_zero.get(), b_zero.get()));
}
inline tensor conv_integer(const tensor &x, const tensor &w, const tensor &x_zero = {}, const tensor &w_zero = {}, const ty_conv &options = {}) {
    return detail::take((ty_conv_integer)(x.get(), w.get(), x_zero.get(), w_zero.get(), options));
}
inline tensor fft(const tensor &x, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_fft)(x.get(), n, axis, norm));
}
inline tensor ifft(const tensor &x, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_ifft)(x.get(), n, axis, norm));
}
inline tensor rfft(const tensor &x, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_rfft)(x.get(), n, axis, norm));
}
inline tensor irfft(const tensor &x, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_irfft)(x.get(), n, axis, norm));
}
inline tensor hfft(const tensor &x, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_hfft)(x.get(), n, axis, norm));
}
inline tensor ihfft(const tensor &x, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_ihfft)(x.get(), n, axis, norm));
}
inline tensor fftn(const tensor &x, const shape_list &axes_, const shape_list &sizes, ty_fft_norm norm) {
    return detail::take((ty_fftn)(x.get(), detail::longer_length("fftn", axes_.size(), sizes.size()), axes_.or_null(), sizes.or_null(), norm));
}
inline tensor ifftn(const tensor &x, const shape_list &axes_, const shape_list &sizes, ty_fft_norm norm) {
    return detail::take((ty_ifftn)(x.get(), detail::longer_length("ifftn", axes_.size(), sizes.size()), axes_.or_null(), sizes.or_null(), norm));
}
inline tensor rfftn(const tensor &x, const shape_list &axes_, const shape_list &sizes, ty_fft_norm norm) {
    return detail::take((ty_rfftn)(x.get(), detail::longer_length("rfftn", axes_.size(), sizes.size()), axes_.or_null(), sizes.or_null(), norm));
}
inline tensor irfftn(const tensor &x, const shape_list &axes_, const shape_list &sizes, ty_fft_norm norm) {
    return detail::take((ty_irfftn)(x.get(), detail::longer_length("irfftn", axes_.size(), sizes.size()), axes_.or_null(), sizes.or_null(), norm));
}
inline tensor fftshift(const tensor &x, const shape_list &axes_ = {}) {
    return detail::take((ty_fftshift)(x.get(), axes_.count(), axes_.data()));
}
inline tensor ifftshift(const tensor &x, const shape_list &axes_ = {}) {
    return detail::take((ty_ifftshift)(x.get(), axes_.count(), axes_.data()));
}
inline tensor fftfreq(ty_dtype dtype_, int64_t n, double spacing = 1) {
    return detail::take((ty_fftfreq)(dtype_, n, spacing));
}
template <class T> tensor fftfreq(int64_t n, double spacing = 1) {
    return detail::take((ty_fftfreq)(dtype_of<T>(), n, spacing));
}
inline tensor rfftfreq(ty_dtype dtype_, int64_t n, double spacing = 1) {
    return detail::take((ty_rfftfreq)(dtype_, n, spacing));
}
template <class T> tensor rfftfreq(int64_t n, double spacing = 1) {
    return detail::take((ty_rfftfreq)(dtype_of<T>(), n, spacing));
}
inline tensor interpolate(const tensor &x, const list_of<int> &axes_ = {}, const ty_interpolation &options = {}) {
    return detail::take((ty_interpolate)(x.get(), axes_.count(), axes_.data(), options));
}
inline tensor upsample(const tensor &x, int64_t factor, ty_sampling sampling, bool channels_last = false) {
    return detail::take((ty_upsample)(x.get(), factor, sampling, channels_last));
}
inline tensor grid_sample(const tensor &x, const tensor &grid, const ty_grid_options &options = {}) {
    return detail::take((ty_grid_sample)(x.get(), grid.get(), options));
}
inline tensor affine_grid(const tensor &theta, const shape_list &sizes, bool align_corners = false) {
    return detail::take((ty_affine_grid)(theta.get(), sizes.count(), sizes.data(), align_corners));
}
inline tensor roi_align(const tensor &x, const tensor &regions, const tensor &batch, const ty_roi_options &options = {}) {
    return detail::take((ty_roi_align)(x.get(), regions.get(), batch.get(), options));
}
inline tensor nms(const tensor &boxes, const tensor &scores, const ty_nms_options &options = {}) {
    return detail::take((ty_nms)(boxes.get(), scores.get(), options));
}
inline tensor nms_padded(const tensor &boxes, const tensor &scores, const ty_nms_options &options = {}) {
    return detail::take((ty_nms_padded)(boxes.get(), scores.get(), options));
}
inline tensor nms_indices(const tensor &boxes, const tensor &scores, double overlap) {
    return detail::take((ty_nms_indices)(boxes.get(), scores.get(), overlap));
}
inline int attributes(const tensor &x) {
    return (ty_attributes)(x.get());
}
inline int bodies(const tensor &x) {
    return (ty_bodies)(x.get());
}
inline int body_outputs(const tensor &x, int i) {
    return (ty_body_outputs)(x.get(), i);
}
inline tensor body_output(const tensor &x, int i, int k) {
    return detail::take((ty_body_output)(x.get(), i, k));
}
inline std::vector<tensor> replace(const list &originals, const list &replacements, const list &roots) {
    std::vector<tensor> results(roots.size());
    const bool well = (ty_replace)(detail::same_length("replace", originals.size(), replacements.size()), originals.get(), replacements.get(), roots.count(), roots.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("replace");
    return results;
}
inline tensor memory(ty_dtype dtype_, const shape_list &shape) {
    return detail::take((ty_memory)(dtype_, shape.count(), shape.data()));
}
template <class T> tensor memory(const shape_list &shape) {
    return detail::take((ty_memory)(dtype_of<T>(), shape.count(), shape.data()));
}
inline bool expose(const tensor &x) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_expose)(x.get(), &reason), reason);
}
inline bool is_read(const tensor &x) {
    return (ty_is_read)(x.get());
}
inline bool into(const tensor &destination, const tensor &x) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_into)(destination.get(), x.get(), &reason), reason);
}
inline bool into_all(const list &destinations, const list &x) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_into_all)(detail::same_length("into_all", destinations.size(), x.size()), destinations.get(), x.get(), &reason), reason);
}
inline tensor columns(const tensor &x) {
    return detail::take((ty_columns)(x.get()));
}
inline bool is_columns(const tensor &x) {
    return (ty_is_columns)(x.get());
}
inline bool keeps_order(const tensor &x) {
    return (ty_keeps_order)(x.get());
}
inline tensor hann(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_hann)(dtype_, n, periodic));
}
template <class T> tensor hann(int64_t n, bool periodic = false) {
    return detail::take((ty_hann)(dtype_of<T>(), n, periodic));
}
inline tensor hamming(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_hamming)(dtype_, n, periodic));
}
template <class T> tensor hamming(int64_t n, bool periodic = false) {
    return detail::take((ty_hamming)(dtype_of<T>(), n, periodic));
}
inline tensor blackman(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_blackman)(dtype_, n, periodic));
}
template <class T> tensor blackman(int64_t n, bool periodic = false) {
    return detail::take((ty_blackman)(dtype_of<T>(), n, periodic));
}
inline tensor nuttall(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_nuttall)(dtype_, n, periodic));
}
template <class T> tensor nuttall(int64_t n, bool periodic = false) {
    return detail::take((ty_nuttall)(dtype_of<T>(), n, periodic));
}
inline tensor blackman_harris(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_blackman_harris)(dtype_, n, periodic));
}
template <class T> tensor blackman_harris(int64_t n, bool periodic = false) {
    return detail::take((ty_blackman_harris)(dtype_of<T>(), n, periodic));
}
inline tensor flat_top(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_flat_top)(dtype_, n, periodic));
}
template <class T> tensor flat_top(int64_t n, bool periodic = false) {
    return detail::take((ty_flat_top)(dtype_of<T>(), n, periodic));
}
inline tensor bartlett(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_bartlett)(dtype_, n, periodic));
}
template <class T> tensor bartlett(int64_t n, bool periodic = false) {
    return detail::take((ty_bartlett)(dtype_of<T>(), n, periodic));
}
inline tensor triangle(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_triangle)(dtype_, n, periodic));
}
template <class T> tensor triangle(int64_t n, bool periodic = false) {
    return detail::take((ty_triangle)(dtype_of<T>(), n, periodic));
}
inline tensor half_sine(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_half_sine)(dtype_, n, periodic));
}
template <class T> tensor half_sine(int64_t n, bool periodic = false) {
    return detail::take((ty_half_sine)(dtype_of<T>(), n, periodic));
}
inline tensor bohman(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_bohman)(dtype_, n, periodic));
}
template <class T> tensor bohman(int64_t n, bool periodic = false) {
    return detail::take((ty_bohman)(dtype_of<T>(), n, periodic));
}
inline tensor parzen(ty_dtype dtype_, int64_t n, bool periodic = false) {
    return detail::take((ty_parzen)(dtype_, n, periodic));
}
template <class T> tensor parzen(int64_t n, bool periodic = false) {
    return detail::take((ty_parzen)(dtype_of<T>(), n, periodic));
}
inline tensor kaiser(ty_dtype dtype_, int64_t n, double beta, bool periodic = false) {
    return detail::take((ty_kaiser)(dtype_, n, beta, periodic));
}
template <class T> tensor kaiser(int64_t n, double beta, bool periodic = false) {
    return detail::take((ty_kaiser)(dtype_of<T>(), n, beta, periodic));
}
inline tensor gaussian_window(ty_dtype dtype_, int64_t n, double deviation, bool periodic = false) {
    return detail::take((ty_gaussian_window)(dtype_, n, deviation, periodic));
}
template <class T> tensor gaussian_window(int64_t n, double deviation, bool periodic = false) {
    return detail::take((ty_gaussian_window)(dtype_of<T>(), n, deviation, periodic));
}
inline tensor tukey(ty_dtype dtype_, int64_t n, double share, bool periodic = false) {
    return detail::take((ty_tukey)(dtype_, n, share, periodic));
}
template <class T> tensor tukey(int64_t n, double share, bool periodic = false) {
    return detail::take((ty_tukey)(dtype_of<T>(), n, share, periodic));
}
inline tensor exponential_window(ty_dtype dtype_, int64_t n, double decay, bool periodic = false) {
    return detail::take((ty_exponential_window)(dtype_, n, decay, periodic));
}
template <class T> tensor exponential_window(int64_t n, double decay, bool periodic = false) {
    return detail::take((ty_exponential_window)(dtype_of<T>(), n, decay, periodic));
}
inline tensor cosine_window(ty_dtype dtype_, int64_t n, const tensor &weights, bool periodic = false) {
    return detail::take((ty_cosine_window)(dtype_, n, weights.get(), periodic));
}
template <class T> tensor cosine_window(int64_t n, const tensor &weights, bool periodic = false) {
    return detail::take((ty_cosine_window)(dtype_of<T>(), n, weights.get(), periodic));
}
inline tensor dct(const tensor &x, int type, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_dct)(x.get(), type, n, axis, norm));
}
inline tensor idct(const tensor &x, int type, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_idct)(x.get(), type, n, axis, norm));
}
inline tensor dst(const tensor &x, int type, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_dst)(x.get(), type, n, axis, norm));
}
inline tensor idst(const tensor &x, int type, int64_t n, int axis, ty_fft_norm norm) {
    return detail::take((ty_idst)(x.get(), type, n, axis, norm));
}
inline tensor convolve(const tensor &a, const tensor &b, ty_overlap overlap) {
    return detail::take((ty_convolve)(a.get(), b.get(), overlap));
}
inline tensor correlate(const tensor &a, const tensor &b, ty_overlap overlap) {
    return detail::take((ty_correlate)(a.get(), b.get(), overlap));
}
inline tensor fft_convolve(const tensor &a, const tensor &b, ty_overlap overlap, const shape_list &axes_ = {}) {
    return detail::take((ty_fft_convolve)(a.get(), b.get(), overlap, axes_.count(), axes_.data()));
}
struct stft_options {
    int64_t size{};
    int64_t step{};
    int64_t n{};
    tensor window{};
    bool plain{};
    static stft_options own(const ty_stft_options &x_) {
        stft_options made_;
        made_.window = tensor::adopt(ty_own(x_.window));
        made_.size = x_.size;
        made_.step = x_.step;
        made_.n = x_.n;
        made_.plain = x_.plain;
        return made_;
    }
    void check() {
        detail::check(this->window);
    }
    ty_stft_options get() const noexcept {
        ty_stft_options made_ = {};
        made_.size = this->size;
        made_.step = this->step;
        made_.n = this->n;
        made_.window = this->window.get();
        made_.plain = this->plain;
        return made_;
    }
};
inline tensor stft(const tensor &x, const stft_options &options = {}) {
    return detail::take((ty_stft)(x.get(), options.get()));
}
inline tensor istft(const tensor &spectra, const stft_options &options, bool real) {
    return detail::take((ty_istft)(spectra.get(), options.get(), real));
}
inline tensor spectrogram(const tensor &x, const stft_options &options, double rate) {
    return detail::take((ty_spectrogram)(x.get(), options.get(), rate));
}
inline tensor analytic_signal(const tensor &x, int axis = -1) {
    return detail::take((ty_analytic_signal)(x.get(), axis));
}
inline tensor filter(const tensor &b, const tensor &a, const tensor &x, int axis = -1) {
    return detail::take((ty_filter)(b.get(), a.get(), x.get(), axis));
}
inline tensor filter_both(const tensor &b, const tensor &a, const tensor &x, int axis = -1) {
    return detail::take((ty_filter_both)(b.get(), a.get(), x.get(), axis));
}
inline tensor filter_sections(const tensor &sections, const tensor &x, int axis = -1) {
    return detail::take((ty_filter_sections)(sections.get(), x.get(), axis));
}
inline tensor filter_sections_both(const tensor &sections, const tensor &x, int axis = -1) {
    return detail::take((ty_filter_sections_both)(sections.get(), x.get(), axis));
}
inline tensor butterworth(int order, ty_band band, double low, double high = 0) {
    return detail::take((ty_butterworth)(order, band, low, high));
}
inline tensor chebyshev(int order, double ripple, ty_band band, double low, double high = 0) {
    return detail::take((ty_chebyshev)(order, ripple, band, low, high));
}
inline tensor chebyshev_inverse(int order, double attenuation, ty_band band, double low, double high = 0) {
    return detail::take((ty_chebyshev_inverse)(order, attenuation, band, low, high));
}
inline tensor elliptic(int order, double ripple, double attenuation, ty_band band, double low, double high = 0) {
    return detail::take((ty_elliptic)(order, ripple, attenuation, band, low, high));
}
inline tensor fir(int64_t taps, ty_band band, double low, double high = 0, const tensor &window = {}) {
    return detail::take((ty_fir)(taps, band, low, high, window.get()));
}
inline tensor filter_response(const tensor &b, const tensor &a, const tensor &at) {
    return detail::take((ty_filter_response)(b.get(), a.get(), at.get()));
}
inline tensor filter_sections_response(const tensor &sections, const tensor &at) {
    return detail::take((ty_filter_sections_response)(sections.get(), at.get()));
}
struct filtered_parts {
    tensor y{};
    tensor state{};
    static filtered_parts own(const ty_filtered_parts &x_) {
        filtered_parts made_;
        made_.state = tensor::adopt(ty_own(x_.state));
        made_.y = tensor::adopt(ty_own(x_.y));
        return made_;
    }
    void check() {
        detail::check(this->y);
        detail::check(this->state);
    }
    ty_filtered_parts get() const noexcept {
        ty_filtered_parts made_ = {};
        made_.y = this->y.get();
        made_.state = this->state.get();
        return made_;
    }
};
inline filtered_parts filter_from(const tensor &b, const tensor &a, const tensor &x, const tensor &state = {}, int axis = -1) {
    filtered_parts parts_ = filtered_parts::own((ty_filter_from)(b.get(), a.get(), x.get(), state.get(), axis));
    parts_.check();
    return parts_;
}
inline filtered_parts filter_sections_from(const tensor &sections, const tensor &x, const tensor &state = {}, int axis = -1) {
    filtered_parts parts_ = filtered_parts::own((ty_filter_sections_from)(sections.get(), x.get(), state.get(), axis));
    parts_.check();
    return parts_;
}
inline tensor filter_steady(const tensor &b, const tensor &a) {
    return detail::take((ty_filter_steady)(b.get(), a.get()));
}
inline tensor filter_sections_steady(const tensor &sections) {
    return detail::take((ty_filter_sections_steady)(sections.get()));
}
inline tensor resample(const tensor &x, int64_t n, int axis = -1) {
    return detail::take((ty_resample)(x.get(), n, axis));
}
inline tensor resample_ratio(const tensor &x, int64_t up, int64_t down, const tensor &h = {}, int axis = -1) {
    return detail::take((ty_resample_ratio)(x.get(), up, down, h.get(), axis));
}
inline tensor savgol(const tensor &x, int64_t length, int64_t degree, int64_t derivative = 0, double delta = 1, int axis = -1) {
    return detail::take((ty_savgol)(x.get(), length, degree, derivative, delta, axis));
}
struct peaks_options {
    tensor height{};
    double threshold{};
    int64_t distance{};
    double prominence{};
    double width{};
    double relative_height{};
    int64_t window{};
    int64_t plateau{};
    tensor most_height{};
    double most_threshold{};
    int64_t most_plateau{};
    static peaks_options own(const ty_peaks_options &x_) {
        peaks_options made_;
        made_.most_height = tensor::adopt(ty_own(x_.most_height));
        made_.height = tensor::adopt(ty_own(x_.height));
        made_.threshold = x_.threshold;
        made_.distance = x_.distance;
        made_.prominence = x_.prominence;
        made_.width = x_.width;
        made_.relative_height = x_.relative_height;
        made_.window = x_.window;
        made_.plateau = x_.plateau;
        made_.most_threshold = x_.most_threshold;
        made_.most_plateau = x_.most_plateau;
        return made_;
    }
    void check() {
        detail::check(this->height);
        detail::check(this->most_height);
    }
    ty_peaks_options get() const noexcept {
        ty_peaks_options made_ = {};
        made_.height = this->height.get();
        made_.threshold = this->threshold;
        made_.distance = this->distance;
        made_.prominence = this->prominence;
        made_.width = this->width;
        made_.relative_height = this->relative_height;
        made_.window = this->window;
        made_.plateau = this->plateau;
        made_.most_height = this->most_height.get();
        made_.most_threshold = this->most_threshold;
        made_.most_plateau = this->most_plateau;
        return made_;
    }
};
struct peaks {
    tensor at{};
    tensor heights{};
    tensor prominences{};
    tensor left_bases{};
    tensor right_bases{};
    tensor widths{};
    tensor width_heights{};
    tensor left_ends{};
    tensor right_ends{};
    tensor plateaus{};
    static peaks own(const ty_peaks &x_) {
        peaks made_;
        made_.plateaus = tensor::adopt(ty_own(x_.plateaus));
        made_.right_ends = tensor::adopt(ty_own(x_.right_ends));
        made_.left_ends = tensor::adopt(ty_own(x_.left_ends));
        made_.width_heights = tensor::adopt(ty_own(x_.width_heights));
        made_.widths = tensor::adopt(ty_own(x_.widths));
        made_.right_bases = tensor::adopt(ty_own(x_.right_bases));
        made_.left_bases = tensor::adopt(ty_own(x_.left_bases));
        made_.prominences = tensor::adopt(ty_own(x_.prominences));
        made_.heights = tensor::adopt(ty_own(x_.heights));
        made_.at = tensor::adopt(ty_own(x_.at));
        return made_;
    }
    void check() {
        detail::check(this->at);
        detail::check(this->heights);
        detail::check(this->prominences);
        detail::check(this->left_bases);
        detail::check(this->right_bases);
        detail::check(this->widths);
        detail::check(this->width_heights);
        detail::check(this->left_ends);
        detail::check(this->right_ends);
        detail::check(this->plateaus);
    }
    ty_peaks get() const noexcept {
        ty_peaks made_ = {};
        made_.at = this->at.get();
        made_.heights = this->heights.get();
        made_.prominences = this->prominences.get();
        made_.left_bases = this->left_bases.get();
        made_.right_bases = this->right_bases.get();
        made_.widths = this->widths.get();
        made_.width_heights = this->width_heights.get();
        made_.left_ends = this->left_ends.get();
        made_.right_ends = this->right_ends.get();
        made_.plateaus = this->plateaus.get();
        return made_;
    }
};
inline peaks find_peaks(const tensor &x, const peaks_options &options = {}) {
    peaks parts_ = peaks::own((ty_find_peaks)(x.get(), options.get()));
    parts_.check();
    return parts_;
}
inline tensor hyp2f1(const tensor &a, const tensor &b, const tensor &c, const tensor &x) {
    return detail::take((ty_hyp2f1)(a.get(), b.get(), c.get(), x.get()));
}
inline tensor eval_jacobi(int n, const tensor &alpha, const tensor &beta, const tensor &x) {
    return detail::take((ty_eval_jacobi)(n, alpha.get(), beta.get(), x.get()));
}
inline tensor pdf(ty_distribution d, const tensor &x, const list &parameters) {
    return detail::take((ty_pdf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor logpdf(ty_distribution d, const tensor &x, const list &parameters) {
    return detail::take((ty_logpdf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor cdf(ty_distribution d, const tensor &x, const list &parameters) {
    return detail::take((ty_cdf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor logcdf(ty_distribution d, const tensor &x, const list &parameters) {
    return detail::take((ty_logcdf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor sf(ty_distribution d, const tensor &x, const list &parameters) {
    return detail::take((ty_sf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor logsf(ty_distribution d, const tensor &x, const list &parameters) {
    return detail::take((ty_logsf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor ppf(ty_distribution d, const tensor &p, const list &parameters) {
    return detail::take((ty_ppf)(d, p.get(), parameters.count(), parameters.get()));
}
inline tensor isf(ty_distribution d, const tensor &p, const list &parameters) {
    return detail::take((ty_isf)(d, p.get(), parameters.count(), parameters.get()));
}
inline tensor distribution_mean(ty_distribution d, const list &parameters) {
    return detail::take((ty_distribution_mean)(d, parameters.count(), parameters.get()));
}
inline tensor distribution_variance(ty_distribution d, const list &parameters) {
    return detail::take((ty_distribution_variance)(d, parameters.count(), parameters.get()));
}
inline tensor distribution_entropy(ty_distribution d, const list &parameters) {
    return detail::take((ty_distribution_entropy)(d, parameters.count(), parameters.get()));
}
inline tensor draw(ty_distribution d, ty_dtype dtype_, const shape_list &shape, const list &parameters, const tensor &key) {
    return detail::take((ty_draw)(d, dtype_, shape.count(), shape.data(), parameters.count(), parameters.get(), key.get()));
}
inline tensor multivariate_pdf(ty_multivariate d, const tensor &x, const list &parameters) {
    return detail::take((ty_multivariate_pdf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor multivariate_logpdf(ty_multivariate d, const tensor &x, const list &parameters) {
    return detail::take((ty_multivariate_logpdf)(d, x.get(), parameters.count(), parameters.get()));
}
inline tensor multivariate_mean(ty_multivariate d, const list &parameters) {
    return detail::take((ty_multivariate_mean)(d, parameters.count(), parameters.get()));
}
inline tensor multivariate_variance(ty_multivariate d, const list &parameters) {
    return detail::take((ty_multivariate_variance)(d, parameters.count(), parameters.get()));
}
inline tensor multivariate_covariance(ty_multivariate d, const list &parameters) {
    return detail::take((ty_multivariate_covariance)(d, parameters.count(), parameters.get()));
}
inline tensor multivariate_entropy(ty_multivariate d, const list &parameters) {
    return detail::take((ty_multivariate_entropy)(d, parameters.count(), parameters.get()));
}
inline tensor multivariate_draw(ty_multivariate d, ty_dtype dtype_, const shape_list &shape, const list &parameters, const tensor &key) {
    return detail::take((ty_multivariate_draw)(d, dtype_, shape.count(), shape.data(), parameters.count(), parameters.get(), key.get()));
}
struct distance_options {
    ty_distance distance{};
    double p{};
    tensor parameter{};
    static distance_options own(const ty_distance_options &x_) {
        distance_options made_;
        made_.parameter = tensor::adopt(ty_own(x_.parameter));
        made_.distance = x_.distance;
        made_.p = x_.p;
        return made_;
    }
    void check() {
        detail::check(this->parameter);
    }
    ty_distance_options get() const noexcept {
        ty_distance_options made_ = {};
        made_.distance = this->distance;
        made_.p = this->p;
        made_.parameter = this->parameter.get();
        return made_;
    }
};
inline tensor cdist(const tensor &a, const tensor &b, const distance_options &options = {}) {
    return detail::take((ty_cdist)(a.get(), b.get(), options.get()));
}
inline tensor pdist(const tensor &x, const distance_options &options = {}) {
    return detail::take((ty_pdist)(x.get(), options.get()));
}
inline tensor squareform(const tensor &distances) {
    return detail::take((ty_squareform)(distances.get()));
}
struct neighbours {
    tensor distances{};
    tensor indices{};
    static neighbours own(const ty_neighbours &x_) {
        neighbours made_;
        made_.indices = tensor::adopt(ty_own(x_.indices));
        made_.distances = tensor::adopt(ty_own(x_.distances));
        return made_;
    }
    void check() {
        detail::check(this->distances);
        detail::check(this->indices);
    }
    ty_neighbours get() const noexcept {
        ty_neighbours made_ = {};
        made_.distances = this->distances.get();
        made_.indices = this->indices.get();
        return made_;
    }
};
inline neighbours nearest_points(const tensor &points, const tensor &queries, int64_t k, const distance_options &options = {}) {
    neighbours parts_ = neighbours::own((ty_nearest_points)(points.get(), queries.get(), k, options.get()));
    parts_.check();
    return parts_;
}
struct radius_neighbours {
    tensor starts{};
    tensor distances{};
    tensor indices{};
    static radius_neighbours own(const ty_radius_neighbours &x_) {
        radius_neighbours made_;
        made_.indices = tensor::adopt(ty_own(x_.indices));
        made_.distances = tensor::adopt(ty_own(x_.distances));
        made_.starts = tensor::adopt(ty_own(x_.starts));
        return made_;
    }
    void check() {
        detail::check(this->starts);
        detail::check(this->distances);
        detail::check(this->indices);
    }
    ty_radius_neighbours get() const noexcept {
        ty_radius_neighbours made_ = {};
        made_.starts = this->starts.get();
        made_.distances = this->distances.get();
        made_.indices = this->indices.get();
        return made_;
    }
};
inline radius_neighbours points_within(const tensor &points, const tensor &queries, double radius, const distance_options &options = {}) {
    radius_neighbours parts_ = radius_neighbours::own((ty_points_within)(points.get(), queries.get(), radius, options.get()));
    parts_.check();
    return parts_;
}
inline tensor knn_regress(const tensor &points, const tensor &values, const tensor &queries, int64_t k, const ty_knn_options &options = {}) {
    return detail::take((ty_knn_regress)(points.get(), values.get(), queries.get(), k, options));
}
inline tensor knn_classify(const tensor &points, const tensor &labels, int64_t classes, const tensor &queries, int64_t k, const ty_knn_options &options = {}) {
    return detail::take((ty_knn_classify)(points.get(), labels.get(), classes, queries.get(), k, options));
}
struct kmeans_options {
    int64_t clusters{};
    tensor key{};
    tensor centres{};
    int64_t starts{};
    int64_t iterations{};
    double tolerance{};
    static kmeans_options own(const ty_kmeans_options &x_) {
        kmeans_options made_;
        made_.centres = tensor::adopt(ty_own(x_.centres));
        made_.key = tensor::adopt(ty_own(x_.key));
        made_.clusters = x_.clusters;
        made_.starts = x_.starts;
        made_.iterations = x_.iterations;
        made_.tolerance = x_.tolerance;
        return made_;
    }
    void check() {
        detail::check(this->key);
        detail::check(this->centres);
    }
    ty_kmeans_options get() const noexcept {
        ty_kmeans_options made_ = {};
        made_.clusters = this->clusters;
        made_.key = this->key.get();
        made_.centres = this->centres.get();
        made_.starts = this->starts;
        made_.iterations = this->iterations;
        made_.tolerance = this->tolerance;
        return made_;
    }
};
struct kmeans_parts {
    tensor centres{};
    tensor labels{};
    tensor inertia{};
    tensor iterations{};
    tensor converged{};
    static kmeans_parts own(const ty_kmeans_parts &x_) {
        kmeans_parts made_;
        made_.converged = tensor::adopt(ty_own(x_.converged));
        made_.iterations = tensor::adopt(ty_own(x_.iterations));
        made_.inertia = tensor::adopt(ty_own(x_.inertia));
        made_.labels = tensor::adopt(ty_own(x_.labels));
        made_.centres = tensor::adopt(ty_own(x_.centres));
        return made_;
    }
    void check() {
        detail::check(this->centres);
        detail::check(this->labels);
        detail::check(this->inertia);
        detail::check(this->iterations);
        detail::check(this->converged);
    }
    ty_kmeans_parts get() const noexcept {
        ty_kmeans_parts made_ = {};
        made_.centres = this->centres.get();
        made_.labels = this->labels.get();
        made_.inertia = this->inertia.get();
        made_.iterations = this->iterations.get();
        made_.converged = this->converged.get();
        return made_;
    }
};
inline kmeans_parts kmeans(const tensor &points, const kmeans_options &options = {}) {
    kmeans_parts parts_ = kmeans_parts::own((ty_kmeans)(points.get(), options.get()));
    parts_.check();
    return parts_;
}
struct dbscan_parts {
    tensor labels{};
    tensor cores{};
    tensor clusters{};
    static dbscan_parts own(const ty_dbscan_parts &x_) {
        dbscan_parts made_;
        made_.clusters = tensor::adopt(ty_own(x_.clusters));
        made_.cores = tensor::adopt(ty_own(x_.cores));
        made_.labels = tensor::adopt(ty_own(x_.labels));
        return made_;
    }
    void check() {
        detail::check(this->labels);
        detail::check(this->cores);
        detail::check(this->clusters);
    }
    ty_dbscan_parts get() const noexcept {
        ty_dbscan_parts made_ = {};
        made_.labels = this->labels.get();
        made_.cores = this->cores.get();
        made_.clusters = this->clusters.get();
        return made_;
    }
};
inline dbscan_parts dbscan(const tensor &points, const ty_dbscan_options &options = {}) {
    dbscan_parts parts_ = dbscan_parts::own((ty_dbscan)(points.get(), options));
    parts_.check();
    return parts_;
}
inline tensor central_moment(const tensor &x, int order = 2, const axes &axes_ = {}) {
    return detail::take((ty_central_moment)(x.get(), order, axes_.get()));
}
inline tensor skew(const tensor &x, const axes &axes_, bool unbiased) {
    return detail::take((ty_skew)(x.get(), axes_.get(), unbiased));
}
inline tensor kurtosis(const tensor &x, const axes &axes_, bool pearson, bool unbiased) {
    return detail::take((ty_kurtosis)(x.get(), axes_.get(), pearson, unbiased));
}
inline tensor sem(const tensor &x, const axes &axes_ = {}, double ddof = 1) {
    return detail::take((ty_sem)(x.get(), axes_.get(), ddof));
}
inline tensor mad(const tensor &x, const axes &axes_ = {}, double scale = 1) {
    return detail::take((ty_mad)(x.get(), axes_.get(), scale));
}
inline tensor gmean(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_gmean)(x.get(), axes_.get()));
}
inline tensor hmean(const tensor &x, const axes &axes_ = {}) {
    return detail::take((ty_hmean)(x.get(), axes_.get()));
}
inline tensor variation(const tensor &x, const axes &axes_ = {}, double ddof = 0) {
    return detail::take((ty_variation)(x.get(), axes_.get(), ddof));
}
inline tensor zscore(const tensor &x, const axes &axes_ = {}, double ddof = 0) {
    return detail::take((ty_zscore)(x.get(), axes_.get(), ddof));
}
inline tensor trim_mean(const tensor &x, double share, int axis = -1) {
    return detail::take((ty_trim_mean)(x.get(), share, axis));
}
inline tensor entropy(const tensor &x, const tensor &other = {}, int axis = -1) {
    return detail::take((ty_entropy)(x.get(), other.get(), axis));
}
inline tensor rankdata(const tensor &x, int axis, ty_ties ties) {
    return detail::take((ty_rankdata)(x.get(), axis, ties));
}
inline tensor ecdf(const tensor &sample, const tensor &x) {
    return detail::take((ty_ecdf)(sample.get(), x.get()));
}
inline tensor kde(const tensor &sample, const tensor &x, double bandwidth = 0, const tensor &weights = {}) {
    return detail::take((ty_kde)(sample.get(), x.get(), bandwidth, weights.get()));
}
inline tensor autocorrelation(const tensor &x, int64_t lags, int axis = -1) {
    return detail::take((ty_autocorrelation)(x.get(), lags, axis));
}
inline tensor autocovariance(const tensor &x, int64_t lags, int axis = -1) {
    return detail::take((ty_autocovariance)(x.get(), lags, axis));
}
struct test {
    tensor statistic{};
    tensor p{};
    tensor freedom{};
    tensor freedom2{};
    static test own(const ty_test &x_) {
        test made_;
        made_.freedom2 = tensor::adopt(ty_own(x_.freedom2));
        made_.freedom = tensor::adopt(ty_own(x_.freedom));
        made_.p = tensor::adopt(ty_own(x_.p));
        made_.statistic = tensor::adopt(ty_own(x_.statistic));
        return made_;
    }
    void check() {
        detail::check(this->statistic);
        detail::check(this->p);
        detail::check(this->freedom);
        detail::check(this->freedom2);
    }
    ty_test get() const noexcept {
        ty_test made_ = {};
        made_.statistic = this->statistic.get();
        made_.p = this->p.get();
        made_.freedom = this->freedom.get();
        made_.freedom2 = this->freedom2.get();
        return made_;
    }
};
inline test ztest(const tensor &x, const tensor &mean, const tensor &deviation, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_ztest)(x.get(), mean.get(), deviation.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test ztest_ind(const tensor &x, const tensor &y, const tensor &difference, const tensor &deviation_x, const tensor &deviation_y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_ztest_ind)(x.get(), y.get(), difference.get(), deviation_x.get(), deviation_y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test ttest_1samp(const tensor &x, const tensor &mean, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_ttest_1samp)(x.get(), mean.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test ttest_ind(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_ttest_ind)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test ttest_rel(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_ttest_rel)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test f_oneway(const list &x, int axis = -1) {
    test parts_ = test::own((ty_f_oneway)(x.count(), x.get(), axis));
    parts_.check();
    return parts_;
}
inline test variance_test(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_variance_test)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test bartlett_test(const list &x, int axis = -1) {
    test parts_ = test::own((ty_bartlett_test)(x.count(), x.get(), axis));
    parts_.check();
    return parts_;
}
inline test levene(const list &x, int axis = -1) {
    test parts_ = test::own((ty_levene)(x.count(), x.get(), axis));
    parts_.check();
    return parts_;
}
inline test kstest(const tensor &x, ty_distribution d, const list &parameters, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_kstest)(x.get(), d, parameters.count(), parameters.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test ks_2samp(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_ks_2samp)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test anderson(const tensor &x, int axis = -1) {
    test parts_ = test::own((ty_anderson)(x.get(), axis));
    parts_.check();
    return parts_;
}
inline test anderson_of(const tensor &x, ty_distribution d, const list &parameters, int axis = -1) {
    test parts_ = test::own((ty_anderson_of)(x.get(), d, parameters.count(), parameters.get(), axis));
    parts_.check();
    return parts_;
}
inline test jarque_bera(const tensor &x, int axis = -1) {
    test parts_ = test::own((ty_jarque_bera)(x.get(), axis));
    parts_.check();
    return parts_;
}
inline test shapiro(const tensor &x, int axis = -1) {
    test parts_ = test::own((ty_shapiro)(x.get(), axis));
    parts_.check();
    return parts_;
}
inline test runs_test(const tensor &x, const tensor &cutoff = {}, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_runs_test)(x.get(), cutoff.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test chisquare(const tensor &observed, const tensor &expected = {}, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_chisquare)(observed.get(), expected.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test chi2_contingency(const tensor &table, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_chi2_contingency)(table.get(), o));
    parts_.check();
    return parts_;
}
inline test fisher_exact(const tensor &table, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_fisher_exact)(table.get(), o));
    parts_.check();
    return parts_;
}
inline test mannwhitneyu(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_mannwhitneyu)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test wilcoxon(const tensor &x, const tensor &y = {}, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_wilcoxon)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test kruskal(const list &x, int axis = -1) {
    test parts_ = test::own((ty_kruskal)(x.count(), x.get(), axis));
    parts_.check();
    return parts_;
}
inline test friedman(const list &x, int axis = -1) {
    test parts_ = test::own((ty_friedman)(x.count(), x.get(), axis));
    parts_.check();
    return parts_;
}
inline test pearsonr(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_pearsonr)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test spearmanr(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_spearmanr)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline test kendalltau(const tensor &x, const tensor &y, int axis = -1, const ty_test_options &o = {}) {
    test parts_ = test::own((ty_kendalltau)(x.get(), y.get(), axis, o));
    parts_.check();
    return parts_;
}
inline tensor adjust_p(const tensor &p, int axis, ty_adjustment adjustment) {
    return detail::take((ty_adjust_p)(p.get(), axis, adjustment));
}
inline tensor split_rhat(const tensor &draws) {
    return detail::take((ty_split_rhat)(draws.get()));
}
inline tensor effective_size(const tensor &draws) {
    return detail::take((ty_effective_size)(draws.get()));
}
inline std::vector<tensor> jacobian(const tensor &y, const list &x, int64_t max_bytes) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_jacobian)(y.get(), x.count(), x.get(), max_bytes, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("jacobian");
    return results;
}
inline std::vector<tensor> hessian(const tensor &y, const list &x, int64_t max_bytes) {
    std::vector<tensor> results(x.size() * x.size());
    const bool well = (ty_hessian)(y.get(), x.count(), x.get(), max_bytes, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("hessian");
    return results;
}
inline std::vector<tensor> hvp(const tensor &y, const list &x, const list &v) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_hvp)(y.get(), detail::same_length("hvp", x.size(), v.size()), x.get(), v.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("hvp");
    return results;
}
inline std::vector<tensor> grad_vhv(const tensor &y, const list &x, const list &v) {
    std::vector<tensor> results(x.size());
    const bool well = (ty_grad_vhv)(y.get(), detail::same_length("grad_vhv", x.size(), v.size()), x.get(), v.get(), detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("grad_vhv");
    return results;
}
inline tensor laplacian(const tensor &y, const list &x) {
    return detail::take((ty_laplacian)(y.get(), x.count(), x.get()));
}
inline tensor derivative(const tensor &y, const tensor &x, int order) {
    return detail::take((ty_derivative)(y.get(), x.get(), order));
}
inline std::vector<tensor> taylor(const tensor &y, const list &x, const list &v, int order) {
    std::vector<tensor> results(static_cast<std::size_t>(order < 0 ? 0 : order + 1));
    const bool well = (ty_taylor)(y.get(), detail::same_length("taylor", x.size(), v.size()), x.get(), v.get(), order, detail::pointers(results.data()));
    detail::take_all(results.size(), results.data());
    if (!TY_LIKELY(well)) detail::refuse_count("taylor");
    return results;
}
inline tensor apply(const ty_custom &rule, const list &x) {
    return detail::take((ty_apply)(rule, x.count(), x.get()));
}
inline tensor dense_entries(const tensor &values, const tensor &indices, int64_t rows, int64_t columns) {
    return detail::take((ty_dense_entries)(values.get(), indices.get(), rows, columns));
}
struct sparse {
    ty_sparse_form form{};
    int64_t rows{};
    int64_t columns{};
    tensor values{};
    tensor indices{};
    tensor starts{};
    static sparse own(const ty_sparse &x_) {
        sparse made_;
        made_.starts = tensor::adopt(ty_own(x_.starts));
        made_.indices = tensor::adopt(ty_own(x_.indices));
        made_.values = tensor::adopt(ty_own(x_.values));
        made_.form = x_.form;
        made_.rows = x_.rows;
        made_.columns = x_.columns;
        return made_;
    }
    void check() {
        detail::check(this->values);
        detail::check(this->indices);
        detail::check(this->starts);
    }
    ty_sparse get() const noexcept {
        ty_sparse made_ = {};
        made_.form = this->form;
        made_.rows = this->rows;
        made_.columns = this->columns;
        made_.values = this->values.get();
        made_.indices = this->indices.get();
        made_.starts = this->starts.get();
        return made_;
    }
};
inline sparse sparse_coo(const tensor &values, const tensor &indices, int64_t rows, int64_t columns) {
    sparse parts_ = sparse::own((ty_sparse_coo)(values.get(), indices.get(), rows, columns));
    parts_.check();
    return parts_;
}
inline sparse sparse_csr(const tensor &values, const tensor &indices, const tensor &starts, int64_t columns) {
    sparse parts_ = sparse::own((ty_sparse_csr)(values.get(), indices.get(), starts.get(), columns));
    parts_.check();
    return parts_;
}
inline sparse sparse_csc(const tensor &values, const tensor &indices, const tensor &starts, int64_t rows) {
    sparse parts_ = sparse::own((ty_sparse_csc)(values.get(), indices.get(), starts.get(), rows));
    parts_.check();
    return parts_;
}
inline sparse sparse_from_dense(const tensor &x, ty_sparse_form form) {
    sparse parts_ = sparse::own((ty_sparse_from_dense)(x.get(), form));
    parts_.check();
    return parts_;
}
inline sparse sparse_identity(ty_dtype dtype_, int64_t n) {
    sparse parts_ = sparse::own((ty_sparse_identity)(dtype_, n));
    parts_.check();
    return parts_;
}
inline sparse sparse_diagonals(const list &diagonals, const shape_list &offsets, int64_t rows, int64_t columns) {
    sparse parts_ = sparse::own((ty_sparse_diagonals)(detail::same_length("sparse_diagonals", diagonals.size(), offsets.size()), diagonals.get(), offsets.data(), rows, columns));
    parts_.check();
    return parts_;
}
inline sparse sparse_with(const sparse &a, const tensor &values) {
    sparse parts_ = sparse::own((ty_sparse_with)(a.get(), values.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_cast(const sparse &a, ty_dtype dtype_) {
    sparse parts_ = sparse::own((ty_sparse_cast)(a.get(), dtype_));
    parts_.check();
    return parts_;
}
inline sparse sparse_as(const sparse &a, ty_sparse_form form) {
    sparse parts_ = sparse::own((ty_sparse_as)(a.get(), form));
    parts_.check();
    return parts_;
}
inline tensor sparse_to_dense(const sparse &a) {
    return detail::take((ty_sparse_to_dense)(a.get()));
}
inline sparse sparse_transpose(const sparse &a) {
    sparse parts_ = sparse::own((ty_sparse_transpose)(a.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_adjoint(const sparse &a) {
    sparse parts_ = sparse::own((ty_sparse_adjoint)(a.get()));
    parts_.check();
    return parts_;
}
inline tensor sparse_matmul(const sparse &a, const tensor &x) {
    return detail::take((ty_sparse_matmul)(a.get(), x.get()));
}
inline tensor sparse_rmatmul(const tensor &x, const sparse &a) {
    return detail::take((ty_sparse_rmatmul)(x.get(), a.get()));
}
inline sparse sparse_product(const sparse &a, const sparse &b) {
    sparse parts_ = sparse::own((ty_sparse_product)(a.get(), b.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_sampled(const sparse &a, const tensor &x, const tensor &y) {
    sparse parts_ = sparse::own((ty_sparse_sampled)(a.get(), x.get(), y.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_add(const sparse &a, const sparse &b) {
    sparse parts_ = sparse::own((ty_sparse_add)(a.get(), b.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_sub(const sparse &a, const sparse &b) {
    sparse parts_ = sparse::own((ty_sparse_sub)(a.get(), b.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_mul(const sparse &a, const sparse &b) {
    sparse parts_ = sparse::own((ty_sparse_mul)(a.get(), b.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_scale(const sparse &a, const tensor &x) {
    sparse parts_ = sparse::own((ty_sparse_scale)(a.get(), x.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_slice(const sparse &a, int axis, int64_t start, int64_t stop, int64_t step_) {
    sparse parts_ = sparse::own((ty_sparse_slice)(a.get(), axis, start, stop, step_));
    parts_.check();
    return parts_;
}
inline sparse sparse_take(const sparse &a, const tensor &index_, int axis) {
    sparse parts_ = sparse::own((ty_sparse_take)(a.get(), index_.get(), axis));
    parts_.check();
    return parts_;
}
inline sparse sparse_keep(const sparse &a, const tensor &mask) {
    sparse parts_ = sparse::own((ty_sparse_keep)(a.get(), mask.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_drop_zeros(const sparse &a) {
    sparse parts_ = sparse::own((ty_sparse_drop_zeros)(a.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_tril(const sparse &a, int64_t k) {
    sparse parts_ = sparse::own((ty_sparse_tril)(a.get(), k));
    parts_.check();
    return parts_;
}
inline sparse sparse_triu(const sparse &a, int64_t k) {
    sparse parts_ = sparse::own((ty_sparse_triu)(a.get(), k));
    parts_.check();
    return parts_;
}
inline tensor sparse_row_of(const sparse &a) {
    return detail::take((ty_sparse_row_of)(a.get()));
}
inline tensor sparse_column_of(const sparse &a) {
    return detail::take((ty_sparse_column_of)(a.get()));
}
inline tensor sparse_sum(const sparse &a, const axes &axes_ = {}) {
    return detail::take((ty_sparse_sum)(a.get(), axes_.get()));
}
inline tensor sparse_mean(const sparse &a, const axes &axes_ = {}) {
    return detail::take((ty_sparse_mean)(a.get(), axes_.get()));
}
inline tensor sparse_max(const sparse &a, const axes &axes_ = {}) {
    return detail::take((ty_sparse_max)(a.get(), axes_.get()));
}
inline tensor sparse_min(const sparse &a, const axes &axes_ = {}) {
    return detail::take((ty_sparse_min)(a.get(), axes_.get()));
}
inline tensor sparse_norm(const sparse &a) {
    return detail::take((ty_sparse_norm)(a.get()));
}
inline tensor sparse_diagonal(const sparse &a) {
    return detail::take((ty_sparse_diagonal)(a.get()));
}
inline tensor sparse_triangular_solve(const sparse &a, const tensor &b, bool upper, bool unit) {
    return detail::take((ty_sparse_triangular_solve)(a.get(), b.get(), upper, unit));
}
struct sparse_lu {
    sparse l{};
    sparse u{};
    static sparse_lu own(const ty_sparse_lu &x_) {
        sparse_lu made_;
        made_.u = sparse::own(x_.u);
        made_.l = sparse::own(x_.l);
        return made_;
    }
    void check() {
        this->l.check();
        this->u.check();
    }
    ty_sparse_lu get() const noexcept {
        ty_sparse_lu made_ = {};
        made_.l = this->l.get();
        made_.u = this->u.get();
        return made_;
    }
};
inline sparse_lu sparse_ilu(const sparse &a) {
    sparse_lu parts_ = sparse_lu::own((ty_sparse_ilu)(a.get()));
    parts_.check();
    return parts_;
}
inline sparse sparse_ic(const sparse &a) {
    sparse parts_ = sparse::own((ty_sparse_ic)(a.get()));
    parts_.check();
    return parts_;
}
struct solution {
    tensor x{};
    tensor last{};
    tensor iterations{};
    tensor residual{};
    static solution own(const ty_solution &x_) {
        solution made_;
        made_.residual = tensor::adopt(ty_own(x_.residual));
        made_.iterations = tensor::adopt(ty_own(x_.iterations));
        made_.last = tensor::adopt(ty_own(x_.last));
        made_.x = tensor::adopt(ty_own(x_.x));
        return made_;
    }
    void check() {
        detail::check(this->x);
        detail::check(this->last);
        detail::check(this->iterations);
        detail::check(this->residual);
    }
    ty_solution get() const noexcept {
        ty_solution made_ = {};
        made_.x = this->x.get();
        made_.last = this->last.get();
        made_.iterations = this->iterations.get();
        made_.residual = this->residual.get();
        return made_;
    }
};
inline solution cg(const ty_linear &a, const tensor &b, const ty_iteration &options = {}) {
    solution parts_ = solution::own((ty_cg)(a, b.get(), options));
    parts_.check();
    return parts_;
}
inline solution bicgstab(const ty_linear &a, const tensor &b, const ty_iteration &options = {}) {
    solution parts_ = solution::own((ty_bicgstab)(a, b.get(), options));
    parts_.check();
    return parts_;
}
inline solution gmres(const ty_linear &a, const tensor &b, const ty_iteration &options = {}) {
    solution parts_ = solution::own((ty_gmres)(a, b.get(), options));
    parts_.check();
    return parts_;
}
struct lanczos_parts {
    tensor values{};
    tensor vectors{};
    tensor residual{};
    tensor restarts{};
    static lanczos_parts own(const ty_lanczos_parts &x_) {
        lanczos_parts made_;
        made_.restarts = tensor::adopt(ty_own(x_.restarts));
        made_.residual = tensor::adopt(ty_own(x_.residual));
        made_.vectors = tensor::adopt(ty_own(x_.vectors));
        made_.values = tensor::adopt(ty_own(x_.values));
        return made_;
    }
    void check() {
        detail::check(this->values);
        detail::check(this->vectors);
        detail::check(this->residual);
        detail::check(this->restarts);
    }
    ty_lanczos_parts get() const noexcept {
        ty_lanczos_parts made_ = {};
        made_.values = this->values.get();
        made_.vectors = this->vectors.get();
        made_.residual = this->residual.get();
        made_.restarts = this->restarts.get();
        return made_;
    }
};
inline lanczos_parts lanczos(const ty_linear &a, const tensor &start, int64_t k, const ty_lanczos_options &options = {}) {
    lanczos_parts parts_ = lanczos_parts::own((ty_lanczos)(a, start.get(), k, options));
    parts_.check();
    return parts_;
}
inline sparse sparse_load(const cstring &path) {
    sparse parts_ = sparse::own((ty_sparse_load)(path.get()));
    parts_.check();
    return parts_;
}
inline bool sparse_save(const cstring &path, const sparse &a) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_sparse_save)(path.get(), a.get(), &reason), reason);
}
inline sparse matrix_market_load(const cstring &path) {
    sparse parts_ = sparse::own((ty_matrix_market_load)(path.get()));
    parts_.check();
    return parts_;
}
inline bool matrix_market_save(const cstring &path, const sparse &a) {
    ty_tensor *reason = nullptr;
    return detail::done((ty_matrix_market_save)(path.get(), a.get(), &reason), reason);
}
inline tensor interp(const tensor &at, const tensor &x, const tensor &y, const ty_interp_options &options = {}) {
    return detail::take((ty_interp)(at.get(), x.get(), y.get(), options));
}
struct piecewise {
    tensor x{};
    tensor coefficients{};
    int axis{};
    ty_extrapolation extrapolate{};
    double fill{};
    static piecewise own(const ty_piecewise &x_) {
        piecewise made_;
        made_.coefficients = tensor::adopt(ty_own(x_.coefficients));
        made_.x = tensor::adopt(ty_own(x_.x));
        made_.axis = x_.axis;
        made_.extrapolate = x_.extrapolate;
        made_.fill = x_.fill;
        return made_;
    }
    void check() {
        detail::check(this->x);
        detail::check(this->coefficients);
    }
    ty_piecewise get() const noexcept {
        ty_piecewise made_ = {};
        made_.x = this->x.get();
        made_.coefficients = this->coefficients.get();
        made_.axis = this->axis;
        made_.extrapolate = this->extrapolate;
        made_.fill = this->fill;
        return made_;
    }
};
inline piecewise interpolant(const tensor &x, const tensor &y, const ty_interp_options &options = {}) {
    piecewise parts_ = piecewise::own((ty_interpolant)(x.get(), y.get(), options));
    parts_.check();
    return parts_;
}
inline tensor piecewise_at(const piecewise &p, const tensor &at) {
    return detail::take((ty_piecewise_at)(p.get(), at.get()));
}
inline piecewise piecewise_derivative(const piecewise &p, int order) {
    piecewise parts_ = piecewise::own((ty_piecewise_derivative)(p.get(), order));
    parts_.check();
    return parts_;
}
inline tensor piecewise_integral(const piecewise &p, const tensor &low, const tensor &high) {
    return detail::take((ty_piecewise_integral)(p.get(), low.get(), high.get()));
}
inline tensor interpn(const tensor &at, const list &axes_, const tensor &y, const ty_interp_options &options = {}) {
    return detail::take((ty_interpn)(at.get(), axes_.count(), axes_.get(), y.get(), options));
}
inline tensor polyval(const tensor &p, const tensor &x) {
    return detail::take((ty_polyval)(p.get(), x.get()));
}
inline tensor polyfit(const tensor &x, const tensor &y, int64_t degree, const tensor &weights = {}) {
    return detail::take((ty_polyfit)(x.get(), y.get(), degree, weights.get()));
}
inline tensor polyadd(const tensor &a, const tensor &b) {
    return detail::take((ty_polyadd)(a.get(), b.get()));
}
inline tensor polysub(const tensor &a, const tensor &b) {
    return detail::take((ty_polysub)(a.get(), b.get()));
}
inline tensor polymul(const tensor &a, const tensor &b) {
    return detail::take((ty_polymul)(a.get(), b.get()));
}
struct polydiv_parts {
    tensor quotient{};
    tensor remainder{};
    static polydiv_parts own(const ty_polydiv_parts &x_) {
        polydiv_parts made_;
        made_.remainder = tensor::adopt(ty_own(x_.remainder));
        made_.quotient = tensor::adopt(ty_own(x_.quotient));
        return made_;
    }
    void check() {
        detail::check(this->quotient);
        detail::check(this->remainder);
    }
    ty_polydiv_parts get() const noexcept {
        ty_polydiv_parts made_ = {};
        made_.quotient = this->quotient.get();
        made_.remainder = this->remainder.get();
        return made_;
    }
};
inline polydiv_parts polydiv(const tensor &a, const tensor &b) {
    polydiv_parts parts_ = polydiv_parts::own((ty_polydiv)(a.get(), b.get()));
    parts_.check();
    return parts_;
}
inline tensor polyder(const tensor &p, int64_t order = 1) {
    return detail::take((ty_polyder)(p.get(), order));
}
inline tensor polyint(const tensor &p, int64_t order = 1) {
    return detail::take((ty_polyint)(p.get(), order));
}
inline tensor poly(const tensor &roots) {
    return detail::take((ty_poly)(roots.get()));
}
inline tensor roots(const tensor &p) {
    return detail::take((ty_roots)(p.get()));
}
inline tensor simpson(const tensor &y, const tensor &at = {}, double spacing = 1, int axis = -1) {
    return detail::take((ty_simpson)(y.get(), at.get(), spacing, axis));
}
inline tensor romberg(const tensor &y, double spacing = 1, int axis = -1) {
    return detail::take((ty_romberg)(y.get(), spacing, axis));
}
inline tensor cumulative_trapezoid(const tensor &y, const tensor &at = {}, double spacing = 1, int axis = -1) {
    return detail::take((ty_cumulative_trapezoid)(y.get(), at.get(), spacing, axis));
}
struct gauss_parts {
    tensor places{};
    tensor weights{};
    static gauss_parts own(const ty_gauss_parts &x_) {
        gauss_parts made_;
        made_.weights = tensor::adopt(ty_own(x_.weights));
        made_.places = tensor::adopt(ty_own(x_.places));
        return made_;
    }
    void check() {
        detail::check(this->places);
        detail::check(this->weights);
    }
    ty_gauss_parts get() const noexcept {
        ty_gauss_parts made_ = {};
        made_.places = this->places.get();
        made_.weights = this->weights.get();
        return made_;
    }
};
inline gauss_parts gauss_legendre(int64_t count) {
    gauss_parts parts_ = gauss_parts::own((ty_gauss_legendre)(count));
    parts_.check();
    return parts_;
}

TY_CXX_END
#endif
