"""Drawing in SVG: elements by class and place; colours are the style sheet's, and no style is inline."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass

Number = int | float


@dataclass(frozen=True)
class Frame:
    """A plot's outer size and the edges of its field, in units that a screen shows as pixels or fewer."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int

    def y(self, share: float) -> float:
        """Where a share from 0 to 1 stands."""
        return self.bottom - share * (self.bottom - self.top)


def canvas(width: int, height: int, name: str, *, label: str = "", stretched: bool = False) -> ET.Element:
    """The outermost element; without ``label`` it is mere decoration, and its text twin stands beside it."""
    said = {"role": "img", "aria-label": label} if label else {"aria-hidden": "true"}
    root = ET.Element("svg", {"class": name, "viewBox": f"0 0 {width} {height}", **said})
    if stretched:
        root.set("preserveAspectRatio", "none")
    return root


def shape(parent: ET.Element, tag: str, name: str, **places: Number | str) -> ET.Element:
    """One element; ``_`` in the name of an attribute stands for ``-``."""
    return ET.SubElement(
        parent, tag, {"class": name, **{k.replace("_", "-"): _put(places[k]) for k in places}}
    )


def words(parent: ET.Element, name: str, text: str, x: Number, y: Number, anchor: str = "start") -> None:
    """Text at a place."""
    shape(parent, "text", name, x=x, y=y, text_anchor=anchor).text = text


def tip(parent: ET.Element, text: str) -> None:
    """What a pointer that rests on an element is told."""
    ET.SubElement(parent, "title").text = text


def path(points: list[tuple[float, float]]) -> str:
    """A list of places for ``polyline`` or ``polygon``."""
    return " ".join(f"{_put(x)},{_put(y)}" for x, y in points)


def markup(root: ET.Element) -> str:
    """The element as text; whatever it holds is escaped."""
    return ET.tostring(root, encoding="unicode")


def _put(value: Number | str) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
