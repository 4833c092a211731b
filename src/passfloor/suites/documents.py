"""A suite document, YAML or JSON, as JSON data. What JSON cannot say is refused, not converted."""

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from passfloor.canonical import parse
from passfloor.errors import JsonError, SuiteError
from passfloor.suites.places import quoted, shown

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

MAX_BYTES = 16 * 1024 * 1024
"""The most bytes of one suite document."""

MAX_NODES = 1_000_000
"""The most values in a YAML document once its aliases are written out."""

MAX_CHARACTERS = 64 * 1024 * 1024
"""The most characters of text in a YAML document once its aliases are written out."""

MAX_DEPTH = 64
"""How deep a YAML document may be nested; the same holds for JSON."""

_LARGEST = 2**53 - 1
_CORE = "tag:yaml.org,2002:"
# The numbers of the YAML 1.2 core schema (section 10.3.2): no underscores, no sexagesimals, no binary.
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def parse_document(data: bytes, *, kind: str, source: str) -> object:
    """Read one document.

    Args:
        data: The whole file.
        kind: ``yaml`` (YAML 1.2, one document; a byte order mark is allowed) or ``json`` (RFC 8259).
        source: How to name the file in messages.

    Returns:
        JSON data; None for a document without any value (an empty file, or comments only).

    Raises:
        SuiteError: It is not UTF-8, not well-formed, past a limit, or holds what JSON cannot.
    """
    name = shown(source, 300)
    if len(data) > MAX_BYTES:
        raise SuiteError(f"{name}: is larger than {MAX_BYTES:,} bytes; move long texts to files of their own")
    if not data.strip():
        return None
    if kind == "yaml":
        return _yaml(data, name)
    try:
        return parse(data).value
    except JsonError as error:
        raise SuiteError(f"{name}: {shown(str(error), 300)}") from None


def _yaml(data: bytes, name: str) -> object:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SuiteError(f"{name}: is not UTF-8 at byte {error.start}; save it as UTF-8") from None
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False  # YAML 1.2.2 section 7.1 allows an anchor to be used again
    try:
        root = yaml.compose(text)
    except YAMLError as error:
        raise SuiteError(f"{name}: is not YAML: {_complaint(error)}") from None
    except RecursionError:
        raise SuiteError(f"{name}: is nested deeper than {MAX_DEPTH} levels") from None
    except (ValueError, OverflowError) as error:  # such as an escape past U+10FFFF
        raise SuiteError(f"{name}: is not YAML: {shown(str(error), 200)}") from None
    return None if root is None else _Builder(name).build(root)


def _complaint(error: Exception) -> str:
    """The parser's words without its drawing of the line."""
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    if str(problem).startswith("but found another document"):
        problem = "it holds more than one document; keep one and remove the '---' before the next"
    mark = getattr(error, "problem_mark", None)
    return shown(str(problem), 200) + (f" (line {mark.line + 1})" if mark is not None else "")


class _Size(NamedTuple):
    """What a value comes to with its aliases written out."""

    nodes: int
    characters: int
    height: int


