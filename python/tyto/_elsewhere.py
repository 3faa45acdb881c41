"""Names of other libraries that this package lacks, and their replacements.

A value is a name of this package, or after a colon a sentence that ends the message.
"""


def _each(*groups):
    """Return a table of groups: a value, and the names that lead to it."""
    return {name: value for value, names in groups for name in names.split()}


# ---- the module ----

_RENAMED = {
    # PyTorch
    "backward": "grad", "bmm": "matmul", "cat": "concat", "clamp": "clip", "compile": "jit",
    "det": "linalg.det", "detach": "stop_gradient", "div": "divide", "eq": "equal",
    "erf": "special.erf", "from_numpy": "asarray", "func": "transform", "ge": "greater_equal",
    "gt": "greater", "index_select": "take", "inverse": "linalg.inv", "is_tensor": "ndarray",
    "le": "less_equal", "log_softmax": "special.log_softmax", "logdet": "linalg.slogdet",
    "lt": "less", "manual_seed": "random.key", "mm": "matmul", "mul": "multiply", "mv": "matmul",
    "ne": "not_equal", "neg": "negative", "no_grad": "stop_gradient", "norm": "linalg.norm",
    "permute": "permute_dims", "pinverse": "linalg.pinv", "rand_like": "random.uniform",
    "repeat_interleave": "repeat", "softmax": "special.softmax", "sub": "subtract",
    "svd": "linalg.svd", "tensor": "asarray", "topk": "top_k", "unbind": "unstack",
    "unsqueeze": "expand_dims",
    "get_num_threads": "c.threads", "set_num_threads": "c.set_threads",
    # JAX
    "device_put": "to_device", "lax": "transform", "pjit": "jit", "pmap": "vmap",
    "tree_map": "tree.map",
    "tree_util": "tree", "ShapeDtypeStruct": "ShapeDtype",
    # pandas
    "DataFrame": "table.Table", "read_csv": "table.read_csv",
}
# scikit-learn
_LEARNING = _each(
    (": there are no trees, forests or boosting; tyto.onnx runs those that skl2onnx has written",
     "DecisionTreeClassifier DecisionTreeRegressor RandomForestClassifier RandomForestRegressor "
     "ExtraTreesClassifier ExtraTreesRegressor GradientBoostingClassifier "
     "GradientBoostingRegressor HistGradientBoostingClassifier HistGradientBoostingRegressor "
     "AdaBoostClassifier IsolationForest decision_tree random_forest xgboost lightgbm"),
    (": there are no Gaussian processes, mixtures, naive Bayes and t-SNE (docs/limits.md)",
     "GaussianProcessRegressor GaussianProcessClassifier GaussianMixture GaussianNB MultinomialNB "
     "BernoulliNB TSNE UMAP NMF"),
    (": there are no support vector machines with kernels; write learn.linear_svm(x, y)",
     "SVC SVR"),
    (": write learn.Preparation(table, target), which learns scales, words and missing values, or "
     "stats.zscore(x)", "StandardScaler MinMaxScaler RobustScaler OneHotEncoder LabelEncoder "
     "OrdinalEncoder SimpleImputer ColumnTransformer Pipeline make_pipeline"),
    (": write table.Table.fit('y ~ a + b', family='binomial')",
     "LogisticRegression logistic_regression glm GLM Logit PoissonRegressor"),
    (": write table.Table.fit('y ~ a + b'), or learn.linear_regression(x, y)",
     "LinearRegression OLS ols lm"),
    (": write for train, test in learn.folds(n, 5)",
     "KFold StratifiedKFold cross_val_score cross_validate kfold GridSearchCV"),
    (": write a network of tyto.nn, and net.fit(x, y)", "MLPClassifier MLPRegressor"),
    ("learn.split", "train_test_split"),
    ("learn.Preparation", "Preparation prepare preprocessing"),
    ("learn.ridge", "Ridge ridge"), ("learn.lasso", "Lasso lasso ElasticNet elastic_net"),
    ("learn.linear_svm", "LinearSVC svm linear_svm"),
    ("linalg.pca", "PCA pca"), ("neighbours.kmeans", "KMeans kmeans"),
    ("neighbours.dbscan", "DBSCAN dbscan"),
    ("neighbours.knn_classify", "KNeighborsClassifier knn"),
    ("neighbours.knn_regress", "KNeighborsRegressor"),
    ("neighbours.nearest", "NearestNeighbors"),
    (": write nn.losses.cross_entropy(scores, labels), or nn.losses.bce_logits(scores, labels)",
     "log_loss"),
    (": write tyto.mean((p - y) ** 2)", "brier_score_loss brier"),
    ("nn.metrics.accuracy", "accuracy_score"), ("nn.metrics.confusion", "confusion_matrix"),
    ("nn.metrics.f_score", "f1_score"), ("nn.metrics.roc_auc", "roc_auc_score roc_auc"),
    ("nn.metrics.roc_curve", "roc_curve"), ("nn.metrics.precision", "precision_score"),
    ("nn.metrics.recall", "recall_score"), ("nn.metrics.r2", "r2_score"),
)
# Names in modules of networks and tables.
NETWORKS = {
    **_RENAMED,
    **_LEARNING,
    **_each(
        (": models of ONNX are read and not written; net.export_c(path, x) writes C, and "
         "net.save(path) the weights", "export export_onnx to_onnx"),
        (": write zoo.model(name).load(path, layout='pytorch'), or onnx.load(path)",
         "from_pretrained pipeline AutoModel AutoTokenizer hub load_model torch_load"),
        (": write onnx.load(path), and model.run({'x': x})", "InferenceSession")),
    "DataFrame": "Table", "Module": "Model", "functional": "losses",
    "MSELoss": "losses.mse", "L1Loss": "losses.mae", "BCELoss": "losses.bce",
    "NLLLoss": "losses.nll", "BCEWithLogitsLoss": "losses.bce_logits",
    "CrossEntropyLoss": "losses.cross_entropy",
    "mean_squared_error": "mse", "mean_absolute_error": "mae",
    **{name: f'activation("{name.lower()}")'
       for name in ("ReLU", "GELU", "Sigmoid", "Softmax", "Tanh", "relu", "gelu")},
    "Dense": "linear",
}
_GENERATORS = _each(
    ("default_rng(seed).random", "rand ranf random_sample sample"),
    ("default_rng(seed).standard_normal", "randn"),
    ("default_rng(seed).integers", "random_integers"),
    ("default_rng(seed)", "seed RandomState get_state set_state Generator BitGenerator"),
    (": numbers come from keys, by Philox alone; write default_rng(seed)",
     "MT19937 PCG64 PCG64DXSM Philox SFC64 SeedSequence bit_generator get_bit_generator "
     "set_bit_generator mtrand"),
)
_DISTRIBUTIONS = _each(
    (": write default_rng(seed).{0}(...)",
     "bytes chisquare dirichlet f geometric lognormal multivariate_normal negative_binomial "
     "noncentral_chisquare noncentral_f pareto power rayleigh standard_cauchy "
     "standard_exponential standard_gamma standard_normal standard_t triangular wald weibull"),
    (": no distribution has this name; stats.Distribution lists those that there are",
     "logseries zipf multivariate_hypergeometric"),
)
# Names of NumPy without a counterpart.
_ABSENT = _each(
    (": there are no arrays of texts, objects, bytes or records; tables have columns of words",
     "object_ str_ bytes_ void record recarray rec chararray char strings character flexible "
     "generic fromregex"),
    (": there are no arrays of dates; tables have columns of dates",
     "datetime64 timedelta64 datetime_as_string datetime_data busday_count busday_offset "
     "busdaycalendar is_busday isnat"),
    (": there are no masked arrays; missing numbers are NaN, and sums take where=", "ma"),
    (": there are no matrices apart from arrays; write asarray, and a @ b",
     "matrix asmatrix bmat mat"),
    (": numbers have at most 64 bits, and complex ones 128; write float64",
     "float128 longdouble clongdouble complex256 float96 complex192"),
    (": polynomials are vectors of coefficients; write polyval, polyfit, polymul, roots",
     "poly1d polynomial"),
    (": write loops over ndenumerate(x) or x.flat, or functions of whole arrays",
     "nditer nested_iters flatiter broadcast"),
    (": functions of the library are no ufuncs; docs/python.md says what reduce, at, outer and "
     "accumulate are here", "ufunc"),
    (": write vectorize(function)", "frompyfunc"),
    (": write load(file, mmap_mode='c')", "memmap"),
    (": write format(n, 'b') or f'{x:.3f}'",
     "binary_repr base_repr format_float_positional format_float_scientific"),
    (": numpy.testing takes arrays of Tyto; or write allclose and array_equal", "testing test"),
    (": write sqrt(x.astype(complex)), which is not NaN below 0", "emath"),
    (": errors are classes of tyto, such as tyto.ShapeError", "exceptions"),
    (": write sliding_window_view, or finfo and iinfo", "lib"),
    (": einsum chooses the order of products itself", "einsum_path"),
    (": complex numbers are sorted by modulus here; write sort(x)", "sort_complex"),
    (": write ascontiguousarray(x, dtype)", "require"),
    (": write hasattr(x, '__iter__')", "iterable"),
    (": write help(f)", "info"),
    (": write isinstance(x, (bool, int, float, complex)) or issubdtype",
     "ScalarType typecodes sctypeDict typename mintypecode dtypes typing"),
    (": this is a part of NumPy itself",
     "core ctypeslib f2py get_include getbufsize setbufsize show_config show_runtime "
     "index_exp little_endian geterrcall seterrcall"),
)
# SciPy's modules and their functions.
_METHODS_OF_SCIPY = _each(
    ("optim.minimise", "minimize minimise"), (": write optim.minimise(f, start), "
     "c.find_root(f, ...) or c.least_squares(f, ...)", "optimize"),
    (": write c.odeint(f, ...)", "odeint solve_ivp"),
    (": write c.quad(f, ...), c.odeint(f, ...), or ty.trapezoid(y, x)", "integrate"),
    (": write interp(x, xp, fp), or a spline of tyto.c", "interpolate"),
)
MODULE = {**_RENAMED, **_GENERATORS, **_ABSENT, **_LEARNING, **_METHODS_OF_SCIPY,
          "index_exp": "s_"}
