"""Models by statsmodels: statsmodels_values.py > statsmodels_values.def.  The search of statsmodels is continued until
nothing changes, so that all digits count."""
import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm

n = 40
i = np.arange(n, dtype=float)
x1 = np.round(2 * np.cos(0.7 * i * i) + 0.1 * i, 3)
x2 = np.round(3 * np.sin(1.3 * i + 0.2), 3)
x = np.column_stack([np.ones(n), x1, x2])
noise = np.cos(2.1 * i * i + 1)
linear = np.round(1.5 - 0.8 * x1 + 0.3 * x2 + noise * (0.3 + 0.05 * i), 3)
binary = (0.4 + 0.9 * x1 - 0.5 * x2 + 2.5 * noise > 0.5).astype(float)
counts = np.floor(np.exp(0.5 + 0.3 * x1 - 0.1 * x2) + 1 + noise)
weights = np.round(1 + 0.5 * np.sin(i), 3)
offset = np.round(0.2 * np.cos(i), 3)
digits = lambda v: ", ".join("%.17g" % a for a in np.ravel(v))
print("/* Made by statsmodels_values.py with statsmodels %s, SciPy %s: DATA(name, elements), MODEL(name, family, robust,"
      % (statsmodels.__version__, scipy.__version__))
print("   y, weights, offset, coefficients, errors, statistics, p, low, high, {log-likelihood, AIC, BIC, deviance, R^2,")
print("   adjusted R^2, test, its p}), PREDICTED(model, means, errors, low, high, low and high of new observations). */")
for name, v in (("x", x), ("linear", linear), ("binary", binary), ("counts", counts), ("weights", weights),
                ("offset", offset)):
    print("DATA(%s, %s)" % (name, digits(v)))
at = np.array([[1, 0, 0], [1, 2.5, -1], [1, -1, 3]])


def put(name, family, robust, y, w, o, r, numbers):
    ci = r.conf_int()
    lists = [r.params, r.bse, r.tvalues, r.pvalues, ci[:, 0], ci[:, 1], numbers]
    print("MODEL(%s, TY_FAMILY_%s, TY_ROBUST_%s, %s, %s, %s, %s)" %
          (name, family, robust, y, w, o, ", ".join("LIST(%s)" % digits(v) for v in lists)))


for kind in ("NONE", "HC0", "HC1", "HC2", "HC3"):
    for w in ("none", "weights"):
        model = sm.OLS(linear, x) if w == "none" else sm.WLS(linear, x, weights=weights)
        r = model.fit() if kind == "NONE" else model.fit(cov_type=kind, use_t=True)
        name = "linear_%s_%s" % (kind, w)
        put(name, "GAUSSIAN", kind, "linear", w, "none", r,
            [r.llf, r.aic, r.bic, r.ssr, r.rsquared, r.rsquared_adj, float(np.squeeze(r.fvalue)),
             float(np.squeeze(r.f_pvalue))])
        if kind == "NONE" and w == "none":
            p = r.get_prediction(at).summary_frame()
            print("PREDICTED(%s, %s)" % (name, ", ".join("LIST(%s)" % digits(p[c]) for c in (
                "mean", "mean_se", "mean_ci_lower", "mean_ci_upper", "obs_ci_lower", "obs_ci_upper"))))
for family, y, f in (("BINOMIAL", binary, sm.families.Binomial()), ("POISSON", counts, sm.families.Poisson())):
    for kind in ("NONE", "HC0"):
        for o in ("none", "offset"):
            model = sm.GLM(y, x, family=f, offset=offset if o == "offset" else None)
            tight = {"tol": 1e-15, "maxiter": 30}
            r = model.fit(**tight) if kind == "NONE" else model.fit(cov_type=kind, **tight)
            put("%s_%s_%s" % (family.lower(), kind, o), family, kind, "binary" if y is binary else "counts", "none", o,
                r, [r.llf, r.aic, np.log(n) * 3 - 2 * r.llf, r.deviance, 1 - r.llf / r.llnull, np.nan,
                    2 * (r.llf - r.llnull), scipy.stats.chi2.sf(2 * (r.llf - r.llnull), 2)])
