"""log_call: what the log says of a sampling call before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.log import logger
from ..device import devices
from .explain import plan_of_call
from .request import FAULTS

if TYPE_CHECKING:
    from .request import Request

__all__ = ["log_call"]


def log_call(request: Request) -> None:
    """Logs the device with the reason, the driver and the tables, at DEBUG."""
    text = "%r, %d samples on %s%s, expected %.3g s"
    device = devices.named(request.devices)
    try:
        plan = plan_of_call(
            request.graph,
            request.app,
            request.given,
            None if request.auto else request.devices,
            request.copies,
            request.threads,
            request.order,
        )
    except FAULTS:  # the call reports it
        logger.debug(text, request.app, request.rows, device, "", request.seconds)
        return
    why = f" ({plan.why})" if plan.device == device else ""
    logger.debug(f"{text}: driver %s, selector %s", request.app, request.rows, device, why, request.seconds,
                 plan.driver, plan.selector)  # fmt: skip
    if plan.placement is not None:
        logger.debug("graph split over %s: %s", ", ".join(plan.placement.devices), plan.placed)
    for table in plan.tables:
        state = "built before" if table.built else f"built {table.when}" if table.when else "built now"
        logger.debug("table %s on %s: %d bytes, %s", table.name, plan.device, table.bytes, state)
