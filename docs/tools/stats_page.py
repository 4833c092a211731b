"""The reference of ``passfloor.stats``, made from its docstrings and signatures."""

import dataclasses
import inspect
import re
from typing import Any

from passfloor import stats

_HEAD = """\
# passfloor.stats

Made from the docstrings by `docs/tools/generate.py`. How the names play together stands in
[Use the statistics alone](../how-to/use-the-statistics.md), why they are what they are in
[The two figures](../statistics.md).
"""
_SECTIONS = {
    "estimators": "One task",
    "curves": "A suite",
    "assumed": "Assumed rates, shortcuts, bounds",
    "intervals": "Intervals",
    "consistency": "Consistency",
    "pairing": "Two runs",
    "auditing": "Claims and fresh attempts",
    "planning": "Planning",
    "judging": "Graders",
}


def stats_reference() -> str:
    """Every public name, under the module it comes from, with signature and docstring."""
    parts = [_HEAD]
    for module, title in _SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name) for name in stats._MODULES[module]]
    return "\n".join(parts)


def _entry(name: str) -> str:
    if name in _KEPT:
        return f"### {name}\n\n{_KEPT[name]}"
    value = getattr(stats, name)
    derived = [(key, kept) for key, kept in vars(value).items() if isinstance(kept, property)]
    more = "".join(f"- `{key}`: {inspect.getdoc(kept)}\n" for key, kept in derived)
    text = f"### {name}\n\n{_signature(name, value)}{_markdown(inspect.getdoc(value) or '')}{more}"
    return "\n".join([text, *_methods(name, value)])


def _methods(name: str, value: Any) -> list[str]:
    """What a class that is no mere record takes to be made, and an entry for each thing it does."""
    if not inspect.isclass(value) or _is_record(value):
        return []
    entries = [_markdown(inspect.getdoc(value.__init__) or "")]
    for key, method in vars(value).items():
        if inspect.isfunction(method) and not key.startswith("_"):
            signature = _signature(f"{name}.{key}", method)
            entries.append(f"#### {name}.{key}\n\n{signature}{_markdown(inspect.getdoc(method) or '')}")
    return entries


def _is_record(value: Any) -> bool:
    return dataclasses.is_dataclass(value) or issubclass(value, tuple)


def _signature(name: str, value: Any) -> str:
    if inspect.isclass(value) and _is_record(value):
        return ""
    signature = inspect.signature(value)
    shown = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        mix = parameter.default is stats.WORKED_MIX
        text = str(parameter.replace(default=inspect.Parameter.empty) if mix else parameter)
        shown.append(f"{text} = WORKED_MIX" if mix else text)
    text = f"{name}({', '.join(shown)})"
    if not inspect.isclass(value):
        text += f" -> {inspect.formatannotation(signature.return_annotation)}"
    return f"```text\n{re.sub(r'(?:[a-z_]+[.])+(?=[A-Z])', '', text)}\n```\n\n"


def _markdown(text: str) -> str:
    """Google style to Markdown: a bold word for a section, a list item for what it names."""
    lines = []
    for line in text.replace("``", "`").splitlines():
        section = re.fullmatch(r"(Args|Attributes|Returns|Raises):", line)
        named = re.match(r"    (\w+): (.*)", line)
        if section:
            lines += [f"**{section[1]}**", ""]
        elif named:
            lines.append(f"- `{named[1]}`: {named[2]}")
        else:
            lines.append(f"  {line.strip()}" if line.startswith("        ") else line.strip())
    return "\n".join(lines) + "\n"


_KEPT = {
    "Mix": "A sequence of `(weight, rate)`, one a kind of task; weights need not sum to 1.\n",
    "WORKED_MIX": (
        "Half the tasks always pass, a fifth at 0.7, 15% at 0.5, a tenth at 0.2, one in twenty never.\n"
    ),
}
