"""SciPy's distances, and scikit-learn's clusters: scipy_values.py > scipy_values.def.  Points follow
formulas that test_neighbours.c shares."""
import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial import distance as sd
from sklearn.cluster import DBSCAN, KMeans


def points(n, d, shift):
    i = np.arange(n * d, dtype=float) + shift
    return (np.cos(0.7 * i * i) + 0.1 * np.sin(i)).reshape(n, d)


a, b = points(7, 4, 0), points(5, 4, 100)
wide, side = points(6, 40, 3), points(4, 40, 900)
many = points(60, 2, 11) + 3 * (np.arange(60) % 3)[:, None]
bools = lambda x: x > 0.3
rows = []


def row(ours, *values, tolerance=1e-12):
    flat = np.concatenate([np.asarray(v, dtype=float).ravel() for v in values])
    rows.append('SCIPY("%s", %g, %s)' % (ours, tolerance, ", ".join("%.17g" % v for v in flat)))


names = ("euclidean squared manhattan chebyshev standardised mahalanobis cosine correlation canberra braycurtis "
         "hamming").split()
theirs = {"squared": "sqeuclidean", "manhattan": "cityblock", "standardised": "seuclidean", "rogers": "rogerstanimoto",
          "russell": "russellrao", "sokal": "sokalsneath"}
truths = "jaccard dice rogers russell sokal yule hamming".split()
quoted = lambda name: '\\"%s\\"' % name
for name in names:
    other = theirs.get(name, name)
    row("cdist(a, b, %s)" % quoted(name), sd.cdist(a, b, other), tolerance=1e-11)
    row("pdist(a, %s)" % quoted(name), sd.pdist(a, other), tolerance=1e-11)
    if name != "mahalanobis":
        row("cdist(wide, side, %s)" % quoted(name), sd.cdist(wide, side, other))
for p in (1, 1.5, 2, 3, 10, np.inf):
    q = "inf" if np.isinf(p) else "%g" % p
    row("cdist(a, b, %s, p=%s)" % (quoted("minkowski"), q), sd.cdist(a, b, "minkowski", p=p) if np.isfinite(p)
        else sd.cdist(a, b, "chebyshev"))
row("cdist(abs(a), abs(b), %s)" % quoted("jensenshannon"), sd.cdist(abs(a), abs(b), "jensenshannon"))
row("pdist(abs(a), %s)" % quoted("jensenshannon"), sd.pdist(abs(a), "jensenshannon"), tolerance=1e-9)
for name in truths:
    row("cdist(wide > 0.3, side > 0.3, %s)" % quoted(name), sd.cdist(bools(wide), bools(side), theirs.get(name, name)))
    row("cdist(a > 0.3, b > 0.3, %s)" % quoted(name), sd.cdist(bools(a), bools(b), theirs.get(name, name)))
v = np.arange(1, 5.0)
m = np.diag(v) + 0.25
row("cdist(a, b, %s, parameter=arange(1, 5))" % quoted("standardised"), sd.cdist(a, b, "seuclidean", V=v))
row("cdist(a, b, %s, parameter=diag(arange(1, 5)) + 0.25)" % quoted("mahalanobis"), sd.cdist(a, b, "mahalanobis", VI=m))
row("squareform(pdist(a))", sd.squareform(sd.pdist(a)))
for p in (1, 2, np.inf):
    name = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}[p]
    d, i = cKDTree(many).query(a[:, :2], 6, p=p)
    row("nearest_points(many, transpose(transpose(a)[:2]), 6, %s)" % quoted(name), d, i)
for start in (0, 1, 2):
    first = many[start::20]
    fit = KMeans(3, init=first, n_init=1, tol=0, algorithm="lloyd").fit(many)
    row("kmeans(many, 3, centres=many[%d::20], tolerance=-1)" % start, fit.cluster_centers_, fit.labels_, fit.inertia_)
for radius, least in ((0.2, 3), (0.3, 4), (0.5, 5), (0.35, 2), (2, 9), (1e-3, 1)):
    fit = DBSCAN(eps=radius, min_samples=least).fit(many)
    cores = np.zeros(60)
    cores[fit.core_sample_indices_] = 1
    row("dbscan(many, %g, %d)" % (radius, least), fit.labels_, cores, fit.labels_.max() + 1)
print("/* Made by scipy_values.py with SciPy %s and scikit-learn %s. */" % (__import__("scipy").__version__,
                                                                         __import__("sklearn").__version__))
print("\n".join(rows))
print("#undef SCIPY")
