"""zig as cgo's C compiler, for manylinux.py: python build_backend/zigcc.py TARGET ARGUMENT ...

gorgonia.org/cu names the system's folders of headers and libraries among its flags. zig brings those of the C library
that it compiles for, and the two do not mix.
"""

from __future__ import annotations

import os
import pathlib
import sys

SYSTEM = ("-I/usr/include", "-L/usr/lib/x86_64-linux-gnu")
CUDA = ("-I/usr/local/cuda", "-L/usr/local/cuda", "-I/opt/cuda", "-L/opt/cuda")


def main(target: str, *arguments: str) -> None:
    import ziglang

    zig = str(pathlib.Path(ziglang.__file__).with_name("zig"))
    kept = [a for a in arguments if a.rstrip("/") not in SYSTEM and not a.startswith(CUDA)]
    # zig turns the undefined-behaviour sanitizer on if optimisation is off.
    os.execv(zig, [zig, "cc", "-target", target, "-fno-sanitize=all", *kept])


if __name__ == "__main__":
    main(*sys.argv[1:])
