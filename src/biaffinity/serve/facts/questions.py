"""The questions that have an address: what may be said with each, and what it is answered with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from biaffinity.facts import About, Fact, Facts, Path, Summary, Text, Top, Why
from biaffinity.serve.facts import schemas


@dataclass(frozen=True, slots=True)
class Question:
    """A method of `Facts` at an address; the fields of what is asked are its parameters."""

    method: str
    asked: type[BaseModel]
    answer: type[Any]
    #: The field of the answer that a list stands in.
    listed: str | None = None

    @property
    def path(self) -> str:
        """Its address."""
        return "/v1/facts" if self.method == "summary" else f"/v1/facts/{self.method}"

    def put(self, store: Facts, asked: BaseModel) -> Any:
        """Ask it."""
        answer = getattr(store, self.method)(
            **{name: getattr(asked, name) for name in type(asked).model_fields}
        )
        return answer if self.listed is None else {self.listed: answer}


QUESTIONS = (
    Question("summary", schemas.SummaryQuestion, Summary),
    Question("search", schemas.SearchQuestion, schemas.SearchAnswer, "found"),
    Question("about", schemas.AboutQuestion, About),
    Question("find", schemas.FindQuestion, schemas.FindAnswer, "facts"),
    Question("fact", schemas.FactQuestion, Fact),
    Question("evidence", schemas.EvidenceQuestion, schemas.EvidenceAnswer, "evidence"),
    Question("path", schemas.PathQuestion, Path),
    Question("top", schemas.TopQuestion, Top),
    Question("why", schemas.WhyQuestion, Why),
    Question("text", schemas.TextQuestion, Text),
)
