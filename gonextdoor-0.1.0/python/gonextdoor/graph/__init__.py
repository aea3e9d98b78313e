"""Graphs: the classes, the constructors, and the readers of files and of other libraries' objects."""
