"""Penalised models by scikit-learn, continued until nothing changes: sklearn_values.py > sklearn_values.def."""
import numpy as np
import sklearn
from sklearn.linear_model import ElasticNet, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC

n, p = 30, 4
i = np.arange(n * p, dtype=float)
x = np.round(np.cos(0.7 * i * i) + 0.3 * np.sin(i), 3).reshape(n, p)
x[:, 3] = np.round(x[:, 0] * 0.8 + 0.2 * x[:, 1] + 0.1 * np.cos(1.7 * np.arange(n)), 3)
r = np.arange(n, dtype=float)
y = np.round(2 + x[:, 0] - 1.5 * x[:, 1] + 0.3 * np.sin(3 * r * r), 3)
labels = (np.floor(3 * (np.cos(r * r) + 1.2 * x[:, 0] + 2.5) / 6)).astype(int).clip(0, 2)
queries = np.round(np.cos(2.3 * np.arange(5 * p) + 1), 3).reshape(5, p)
queries[0] = x[7]
print("/* Made by sklearn_values.py with scikit-learn %s: KNOWN(name, elements). */" % sklearn.__version__)


def put(name, *values):
    flat = np.concatenate([np.asarray(v, dtype=float).ravel() for v in values])
    print("KNOWN(%s, %s)" % (name, ", ".join("%.17g" % v for v in flat)))


put("x", x)
put("y", y)
put("labels", labels)
put("queries", queries)
for alpha in (0, 0.5, 20):
    for intercept in (True, False):
        m = Ridge(alpha, fit_intercept=intercept, solver="svd").fit(x, y)
        put("ridge_%s_%d" % (("%g" % alpha).replace(".", "_"), intercept), m.coef_, m.intercept_)
for alpha, share in ((0.01, 1), (0.1, 1), (0.1, 0.3), (5, 1)):
    for intercept in (True, False):
        m = ElasticNet(alpha=alpha, l1_ratio=share, fit_intercept=intercept, tol=1e-16, max_iter=10**6).fit(x, y)
        name = "lasso_%s_%s_%d" % (("%g" % alpha).replace(".", "_"), ("%g" % share).replace(".", "_"), intercept)
        put(name, m.coef_, m.intercept_)
for c in (0.1, 1, 30):
    for intercept in (True, False):
        for classes, l in ((2, labels > 0), (3, labels)):
            m = LinearSVC(C=c, fit_intercept=intercept, dual=False, tol=1e-12, max_iter=10**6).fit(x, l)
            put("svm_%s_%d_%d" % (("%g" % c).replace(".", "_"), intercept, classes), m.coef_,
                m.intercept_ if intercept else np.zeros(len(m.coef_)))
for weights in ("uniform", "distance"):
    put("knn_regress_" + weights, KNeighborsRegressor(4, weights=weights).fit(x, y).predict(queries))
    put("knn_classify_" + weights, KNeighborsClassifier(5, weights=weights).fit(x, labels).predict_proba(queries))
