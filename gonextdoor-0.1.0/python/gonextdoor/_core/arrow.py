"""Arrow data of pyarrow, whose buffers are checked before they are read.

Reading an IPC file or importing a stream does not check offsets, views, indices of dictionaries and sizes of buffers,
and pyarrow's kernels trust them.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["checked"]


def checked(name: str, given: Any) -> None:
    """Checks an array or a chunked array of pyarrow in full; anything else is accepted.

    Raises:
        ValueError: an offset, a view, an index of a dictionary, text or the size of a buffer is wrong.
    """
    pyarrow = sys.modules.get("pyarrow")  # an object of pyarrow has imported it
    if pyarrow is None or not isinstance(given, (pyarrow.Array, pyarrow.ChunkedArray)):
        return
    try:
        given.validate(full=True)
    except (pyarrow.ArrowException, ValueError) as error:
        raise ValueError(f"{name}: its Arrow data is damaged: {str(error).strip()}") from None
