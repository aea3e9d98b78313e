"""Graphs that are opened and saved by URI: in folders of this machine, or in object storage and copied to this machine once."""
