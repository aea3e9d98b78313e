"""reported: the error of a range, for the process that started the run."""

from __future__ import annotations

import os
import pickle

from ..partition import PartLostError

__all__ = ["reported"]


def reported(error: Exception, ids: range) -> Exception:
    """Returns an error of the same class whose text has the range and this machine.

    Args:
        error: the error of a range. If its class has other arguments than a text, the result is a ``RuntimeError``.
        ids: the range.
    """
    where = f"ids {ids.start} to {ids.stop - 1} on {os.uname().nodename}"
    try:
        if isinstance(error, PartLostError):
            return PartLostError(error.part, f"{error.reason} ({where})")
        copy = type(error)(f"{error} ({where})")
        pickle.loads(pickle.dumps(copy))
        return copy
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error} ({where})")
