"""Arrow streams as tables of edges, imported with pyarrow."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import arrow
from .numbering import Text, are_whole

__all__ = ["ArrowTable"]

Array = npt.NDArray[Any]


class ArrowTable:
    """A stream of Arrow record batches as a ``Table``. The stream is read once, by ``keep``.

    Args:
        reader: a ``pyarrow.RecordBatchReader``.
    """

    def __init__(self, reader: Any) -> None:
        import pyarrow

        self._pyarrow, self._reader = pyarrow, reader
        schema = reader.schema
        self.names = list(schema.names)
        self.kinds = [self._kind(kind) for kind in schema.types]
        self.types = [str(kind) for kind in schema.types]
        self._columns: dict[int, Any] = {}
        self._ahead: list[Any] = []  # batches that were read before the columns are chosen
        self.first = 0  # the position of row 0 in a larger table, for errors

    def block(self, batch: Any, first: int) -> ArrowTable:
        """A block of a larger table of the same columns, with those of a record batch in memory.

        Args:
            batch: a ``pyarrow.RecordBatch`` with some of the columns, whose types may differ in width.
            first: the position of its first row.
        """
        made: ArrowTable = object.__new__(ArrowTable)
        made._pyarrow, made._reader, made._ahead, made.first = self._pyarrow, None, [], first
        made.names, made.kinds, made.types = self.names, self.kinds, self.types
        positions = [self.names.index(name) for name in batch.schema.names]
        for i, column in zip(positions, batch.columns, strict=True):
            arrow.checked(f"column {self.names[i]!r}", column)
        made._columns = {
            i: self._pyarrow.chunked_array([column]) for i, column in zip(positions, batch.columns, strict=True)
        }
        return made

    @classmethod
    def of(cls, table: Any) -> ArrowTable:
        """The table of an object with ``__arrow_c_stream__``.

        Raises:
            ImportError: pyarrow 18 or later is not installed.
            TypeError: the object has no such method.
            ValueError: the stream cannot be read.
        """
        if not hasattr(table, "__arrow_c_stream__"):
            raise TypeError(
                f"table: expected an object with __arrow_c_stream__ (a pyarrow Table, a Polars or pandas DataFrame, a "
                f"DuckDB relation), got {type(table).__name__}"
            )
        try:
            import pyarrow
        except ImportError as missing:
            raise ImportError("reading Arrow data needs pyarrow: pip install 'gonextdoor[arrow]'") from missing
        if not hasattr(pyarrow.RecordBatchReader, "from_stream"):
            raise ImportError(f"Graph.from_arrow needs pyarrow 18 or later, found {pyarrow.__version__}")
        try:
            # pyarrow's own objects know the sizes of their buffers, which are lost in a stream.
            if isinstance(table, pyarrow.RecordBatchReader):
                return cls(table)
            if type(table).__module__.partition(".")[0] == "pandas":  # its columns may be arrays of pyarrow
                table = pyarrow.Table.from_pandas(table)
            if isinstance(table, pyarrow.RecordBatch):
                table = pyarrow.Table.from_batches([table])
            if isinstance(table, pyarrow.Table):
                return cls(table.to_reader())
            return cls(pyarrow.RecordBatchReader.from_stream(table))
        except pyarrow.ArrowException as error:
            raise ValueError(f"table: its Arrow stream cannot be read: {error}") from error

    def _kind(self, kind: Any) -> str:
        types = self._pyarrow.types
        if types.is_dictionary(kind):
            return "other" if types.is_decimal(kind.value_type) else self._kind(kind.value_type)
        if types.is_integer(kind):
            return "int"
        if types.is_floating(kind):
            return "float"
        if types.is_timestamp(kind) or types.is_date(kind):
            return "date"
        if types.is_decimal(kind):
            return "float" if kind.scale > 0 else "int"
        return "text" if self._is_text(kind) else "other"

    def _is_text(self, kind: Any) -> bool:
        types = self._pyarrow.types
        view = getattr(types, "is_string_view", lambda kind: False)
        return bool(types.is_string(kind) or types.is_large_string(kind) or view(kind))

    def whole(self, i: int) -> bool:
        """Whether the values of column i, of kind "float", are whole numbers in the first batch that has rows."""
        column = self._columns.get(i)
        if column is None:
            for batch in self._batches() if not self._ahead else ():
                self._ahead.append(batch)
                if batch.num_rows:
                    break
            if not self._ahead:
                return False
            column = self._ahead[-1].column(i)
            arrow.checked(f"column {self.names[i]!r}", column)
        if self._pyarrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        elif self._pyarrow.types.is_decimal(column.type):
            column = column.cast(self._pyarrow.float64())
        return are_whole(np.asarray(column.drop_null().to_numpy(zero_copy_only=False), np.float64))

    def keep(self, needed: Sequence[int]) -> None:
        """Reads the stream, and keeps these columns."""
        chunks: dict[int, list[Any]] = {i: [] for i in needed}
        for batch in itertools.chain(self._ahead, self._batches()):
            for i, parts in chunks.items():
                arrow.checked(f"column {self.names[i]!r}", batch.column(i))
                parts.append(batch.column(i))
        self._ahead = []
        schema = self._reader.schema
        for i, parts in chunks.items():
            self._columns[i] = self._pyarrow.chunked_array(parts, schema.types[i])

    def _batches(self) -> Iterator[Any]:
        """The batches that were not read yet."""
        try:
            for batch in self._reader:  # noqa: UP028 - it would close the reader with the iterator
                yield batch
        except (self._pyarrow.ArrowException, OSError) as error:
            raise ValueError(f"table: its Arrow stream ended with an error: {error}") from error

    def missing(self, i: int) -> int | None:
        """The first row without a value in column i."""
        at = 0
        for part in self._columns[i].chunks:
            missing = _nulls(part)
            if missing is not None:
                return self.first + at + int(np.argmax(missing))
            at += len(part)
        return None

    def numbers(self, i: int) -> Array:
        """Column i, which holds numbers and no nulls."""
        column = self._columns[i]
        kind = column.type
        if self._pyarrow.types.is_dictionary(kind):
            parts = [part.dictionary.to_numpy()[_indices(part)] for part in column.chunks]
            return np.concatenate(parts) if parts else np.empty(0, np.int64)
        if self._pyarrow.types.is_decimal(kind):
            wanted = self._pyarrow.float64() if kind.scale > 0 else self._pyarrow.int64()
            try:
                column = column.cast(wanted)
            except self._pyarrow.ArrowException as error:
                raise ValueError(
                    f"column {self.names[i]!r}: not all values of {kind} fit in {wanted}: {error}"
                ) from None
        return np.asarray(column.to_numpy())

    def text(self, i: int) -> Text:
        """Column i, which holds text and no nulls."""
        column = self._columns[i]
        if not self._pyarrow.types.is_dictionary(column.type):
            column = column.cast(self._pyarrow.large_string()).dictionary_encode()
        codes, code = [], dict[str, int]()
        for part in column.chunks:
            words = part.dictionary.to_pylist()
            of_word = np.fromiter((code.setdefault(word, len(code)) for word in words), np.int64, len(words))
            codes.append(of_word[_indices(part)])
        return Text(np.concatenate(codes) if codes else np.empty(0, np.int64), list(code))


def _indices(part: Any) -> Array:
    """The indices of a chunk with a dictionary, none of which is null; kernels of pyarrow do not take all types."""
    return np.asarray(part.indices.to_numpy(), np.int64)


def _nulls(part: Any) -> Array | None:
    """Which elements of a chunk are null, by themselves or by their entry in the dictionary; None if none is."""
    nulls = np.asarray(part.is_null().to_numpy(zero_copy_only=False))
    if hasattr(part, "dictionary") and part.dictionary.null_count:
        entries = np.asarray(part.dictionary.is_null().to_numpy(zero_copy_only=False))
        nulls = nulls | entries[np.asarray(part.indices.fill_null(0).to_numpy(), np.int64)]
    return nulls if nulls.any() else None
