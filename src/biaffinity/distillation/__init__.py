"""Distillation: large models label text, a small one learns from what they saw.

Labels are hard: what the vote keeps. Scores stay in each teacher's files, where soft labels would begin.
"""

from biaffinity.bulk.run import Noted, Skipped
from biaffinity.distillation.events import Event, Labelled, Mixed, TeacherStarted, TextRead, Voted, Voting
from biaffinity.distillation.session import LABELS, distil, files_of_text, make_labels

__all__ = [
    "LABELS",
    "Event",
    "Labelled",
    "Mixed",
    "Noted",
    "Skipped",
    "TeacherStarted",
    "TextRead",
    "Voted",
    "Voting",
    "distil",
    "files_of_text",
    "make_labels",
]
