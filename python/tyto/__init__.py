"""Arrays, derivatives and networks."""

from tyto._core import *  # noqa: F401,F403
from tyto.transform import *  # noqa: F401,F403
