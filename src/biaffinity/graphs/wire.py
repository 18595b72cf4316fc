"""Protocol buffers as ONNX files hold them, read strictly: what is not expected is an error, not skipped.

Strict, because another reader of the same bytes must not see another graph: a field that is unknown, or that
stands twice where one is meant, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

#: Fields and numbers of a whole file. A graph of a transformer of 24 layers has some 40,000.
MOST_FIELDS = 400_000
#: Messages within messages; a tensor of a branch of an If is the eighth.
DEEPEST = 12
_VARINT, _BYTES, _FIXED32 = 0, 2, 5

Kind = Literal["whole", "text", "bytes", "float"]


class GraphError(ValueError):
    """A graph that is damaged, or that is not to be run."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message: its name, what it holds, and whether it may stand several times."""

    name: str
    kind: Kind | Message
    many: bool = False


@dataclass(frozen=True)
class Message:
    """A kind of message: its fields by their numbers. One that may hold itself is given that field later."""

    name: str
    fields: dict[int, Field]

    @cached_property
    def lists(self) -> list[str]:
        """The fields that may stand several times."""
        return [field.name for field in self.fields.values() if field.many]


class Reader:
    """The messages of a file."""

    def __init__(self, content: memoryview) -> None:
        self._content = content
        self._left = MOST_FIELDS

    def read(self, message: Message) -> dict[str, Any]:
        """The file as a message: values by the names of their fields, those that may be several in lists."""
        return self._message(message, 0, len(self._content), DEEPEST)

    def _message(self, message: Message, at: int, end: int, deep: int) -> dict[str, Any]:
        if not deep:
            raise GraphError("has messages within messages without end")
        content = self._content
        found: dict[str, Any] = {name: [] for name in message.lists}
        while at < end:
            tag, at = (content[at], at + 1) if content[at] < 128 else self._varint(at, end)
            field = message.fields.get(tag >> 3)
            if field is None:
                raise GraphError(f"field {tag >> 3} of {message.name} is not allowed")
            value: Any
            name, kind, wire = field.name, field.kind, tag & 7
            if wire == _BYTES:
                size, at = self._varint(at, end)  # which also counts the field
                stop = at + size
                if stop > end:
                    raise GraphError(f"{name} is cut short")
                if isinstance(kind, Message):
                    value = self._message(kind, at, stop, deep - 1)
                else:
                    value = self._bytes(field, at, stop)
                at = stop
            elif wire == _VARINT and kind == "whole":
                number, at = self._varint(at, end)
                value = [_signed(number)] if field.many else _signed(number)
            elif wire == _FIXED32 and kind == "float" and at + 4 <= end:
                value = content[at : at + 4]
                at += 4
            else:
                raise GraphError(f"{name} is not as it should be")
            if not field.many:
                if name in found:
                    raise GraphError(f"{message.name} has {name} twice")
                found[name] = value
            elif kind == "whole":
                found[name] += value
            else:
                found[name].append(value)
        return found

    def _bytes(self, field: Field, at: int, end: int) -> Any:
        """Bytes as what they are meant for; numbers where many are packed into one field."""
        piece = self._content[at:end]
        if field.kind == "text":
            try:
                return str(piece, "utf-8")
            except UnicodeDecodeError:
                raise GraphError(f"{field.name} is no text") from None
        if field.kind == "bytes" or (field.kind == "float" and field.many):
            return piece
        if not field.many:
            raise GraphError(f"{field.name} is not as it should be")
        numbers = []
        while at < end:
            number, at = self._varint(at, end)
            numbers.append(_signed(number))
        return numbers

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        """A number of seven bits a byte, and where it ends."""
        self._left -= 1
        if self._left < 0:
            raise GraphError(f"has more than {MOST_FIELDS:,} fields")
        content, value = self._content, 0
        if at < end and content[at] < 128:
            return content[at], at + 1
        for shift in range(0, 70, 7):
            if at >= end:
                break
            byte = content[at]
            at += 1
            if byte < 128:
                value |= byte << shift
                if value >= 1 << 64:
                    break
                return value, at
            value |= (byte & 127) << shift
        raise GraphError("is cut short, or holds a number that is too large")


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number