STATS = {**_LEARNING, **_each(
    (": there is no such test; compare pairs by ttest_ind, and adjust p-values by "
     "false_discovery_control(ps, method='holm')", "tukey_hsd dunnett pairwise"),
    (": write binomtest(k, n, p)", "binom_test"),
    (": there is no such test; resample by bootstrap(data, statistic)",
     "permutation_test monte_carlo_test power"),
    (": there are no functions of survival times",
     "kaplan_meier logrank survival CoxPH KaplanMeierFitter CensoredData"),
    (": write tyto.quantile(x, q), tyto.percentile(x, q)", "quantile scoreatpercentile mquantiles"),
    (": write false_discovery_control(ps, method='holm')",
     "adjust_p multipletests bonferroni p_adjust"),
    (": write tyto.{0}(x)", "mean median var std histogram percentile"),
    (": write stats.zscore(x), tyto.nanmean(x), ...", "zmap nanmean nanmedian nanstd"),
    ("anderson", "normaltest kstest_normal"), ("rankdata", "rank"),
    ("spearmanr", "spearman"), ("pearsonr", "pearson corr cor correlation"),
    ("ttest_ind", "ttest t_test ttest_ind_from_stats"), ("f_oneway", "anova aov"),
    ("mannwhitneyu", "ranksums wilcox_test mannwhitney"), ("ks_2samp", "ks_test ks_1samp"),
    ("chi2_contingency", "chi2_test chisq_test"), ("fisher_exact", "fisher_test"),
    ("shapiro", "shapiro_test"), ("median_abs_deviation", "mad"),
    ("norm", "normal gaussian"), ("expon", "exponential"), ("binom", "binomial"),
    ("weibull_min", "weibull"), ("lognorm", "lognormal"), ("gumbel_r", "gumbel"),
)}
SIGNAL = _each(
    (": windows are in tyto.signal, as hann(n) and kaiser(n, beta)", "windows"),
    (": write hann(n, sym=False), kaiser(n, beta, sym=False), ...", "get_window"),
    (": write resample_poly(x, 1, q)", "decimate upfirdn"),
    (": write stft(x, fs, window, nperseg), istft, spectrogram or welch", "ShortTimeFFT"),
    (": there is no such function; write means of products of stft(x)[2]", "csd coherence"),
    (": write cos or sign of the phase, such as tyto.cos(2 * tyto.pi * f * t)",
     "chirp square sawtooth"),
    (": filters are b, a or sections: butter(n, w, output='sos')",
     "zpk2sos zpk2tf tf2sos tf2zpk sos2tf iirfilter iirdesign buttord"),
)
PLOTS = {**_RENAMED, **_each(
    ("points", "scatter"), ("histogram", "hist"), ("line", "plot lines"), ("bars", "bar barh"),
    ("heat", "heatmap imshow matshow pcolormesh"), ("confusion", "confusion_matrix"),
    (": there are no plots of boxes; write histogram(x), or bars of quantiles",
     "box boxplot violin violinplot"),
    (": write line(...).save(path); a plot of plot.line(...).points(...) has several parts",
     "show savefig figure subplots"),
)}
RANDOM = {**_RENAMED, **_GENERATORS, **_DISTRIBUTIONS}
# Arguments that NumPy's functions of elements take.
ARGUMENTS = {
    "dtype": ": write f(x.astype(dtype)), or f(x).astype(dtype)",
    "where": ": write where(mask, f(x), otherwise)",
    "casting": ": write f(x).astype(dtype, casting=...)",
    "order": ": elements lie by rows; write asfortranarray(x)",
    "subok": ": there are no classes of arrays",
    "like": ": there are no classes of arrays",
}

