"""Omits the constructors of objects that functions return: a griffe extension of mkdocstrings (mkdocs.yml).

Docstrings of classes that users make have a section "Args"; those of ``Loader`` or ``Samples`` have none.
"""

from __future__ import annotations

from typing import Any

import griffe


class ReturnedObjects(griffe.Extension):
    """Removes ``__init__`` from the classes without a section "Args", after dataclasses have got theirs."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        self._omit(pkg)

    def _omit(self, owner: griffe.Object) -> None:
        for name, member in list(owner.members.items()):
            if member.is_alias:
                continue
            if member.is_module or member.is_class:
                self._omit(member)
            elif name == "__init__" and "Args:" not in (owner.docstring.value if owner.docstring else ""):
                owner.del_member(name)
