"""Graphs that are opened by URI: in a folder of this machine, or in object storage and copied to this machine once."""
