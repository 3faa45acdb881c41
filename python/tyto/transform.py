"""Transformations of functions: derivatives, batches, compiled functions, loops, branches.

Functions take and return trees of arrays (tyto.tree).  Names and arguments are those of JAX where
it has the function.
"""

from tyto._base import attributes_of
from tyto._control import cond, fori_loop, map, scan, switch, while_loop
from tyto._core import progress
from tyto._differentiate import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    stop_gradient,
    value_and_grad,
    vjp,
)
from tyto._jit import jit
from tyto._rules import checkpoint, custom_jvp, custom_vjp, remat
from tyto._transform import ShapeDtype, eval_shape, vmap

__all__ = [
    "ShapeDtype",
    "checkpoint",
    "cond",
    "custom_jvp",
    "custom_vjp",
    "eval_shape",
    "fori_loop",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "linearize",
    "progress",
    "remat",
    "scan",
    "stop_gradient",
    "switch",
    "value_and_grad",
    "vjp",
    "vmap",
    "while_loop",
]


__getattr__, __dir__ = attributes_of(__name__, "map")
