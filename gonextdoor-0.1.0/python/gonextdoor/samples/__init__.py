"""Samples: the result of ``gonextdoor.sample``, in host memory or on a GPU, and its exports."""
