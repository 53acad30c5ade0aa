"""Read YAML from an untrusted source as plain values.

What other YAML readers accept is accepted here, because output that can't be parsed loses its reward: aliases and
merge keys, several documents in a file, tags of an application's own (`!Ref`). Refused are aliases that stand for
more than ``EXPANDED`` values, and tags that would build objects.
"""

import functools
from typing import Any

EXPANDED = 100_000


def load_yaml(text: str) -> Any:
    """The document, or a list of them where there are several. Raises ``ValueError``."""
    import yaml  # noqa: PLC0415 - slow to import, and few outputs are YAML

    try:
        documents = list(yaml.load_all(text, Loader=_loader()))
    except Exception as error:
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from error
    while len(documents) > 1 and documents[-1] is None:
        documents.pop()  # A line of dashes at the end begins a document that nobody wrote.
    return documents[0] if len(documents) == 1 else documents or None


@functools.cache
def _loader() -> Any:
    """A SafeLoader that counts what aliases stand for: a few lines of them can stand for gigabytes."""
    import yaml  # noqa: PLC0415

    class Loader(yaml.SafeLoader):
        def __init__(self, stream: str) -> None:
            super().__init__(stream)
            self._values = 0
            self._expanded = 0
            self._sizes: dict[str, int] = {}

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                self._expand(self._anchor())
                return super().compose_node(parent, index)
            anchor, before = self._anchor(), self._values
            self._sizes.pop(anchor, None)
            self._values += 1
            node = super().compose_node(parent, index)
            self._sizes[anchor] = self._values - before
            return node

        def _anchor(self) -> Any:
            return self.peek_event().anchor  # type: ignore[no-untyped-call]

        def _expand(self, anchor: str) -> None:
            if anchor in self.anchors and anchor not in self._sizes:
                raise yaml.YAMLError(f"the alias {anchor[:100]} is used inside the value that it names")
            size = self._sizes.get(anchor, 0)
            self._values += size
            self._expanded += size
            if self._expanded > EXPANDED:
                raise yaml.YAMLError(f"its aliases stand for more than {EXPANDED} values")

    _make_plain(Loader)
    return Loader


def _make_plain(loader: Any) -> None:
    """Dates stay texts, as in JSON; so does a lone `=` or `<<`. A local tag says nothing of the value under it."""
    loader.yaml_implicit_resolvers = {
        first: [one for one in resolvers if not one[0].endswith((":timestamp", ":value"))]
        for first, resolvers in loader.yaml_implicit_resolvers.items()
    }
    loader.add_constructor("tag:yaml.org,2002:merge", loader.construct_yaml_str)
    loader.add_multi_constructor("!", _untagged)


def _untagged(loader: Any, _tag: str, node: Any) -> Any:
    if node.id == "mapping":
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if node.id == "sequence" else loader.construct_scalar(node)
