"""Distances, nearest neighbours and clusters of points.

Points are rows.  A metric is a name, such as "euclidean", "manhattan", "cosine" or "hamming".
"""

import operator

from . import _generator
from ._base import attributes_of, is_integer
from ._core import c


def cdist(a, b, metric="euclidean", *, p=0.0, parameter=None):
    """Return the distances of all pairs of points of a and b."""
    return c.cdist(a, b, distance=metric, p=p, parameter=parameter)


def pdist(x, metric="euclidean", *, p=0.0, parameter=None):
    """Return the distances of all pairs of points, as the upper half of a matrix."""
    return c.pdist(x, distance=metric, p=p, parameter=parameter)


def squareform(distances):
    """Return the matrix of the distances that pdist gives, or the other way round."""
    return c.squareform(distances)


def nearest(points, queries, k=1, metric="euclidean", *, p=0.0, parameter=None):
    """Return distances and indices of the k nearest points of each query."""
    return c.nearest_points(points, queries, k, distance=metric, p=p, parameter=parameter)


def within(points, queries, radius, metric="euclidean", *, p=0.0, parameter=None):
    """Return the points within a radius of each query: starts, distances and indices."""
    return c.points_within(points, queries, radius, distance=metric, p=p, parameter=parameter)


def _metric(metric, p, parameter):
    """Return the options of a distance."""
    return {"distance": metric, "p": p, "parameter": parameter}


def knn_regress(points, values, queries, k=5, metric="euclidean", *, inverse=False, p=0.0,
                parameter=None):
    """Return means of the values of the k nearest points; inverse weights them by 1 / distance."""
    return c.knn_regress(points, values, queries, k, inverse=inverse,
                         distance=_metric(metric, p, parameter))


def knn_classify(points, labels, queries, classes, k=5, metric="euclidean", *, inverse=False, p=0.0,
                 parameter=None):
    """Return the shares of the classes among the k nearest points."""
    return c.knn_classify(points, labels, classes, queries, k, inverse=inverse,
                          distance=_metric(metric, p, parameter))


def kmeans(points, clusters, key=None, *, starts=0, iterations=0, tolerance=0.0, centres=None):
    """Return centres, labels and inertia of clusters by Lloyd's algorithm.

    key: a key, a seed or a generator; equal ones choose equal first centres.  None is the key of 0.
    """
    if isinstance(key, _generator.Generator):
        key = key.key()
    elif is_integer(key):
        key = c.key(operator.index(key))
    return c.kmeans(points, clusters=clusters, key=key, starts=starts, iterations=iterations,
                    tolerance=tolerance, centres=centres)


def dbscan(points, radius, least=5, metric="euclidean", *, p=0.0, parameter=None):
    """Return labels of clusters of dense points; -1 is noise."""
    return c.dbscan(points, radius=radius, least=least, distance=_metric(metric, p, parameter))


__getattr__, __dir__ = attributes_of(__name__)
