"""The smallest document that fits a JSON schema, for judges that ask for such a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DEPTH = 12


def instance_of(schema: Mapping[str, Any], text: str = "yes") -> Any:
    """Return an instance of a JSON schema: required fields, first options, least numbers.

    ``text`` stands where any text may. Patterns and formats are not read: whoever needs the
    instance validates it. Raises ValueError for a schema that refers to itself without end.
    """
    return _made(schema, schema, text, _DEPTH)


def _made(node: Mapping[str, Any], root: Mapping[str, Any], text: str, depth: int) -> Any:
    if depth == 0:
        raise ValueError("the schema has no end")
    if "$ref" in node:
        target: Any = root
        for part in str(node["$ref"]).removeprefix("#").strip("/").split("/"):
            target = target[part]
        return _made(target, root, text, depth - 1)
    for given in ("const", "default"):
        if given in node:
            return node[given]
    for several in ("enum", "examples"):
        if node.get(several):
            return node[several][0]
    for union in ("anyOf", "oneOf", "allOf"):
        if node.get(union):
            return _made(node[union][0], root, text, depth - 1)
    kind = node.get("type", "object" if "properties" in node else "null")
    if kind == "object":
        fields = node.get("properties", {})
        return {
            name: _made(fields.get(name, {}), root, text, depth - 1)
            for name in node.get("required", ())
        }
    if kind == "array":
        entry = node.get("items", {})
        return [_made(entry, root, text, depth - 1) for _ in range(node.get("minItems", 0))]
    if kind == "string":
        return text.ljust(node.get("minLength", 0), ".")[: node.get("maxLength")]
    if kind in ("integer", "number"):
        least = node.get("minimum", node.get("exclusiveMinimum", 0))
        return least + (kind == "integer" or 0.5) if "exclusiveMinimum" in node else least
    return True if kind == "boolean" else None