class _Builder:
    """Turns a composed YAML graph into JSON data, counting every value as often as it is referred to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.built: dict[int, tuple[object, _Size]] = {}
        self.open: set[int] = set()

    def build(self, root: "Node") -> object:
        """Return the value of the root.

        The result shares what the document shares through aliases, so it is small whatever it would come to
        written out; the limits are on the latter, since that is what is hashed.
        """
        return self._value(root, 0)[0]

    def _value(self, node: "Node", depth: int) -> tuple[object, _Size]:
        key = id(node)
        if key in self.open:
            raise self._error(node, "an alias refers to what it stands in; write the value out")
        if key not in self.built:
            self._check_depth(node, depth)
            self.open.add(key)
            self.built[key] = self._fresh(node, depth)
            self.open.discard(key)
        value, size = self.built[key]
        self._check_depth(node, depth + size.height)
        if size.nodes > MAX_NODES or size.characters > MAX_CHARACTERS:
            raise self._error(
                node,
                f"more than {MAX_NODES:,} values or {MAX_CHARACTERS:,} characters"
                " with its aliases written out; use fewer aliases",
            )
        return value, size

    def _check_depth(self, node: "Node", depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self._error(node, f"nested deeper than {MAX_DEPTH} levels; flatten it")

    def _fresh(self, node: "Node", depth: int) -> tuple[object, _Size]:
        if node.tag == _CORE + "map":
            return self._mapping(node, depth)
        if node.tag == _CORE + "seq":
            pairs = [self._value(item, depth + 1) for item in node.value]
            return [value for value, _ in pairs], _together([size for _, size in pairs])
        value = self._scalar(node)
        return value, _Size(1, len(value) if isinstance(value, str) else 0, 0)

    def _mapping(self, node: "Node", depth: int) -> tuple[object, _Size]:
        result: dict[str, object] = {}
        sizes = []
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key in result:
                raise self._error(key_node, f"the key {quoted(key)} stands twice; remove one")
            result[key], size = self._value(value_node, depth + 1)
            sizes.append(size._replace(characters=size.characters + len(key)))
        return result, _together(sizes)

    def _key(self, node: "Node") -> str:
        if node.tag == _CORE + "merge":
            raise self._error(node, "'<<' is not YAML 1.2; put what the tasks share under 'defaults'")
        if node.tag != _CORE + "str":
            text = f" {quoted(node.value)}" if isinstance(node.value, str) else ""
            raise self._error(node, f"the key{text} is not a text; quote it")
        return self._text(node)

    def _scalar(self, node: "Node") -> object:
        tag = str(node.tag)
        kind = tag.removeprefix(_CORE)
        if not isinstance(node.value, str) or kind == tag:
            raise self._error(node, f"the tag {quoted(tag)} has no place in JSON; remove it")
        if kind in ("str", "value"):
            return self._text(node)
        if kind == "null" and node.value in ("", "~", "null", "Null", "NULL"):
            return None
        if kind == "bool" and node.value in ("true", "True", "TRUE", "false", "False", "FALSE"):
            return node.value.lower() == "true"
        if kind == "int" and _INT.fullmatch(node.value):
            return self._int(node)
        if kind == "float" and _FLOAT.fullmatch(node.value) and math.isfinite(float(node.value)):
            return float(node.value)
        raise self._error(
            node, f"{quoted(node.value)} ({shown(kind)}) has no place in JSON; quote it if it is a text"
        )

    def _text(self, node: "Node") -> str:
        """The text, with escaped surrogate pairs joined as in JSON (RFC 8259 section 7)."""
        text: str = node.value
        try:
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            raise self._error(node, f"{quoted(text)} holds half a surrogate pair; remove it") from None

    def _int(self, node: "Node") -> int:
        digits = node.value.lstrip("+-0oxX")
        if len(digits) <= 17:
            value = int(node.value, 0 if node.value[:2] in ("0o", "0x") else 10)
            if abs(value) <= _LARGEST:
                return value
        raise self._error(
            node, f"{quoted(node.value)} is past 2^53-1, which JSON cannot be trusted with; quote it"
        )

    def _error(self, node: "Node", message: str) -> SuiteError:
        return SuiteError(f"{self.name}: line {node.start_mark.line + 1}: {message}")


def _together(parts: list[_Size]) -> _Size:
    """The size of a container of these parts."""
    return _Size(
        1 + sum(part.nodes for part in parts),
        sum(part.characters for part in parts),
        1 + max((part.height for part in parts), default=0),
    )


def kind_of(path: Path) -> str | None:
    """``yaml`` or ``json`` by the ending of a file's name (in any case), None for another."""
    return {".yaml": "yaml", ".yml": "yaml", ".json": "json"}.get(path.suffix.lower())
