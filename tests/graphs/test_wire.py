"""Protocol buffers are read strictly: whatever bytes come, they are understood in one way or refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.graphs import wire
from biaffinity.graphs.wire import Field, GraphError, Message, Reader

INNER = Message("Inner", {1: Field("number", "whole")})
OUTER = Message(
    "Outer",
    {
        1: Field("number", "whole"),
        2: Field("name", "text"),
        3: Field("numbers", "whole", many=True),
        4: Field("inner", INNER),
        5: Field("many", INNER, many=True),
        6: Field("raw", "bytes"),
        7: Field("float", "float"),
        8: Field("floats", "float", many=True),
    },
)
OUTER.fields[9] = Field("self", OUTER)


def read(content: bytes) -> dict[str, Any]:
    found = Reader(memoryview(content)).read(OUTER)
    return {name: value for name, value in found.items() if value != []}


def varint(number: int) -> bytes:
    number %= 1 << 64
    content = bytearray()
    while number > 127:
        content.append(number & 127 | 128)
        number >>= 7
    return bytes([*content, number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_every_number_of_64_bits_is_read(number: int) -> None:
    assert read(b"\x08" + varint(number)) == {"number": number}


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1))
def test_numbers_may_be_packed_or_not(numbers: list[int]) -> None:
    packed = field(3, b"".join(map(varint, numbers)))
    single = b"".join(b"\x18" + varint(number) for number in numbers)
    assert read(packed) == read(single) == {"numbers": numbers}


def test_messages_are_read_within_messages() -> None:
    inner = b"\x08\x07"
    assert read(field(4, inner) + field(5, inner) + field(5, b"") + field(2, "Øl".encode())) == {
        "inner": {"number": 7},
        "many": [{"number": 7}, {}],
        "name": "Øl",
    }


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (field(10, b""), "field 10 of Outer is not allowed"),
        (b"\x08\x01\x08\x02", "number twice"),
        (field(4, b"") * 2, "inner twice"),
        (b"\x08", "cut short"),
        (field(2, b"abc")[:-1], "cut short"),
        (field(4, b"\x08"), "cut short"),
        (b"\x08" + b"\xff" * 10, "too large"),
        (b"\x08" + b"\xff" * 9 + b"\x02", "too large"),
        (field(2, b"\xff"), "no text"),
        (b"\x0d\x00\x00\x00\x00", "not as it should be"),
        (b"\x09" + bytes(8), "not as it should be"),
        (field(1, b"\x01"), "not as it should be"),
        (b"\x10\x01", "not as it should be"),
        (b"\x3d\x00", "not as it should be"),
    ],
)
def test_what_is_not_expected_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(GraphError, match=why):
        read(content)


def test_messages_without_end_are_refused() -> None:
    content = b""
    for _ in range(2000):
        content = field(9, content)
    with pytest.raises(GraphError, match="without end"):
        read(content)


def test_a_file_of_fields_alone_is_refused_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MOST_FIELDS", 1000)
    for content in (b"\x18\x01" * 1001, field(3, b"\x01" * 1001), field(5, b"") * 1001):
        with pytest.raises(GraphError, match="more than 1,000 fields"):
            read(content)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        found = read(content)
    except GraphError:
        return
    assert found.keys() <= {own.name for own in OUTER.fields.values()}