# ---- arrays ----

_METHODS = _each(
    # PyTorch
    (": write tyto.expand_dims(x, axis)", "unsqueeze"),
    (": write tyto.stop_gradient(x)", "detach detach_"),
    (": write tyto.grad(function)(x); arrays keep no gradients",
     "backward grad requires_grad requires_grad_ retain_grad grad_fn zero_grad"),
    (": write numpy.asarray(x), which copies nothing", "numpy"),
    (": write x.to_device('cpu') or x.to_device('opencl:0')", "cpu cuda to"),
    (": write x.astype(tyto.float32), tyto.int64, ...",
     "float double half bfloat16 long int short byte char bool type type_as"),
    (": write x.copy()", "clone"),
    (": write tyto.permute_dims(x, axes)", "permute"),
    (": write x.T", "t"),
    (": write tyto.broadcast_to(x, shape)", "expand expand_as"),
    (": write tyto.tile(x, repeats); x.repeat(n, axis) repeats each element", "repeat_interleave"),
    (": write tyto.ascontiguousarray(x)", "contiguous is_contiguous"),
    (": write x.size", "numel nelement"),
    (": write x.ndim", "dim"),
    (": write x.strides, which counts bytes", "stride"),
    (": write x.flatten() or x.reshape(shape)", "unflatten reshape_as view_as"),
    (": write x[...] = value", "copy_ zero_ fill_ masked_fill_ index_copy_ index_fill_ set_"),
    (": write x += y, -=, *=, /=", "add_ sub_ mul_ div_ clamp_"),
    (": write tyto.where(mask, value, x)", "masked_fill"),
    (": write x[mask]", "masked_select"),
    (": write tyto.take(x, indices, axis)", "index_select"),
    (": write tyto.take_along_axis(x, indices, axis)", "gather"),
    (": write tyto.scatter(x, indices, updates, axis, mode)", "scatter_ scatter_add scatter_add_"),
    (": write tyto.scatter_nd(x, indices[:, None], updates, mode='add')", "index_add index_add_"),
    (": write tyto.array_split(x, n, axis)", "chunk split"),
    (": write tyto.unstack(x, axis)", "unbind"),
    (": write tyto.top_k(x, k)", "topk"),
    (": write x @ y", "mm bmm matmul mv"),
    (": write tyto.clip(x, min, max)", "clamp clamp_min clamp_max"),
    (": write tyto.zeros(shape, x.dtype)", "new_zeros new_ones new_empty new_full new_tensor"),
    (": write tyto.linalg.norm(x)", "norm"),
    (": write tyto.special.{0}(x)", "softmax log_softmax erf logit"),
    (": write tyto.linalg.{0}(x)", "det inverse pinverse cholesky"),
    (": write x == y, x < y, ...", "eq ne lt le gt ge"),
    (": write x + y, x - y, x * y, x / y", "add sub mul div subtract multiply divide"),
    (": write tyto.{0}(x)",
     "abs absolute acos arccos asin arcsin atan arctan ceil cos cosh exp exp2 expm1 floor frac "
     "isfinite isinf isnan log log10 log1p log2 logsumexp neg negative pow reciprocal relu rsqrt "
     "sigmoid sign sin sinh sqrt square tan tanh trunc unique flip roll tile tril triu diff "
     "median quantile count_nonzero allclose isclose"),
    # JAX
    (": write y = x.copy(), and then y[index] = value; arrays can be assigned", "at"),
    (": functions compute before they return, so there is nothing to wait for",
     "block_until_ready"),
    (": write x.device", "devices sharding addressable_shards is_cuda"),
    # NumPy
    (": write tyto.shares_memory(x, y); views do not name their array", "base"),
    (": write memoryview(x)", "data ctypes"),
    (": write y = tyto.resize(x, shape)", "resize"),
    (": write pickle.dumps(x) or tyto.save(file, x)", "dump dumps"),
    (": write x.view(dtype), and assign to the view", "getfield setfield"),
    (": write x.copy(), which can be assigned", "setflags"),
    (": elements are always in the order of bytes of this machine", "byteswap newbyteorder"),
    (": write x[index] = value", "itemset"),
    (": write x.tobytes()", "tostring"),
)
_METHODS["frac"] = ": write x - tyto.trunc(x)"
_METHODS["neg"] = ": write -x"
_METHODS["pow"] = ": write x ** y"
ARRAY = {name: value.replace("{0}", name) for name, value in _METHODS.items()}
ARRAY["inverse"] = ": write tyto.linalg.inv(x)"
ARRAY["pinverse"] = ": write tyto.linalg.pinv(x)"
MODULE, STATS = ({name: value.replace("{0}", name) for name, value in table.items()}
                 for table in (MODULE, STATS))
