"""Tyto: arrays, derivatives and networks.  This namespace follows the array API standard.

    import tyto as ty
    x = ty.linspace(0, 1, 5)
    ty.sum(ty.sin(x) ** 2)
"""

from math import e, inf, nan, pi  # noqa: F401

from ._core import *  # noqa: F401,F403
from ._create import *  # noqa: F401,F403
from ._dtypes import *  # noqa: F401,F403
from ._elementwise import *  # noqa: F401,F403
from ._files import *  # noqa: F401,F403
from ._grids import *  # noqa: F401,F403
from ._histogram import *  # noqa: F401,F403
from ._manipulate import *  # noqa: F401,F403
from ._numeric import *  # noqa: F401,F403
from ._others import *  # noqa: F401,F403
from ._pad import *  # noqa: F401,F403
from ._printing import *  # noqa: F401,F403
from ._reduce import *  # noqa: F401,F403
from ._search import *  # noqa: F401,F403
from . import _base, _core, _methods  # noqa: F401
from ._bar import show_progress  # noqa: F401
from ._words import *  # noqa: F401,F403
from . import fft, linalg, neighbours, random, signal, sparse, special, stats  # noqa: F401
from . import transform, tree  # noqa: F401
from ._dtypes import __array_namespace_info__  # noqa: F401
from .transform import *  # noqa: F401,F403
from .linalg import cross, dot, einsum, inner, kron, matmul, outer  # noqa: F401
from .linalg import tensordot, vdot, vecdot  # noqa: F401

newaxis = None
True_, False_ = True, False
ndarray = _core.Array
euler_gamma = 0.5772156649015329
__array_api_version__ = "2025.12"
__version__ = _core.version
_methods.add_methods()


def trace(x, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Return the sum of a diagonal of two axes."""
    return _methods.trace(x, offset, axis1, axis2, dtype, out)


def to_device(x, device, /, *, stream=None):
    """Return an array with its elements on a device, such as "cpu" or "opencl:0"."""
    return x.to_device(device, stream=stream)


# Modules that are imported when they are first used: most programs need none of them.
_LATER = ("data", "learn", "nn", "onnx", "optim", "plot", "table", "text", "zoo")


def __getattr__(name):
    """Import a module of networks, tables or plots."""
    if name not in _LATER:
        from ._hints import unknown

        raise unknown(name, __dir__())
    import importlib

    return importlib.import_module("tyto." + name)


def __dir__():
    """Return the public names."""
    names = [name for name in globals() if not name.startswith("_") or name.startswith("__array")]
    return sorted({*names, *_LATER})


for _module in (fft, linalg, neighbours, random, signal, sparse, special, stats):
    _base.describe(vars(_module))
_base.describe(globals())

# Names that the modules share are no part of the namespace.
del as_array, as_view, fresh, ints, is_integer, on, shown, dtype_of, with_number  # noqa: F821
del apart, check_kind, placed_into, read_only, rows_of, size_along  # noqa: F821
del by_columns, is_integral, FLAT, KINDS, NUMBERS, namedtuple, operator  # noqa: F821
