"""The types of requests and responses."""

from .generated.models import *  # noqa: F403
from .generated.models import __all__ as __all__