RANDOM = {name: value.replace("{0}", name) for name, value in RANDOM.items()}


class Missing:
    """An attribute that arrays lack: its AttributeError names the replacement.

    The class of arrays finds its other attributes as fast as without these.
    """

    def __init__(self, name):
        self._name = name

    def __get__(self, x, kind):
        error = AttributeError(f"'tyto.Array' has no attribute {self._name!r}{ARRAY[self._name]}")
        if hasattr(error, "name"):
            error.name = self._name
        raise error


# ---- tables and fits: pandas, and statsmodels ----

TABLES = _each(
    (": write t.kinds", "dtypes info"),
    (": write t.drop_missing()", "dropna"), (": write t.fill_missing(value)", "fillna"),
    (": write t.missing(name)", "isna isnull notna"),
    (": write t.sort(name)", "sort_values order_by arrange"),
    (": write t.group(keys, mean='x')", "groupby agg aggregate group_by summarise"),
    (": write t.counts(name)", "value_counts"), (": write t.join(other, on=name)", "merge"),
    (": write t.unique(names)", "drop_duplicates nunique distinct"),
    (": write t.pivot(index, columns, values, 'mean')", "pivot_table crosstab unstack"),
    (": write t.melt(ids, names)", "stack wide_to_long"),
    (": write t.filter(expression)", "query where loc mask"),
    (": write t.row(i), t[i:j] or t.take(indices)", "iloc iat at"),
    (": write for row in t.rows()", "iterrows itertuples"),
    (": write t.assign(name=lambda t: ...)", "apply transform insert mutate with_columns map"),
    (": write t.append(other)", "concat"), (": write t.write_csv(path)", "to_csv"),
    (": write t.matrix(), t.to_dict() or t.to_pandas()", "values to_numpy numpy"),
    (": tables have no index; rows are numbered", "index set_index reset_index reindex sort_index"),
    (": write t.sort(name, descending=True)[:n]", "nlargest nsmallest"),
    (": write t.describe(), or tyto.nan{0}(t[name])", "mean median std var min max sum quantile"),
    (": write tyto.corrcoef(t[names].drop_missing().matrix().T)", "corr cov"),
    (": write len(t) and t.shape", "size count len"),
    (": write t.assign(name=t[name].astype(dtype))", "astype cast"),
    (": write t.assign(name=tyto.{0}(t[name]))", "cumsum cumprod round abs"),
    (": write t.assign(name=f(t[name])) with functions of arrays, such as tyto.cumsum, "
     "tyto.concat and tyto.convolve",
     "shift rolling ewm expanding rank interpolate pct_change diff clip"),
    (": dates are words, so t.assign(month=[day[:7] for day in t['date']]) and t.group('month')",
     "resample"),
    (": write t.matrix().T", "T transpose"),
    (": write t.unique(names); it keeps the first row of each", "duplicated"),
    (": write t", "copy"),
    (": write tyto.plot.points(t['x'], t['y']), ...", "plot hist boxplot"),
    (": write t.split(0.8, 0.2)", "train_test_split"),
)
TABLES = {name: value.replace("{0}", name) for name, value in TABLES.items()}
FITS = _each(
    (": write fit.coefficients[name].value, or fit.part('coefficients')",
     "params coef coef_ coeffs intercept_ beta"),
    (": write fit.coefficients[name].p, or fit.part('p')", "pvalues pvalue"),
    (": write fit.coefficients[name].error, or fit.part('errors')", "bse stderr"),
    (": write fit.part('statistics')", "tvalues zvalues"),
    (": write fit.coefficients[name].low and .high; fit(..., confidence=0.9) sets the level",
     "conf_int confint"),
    (": write fit.part('{0}')", "fitted residuals covariance leverages"),
    (": write fit.part('residuals')", "resid"), (": write fit.part('fitted')", "fittedvalues"),
    (": write fit.part('covariance')", "cov_params vcov"),
    (": write fit.report.r_squared and fit.report.adjusted", "rsquared rsquared_adj score"),
    (": write fit.report.{0}", "aic bic deviance log_likelihood rank r_squared"),
    (": write fit.report.log_likelihood", "llf logLik loglik"),
    (": write fit.report.test and fit.report.test_p", "fvalue f_pvalue"),
    (": write fit.report.rows and fit.report.freedom", "nobs df_resid"),
    (": write small.compare(large) for two nested models", "anova anova_lm f_test"),
)
FITS = {name: value.replace("{0}", name) for name, value in FITS.items()}

