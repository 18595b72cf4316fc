"""Models and records of earlier versions, brought to today's: the same numbers under other names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Where a setting of version 1 went: (section, key) to (section, key).
_MOVED = {
    ("encoding", "normalisation"): ("encoder", "normalisation"),
    ("encoding", "vocabulary"): ("encoder", "vocabulary"),
    ("vectors", "unseen"): ("encoder", "unseen_words"),
    ("vectors", "keep"): ("encoder", "keep_unseen"),
    ("vectors", "size"): ("encoder", "word_size"),
    ("model", "characters"): ("encoder", "characters"),
    ("model", "character_size"): ("encoder", "character_size"),
    ("model", "character_hidden"): ("encoder", "character_hidden"),
    ("model", "character_shared"): ("encoder", "character_shared"),
    ("model", "word_dropout"): ("encoder", "word_dropout"),
    ("model", "setup"): ("model", "boundaries"),
    ("model", "entity_doubt"): ("model", "entity_confidence_weight"),
    ("training", "unrelated_share"): ("training", "negative_ratio"),
}
#: Settings that were given up; any other value than these cannot be had any more.
_GONE = {("training", "averaging"): 0.0}
_BOUNDARIES = {1: "predicted", 2: "given"}
#: Until there was a threshold of entities, none was fitted.
_NO_THRESHOLD = {"entity_threshold": False}
#: Version 1 chose epochs by the paper's scores and had no last step.
_THEN: dict[str, dict[str, Any]] = {
    "training": {"selection": "paper"},
    "calibration": {"temperatures": False, "no_relation_bias": "learnt", **_NO_THRESHOLD},
}
#: How the names of tensors began, and begin; the first that fits counts.
_TENSORS = (
    ("tokens.boundaries.", "boundaries.embedding."),
    ("relation_tokens.boundaries.", "relation_boundaries.embedding."),
    ("tokens.", "encoder."),
    ("relation_tokens.", "relation_encoder."),
    ("relations.head.", "relations.scorer.head."),
    ("relations.tail.", "relations.scorer.tail."),
    ("relations.biaffine.bias", "relations.scorer.bias"),
    ("relations.biaffine.bilinear", "relations.scorer.terms.bilinear.weight"),
    ("relations.biaffine.linear", "relations.scorer.terms.linear.weight"),
    ("relations.context.", "relations.scorer.terms.context.projection."),
    ("relations.context_output.", "relations.scorer.terms.context.output."),
)


def upgraded_config(values: Any) -> Any:
    """The settings of an earlier version as today's; what is none of them is left as it is.

    >>> upgraded_config({"model": {"setup": 2}, "vectors": {"keep": 5}})["model"]
    {'boundaries': 'given'}
    """
    if not isinstance(values, Mapping):
        return values
    if isinstance(values.get("calibration"), Mapping):
        return {**values, "calibration": {**_NO_THRESHOLD, **values["calibration"]}}
    if "encoder" in values or "calibration" in values:
        return values
    result: dict[str, Any] = {section: dict(then) for section, then in _THEN.items()}
    for section, keys in values.items():
        if not isinstance(keys, Mapping):  # damaged: whoever validates it says so
            result[section] = keys
            continue
        for key, value in keys.items():
            if _GONE.get((section, key), object()) == value:
                continue
            to_section, to_key = _MOVED.get((section, key), (section, key))
            if to_key == "boundaries" and isinstance(value, int):
                value = _BOUNDARIES.get(value, value)
            result.setdefault(to_section, {})[to_key] = value
    return result


def upgraded_head(
    head: Mapping[str, Any], vocabulary: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """config.json and vocabulary.json of a model of version 1 as those of version 2."""
    names = dict(vocabulary)
    schema = {key: names.pop(key) for key in ("entity_types", "relation_types", "pairs")}
    names["word_size"] = head["word_size"]
    kept = {key: value for key, value in head.items() if key not in ("word_size", "config")}
    config = upgraded_config(head["config"])
    return {**kept, "version": 2, "schema": schema, "config": config}, names


def upgraded_tensor(name: str) -> str:
    """The name of a tensor in version 2.

    >>> upgraded_tensor("tokens.words.trained"), upgraded_tensor("tagger.crf.start")
    ('encoder.words.trained', 'tagger.crf.start')
    """
    for old, new in _TENSORS:
        if name.startswith(old):
            return new + name.removeprefix(old)
    return name
