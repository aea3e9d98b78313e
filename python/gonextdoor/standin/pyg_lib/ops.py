"""pyg-lib's other operators, of which there are none: PyG uses its own code if a name is missing here."""

__all__: list[str] = []