LINEAR = _each(
    (": write model.coefficients and model.intercept", "coef coef_ intercept_ params weights"),
    (": write nn.metrics.r2(model.predict(x), y)", "score"),
    (": write learn.ridge(x, y), which returns the fitted model", "fit fit_predict"),
    (": write model.decision(x)", "decision_function predict_proba"),
)


# ---- networks: PyTorch, Keras, Hugging Face ----

# Options of layers, and those here that a kind may have.
LAYER_OPTIONS = _each(
    ("units channels", "out_features out_channels hidden_size embedding_dim filters"),
    ("size", "kernel_size pool_size"), ("stride", "strides"), ("layers", "num_layers"),
    ("rows", "num_embeddings input_dim vocab_size"), ("heads", "num_heads n_heads nhead"),
    ("dilation", "dilation_rate"), ("epsilon", "eps"), ("p dropout", "rate dropout_rate prob"),
    ("slope alpha", "negative_slope"), ("groups", "num_groups"),
    ("last", "return_sequences"), ("no_bias", "use_bias"),
    ("no_shift no_scale", "affine elementwise_affine"),
    (": low and high are the widths on each side, and same=True keeps sizes", "padding pad"),
    (": axis 0 is the batch; time_first=True has time there", "batch_first"),
    (": results have memory of their own", "inplace"),
    (": sizes of inputs are those of the first call",
     "in_features in_channels input_size input_shape num_features normalized_shape embed_dim "
     "d_model"),
    (": nn.Model(..., dtype=...) has the dtype of all parameters", "dtype"),
    (": models compute where their arrays are", "device"),
)

