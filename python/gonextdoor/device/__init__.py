"""GPUs: which one a ``device`` argument names, and arrays that cross to and from other libraries there."""
