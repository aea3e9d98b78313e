"""Finds the GPUs of this machine: python build_backend/gpus.py prints their compute capabilities, such as "75 90".

It asks the driver's library, so it runs in a separate process: a process that forks must not have called the driver.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

LIBRARY = "GONEXTDOOR_LIBCUDA"  # names another libcuda.so.1, for the package and so for its build
MAJOR, MINOR = 75, 76  # cuDeviceGetAttribute: CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
SECONDS = 60  # a driver that takes longer to answer is treated as missing


def present() -> list[str]:
    """Returns the compute capabilities of this machine's GPUs, ascending and distinct; none without a usable driver."""
    try:
        command = [sys.executable, __file__]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.split() if done.returncode == 0 else []


def ask() -> list[str]:
    """Asks the driver in this process. Raises OSError without a driver's library, AttributeError for another one."""
    driver = ctypes.CDLL(os.environ.get(LIBRARY) or "libcuda.so.1")
    count, device, major, minor = (ctypes.c_int() for _ in range(4))
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return []
    found = set()
    for i in range(count.value):
        failed = driver.cuDeviceGet(ctypes.byref(device), i)
        for value, attribute in ((major, MAJOR), (minor, MINOR)):
            failed = failed or driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
        if not failed:
            found.add(10 * major.value + minor.value)
    return [str(capability) for capability in sorted(found)]


if __name__ == "__main__":
    try:
        print(*ask())
    except (OSError, AttributeError) as error:
        raise SystemExit(f"no GPU: {error}") from None
