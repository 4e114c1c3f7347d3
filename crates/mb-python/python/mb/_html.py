"""Tables that notebooks show; names stay text whatever is in them."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, ClassVar

import numpy as np

#: Rows that are shown; of more the number is said where it is known.
MOST = 40


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], *below: str, above: str = "", total: int | None = None) -> str:
    """A table of texts, with paragraphs ``above`` and ``below``; of more rows than :data:`MOST` the first ones."""
    shown = list(islice(rows, MOST))
    lines = [_row("th", head)] if head else []
    lines += [_row("td", row) for row in shown]
    more = [f"{total - len(shown)} more"] if total is not None and total > len(shown) else []
    paragraphs = "".join(f"<p>{html.escape(text)}</p>" for text in [*more, *below] if text)
    first = f"<p>{html.escape(above)}</p>" if above else ""
    return f"{first}<table>{''.join(lines)}</table>{paragraphs}"


def _row(cell: str, texts: Iterable[Any]) -> str:
    return "<tr>" + "".join(f"<{cell}>{html.escape(str(text))}</{cell}>" for text in texts) + "</tr>"


def short(value: Any) -> str:
    """A value in a few letters: numbers with six digits, arrays and long lists by their sizes."""
    if isinstance(value, (bool, np.bool_)) or value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.6g}"
    if isinstance(value, (complex, np.complexfloating)):
        return f"{value.real:.6g}{value.imag:+.6g}i"
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and len(value) <= 6:
            return f"[{', '.join(short(x) for x in value)}]"
        return " x ".join(map(str, value.shape)) + " numbers"
    if isinstance(value, dict):
        entries = [f"{name}: {short(entry)}" for name, entry in islice(value.items(), 6)]
        return ", ".join([*entries, "..."] if len(value) > 6 else entries)
    if isinstance(value, (list, tuple)):
        if len(value) > 6:
            return f"{len(value)} entries"
        return f"{'(' if isinstance(value, tuple) else '['}{', '.join(short(x) for x in value)}{')' if isinstance(value, tuple) else ']'}"
    return str(value)


class Record:
    """A result of a few fields, a dataclass: short as text, a table in notebooks."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    def _fields(self) -> list[tuple[str, str]]:
        fields = dataclasses.fields(self)
        return [(f.name, short(getattr(self, f.name))) for f in fields if f.repr]

    def __repr__(self) -> str:
        # Sentences stand whole in the table alone.
        fields = (f"{name} {value if len(value) <= 60 else value[:57] + '...'}" for name, value in self._fields())
        return f"<mb.{type(self).__name__}: {', '.join(fields)}>"

    def _repr_html_(self) -> str:
        return table((), self._fields())