MODELS = _each(
    (": write net.variables()", "state_dict get_weights weights"),
    (": write net.assign(values)", "load_state_dict set_weights"),
    (": write net.parameters(), a dict by name", "named_parameters trainable_variables"),
    (": write net.states(), a dict by name", "buffers named_buffers"),
    (": write tyto.grad(lambda p: loss(net.apply(p, x), y))(net.parameters())",
     "zero_grad backward requires_grad_ train_on_batch"),
    (": models compute where their arrays are; devices are those of OpenCL, see docs/opencl.md",
     "to cuda cpu"),
    (": write nn.Model(..., compute='bfloat16'), which computes layers in it",
     "half bfloat16 float double"),
    (": write net(x)", "forward_pass call"),
    (": write net.fit(x, y, optimiser=..., loss=...)", "compile"),
    (": write nn.metrics.accuracy(net(x), y), or validation=(x, y) of net.fit", "evaluate score"),
    (": write net.predict(x)", "predict_proba transform"),
    (": write net.save(path), such as model.safetensors",
     "save_pretrained save_weights push_to_hub"),
    (": write net.load(path, layout='pytorch'), with rename= for other names",
     "from_pretrained load_weights"),
    (": models are not written in ONNX's format; net.export_c(path, x) writes C, and "
     "net.save(path) the weights", "export_onnx to_onnx onnx export"),
    (": write net.summary(), or net.parameters()", "modules named_modules children"),
    (": write net.train() and net.eval()", "set_training"),
)
MODELS_OF_ONNX = _each(
    (": models are read and not written; tyto.save('model.safetensors', model.values()) writes the "
     "parameters", "save export to_onnx save_model"),
    (": write model.inputs and model.outputs", "get_inputs get_outputs graph"),
    (": write model.values()", "state_dict variables weights initializer"),
    (": write model.assign(values)", "load_state_dict"),
    (": write tyto.grad(lambda p: loss(model.apply(p, x)))(model.values())",
     "fit train backward trainer"),
    (": write model(x) or model.run({'x': x})", "predict forward predict_proba"),
)
