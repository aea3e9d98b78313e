"""The version of this package. It is defined only here."""

__version__ = "0.1.0"
"""The version of the package.

Examples:
    >>> gnd.__version__.count(".")
    2
"""
