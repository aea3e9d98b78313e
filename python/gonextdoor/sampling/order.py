"""The order of execution that the argument plan= of a call forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ORDERS", "checked_order"]

ORDERS = "sample", "transit"  # in records.Request.order: 1 and 2; 0 lets the planner choose


def checked_order(plan: Mapping[str, Any] | None) -> int:
    """Returns the order in a plan as records.Request.order.

    Raises:
        TypeError: plan is not a mapping, or the order is not a str.
        ValueError: a key or the order is unknown.
    """
    if plan is None:
        return 0
    if not isinstance(plan, Mapping):
        raise TypeError(f"plan = {plan!r}: expected a dict such as {{'order': 'transit'}}, or None")
    for key in plan:
        if key != "order":
            raise ValueError(f"plan has the key {key!r}: the only possible key is 'order'")
    if "order" not in plan:
        return 0
    order = plan["order"]
    if not isinstance(order, str):
        raise TypeError(f"plan['order'] = {order!r}: expected 'sample' or 'transit'")
    if order not in ORDERS:
        raise ValueError(f"plan['order'] = {order!r}: expected 'sample' or 'transit'")
    return 1 + ORDERS.index(order)
