"""The logger of the package. Its level is DEBUG for everything: what was chosen, built, and found in a cache."""

import logging

__all__ = ["DEBUG", "logger"]

DEBUG = logging.DEBUG

logger = logging.getLogger("gonextdoor")
