"""GPUs: the meaning of ``device`` arguments, and arrays in GPU memory that are exchanged with other libraries."""
