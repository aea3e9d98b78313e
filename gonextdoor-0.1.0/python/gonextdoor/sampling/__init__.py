"""Sampling: ``gonextdoor.sample``, ``NextDoor``, visit counts and end points."""
