"""Text for seconds and bytes, with a suitable unit; None is "unknown"."""

from __future__ import annotations

__all__ = ["byte_text", "second_text"]


def second_text(value: float | None) -> str:
    """Seconds as text, such as "3.2 ms"."""
    if value is None:
        return "unknown"
    if value < 1e-3:
        return f"{1e6 * value:.3g} us"
    return f"{1e3 * value:.3g} ms" if value < 1 else f"{value:.3g} s"


def byte_text(value: float | None) -> str:
    """Bytes as text, such as "3.2 kB"."""
    if value is None:
        return "unknown"
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            break
        value /= 1000
    return f"{value:,.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
