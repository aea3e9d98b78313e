"""Graphs that are opened and saved by URI: folders of this machine, or of object storage, which are copied."""
