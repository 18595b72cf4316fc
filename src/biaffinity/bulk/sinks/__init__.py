"""Where documents go: files of many formats, and databases, behind one kind of sink."""

from biaffinity.bulk.sinks.naming import NAMES, format_named, sink_named
from biaffinity.bulk.sinks.sink import Failure, Mark, Sink

__all__ = ["NAMES", "Failure", "Mark", "Sink", "format_named", "sink_named"]
