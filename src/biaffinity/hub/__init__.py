"""Models on the Hugging Face Hub: fetched by name, and sent there. Needs the extra ``hub``.

Only the files of a model folder ever travel, in either direction: numbers, names and a card, no code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from biaffinity.config.folder import CARD, CONFIG, file_patterns, model_files, read_description
from biaffinity.config.seal import check_seal, sealed_config
from biaffinity.errors import BiaffinityError, DataError, MissingExtraError, UsageError
from biaffinity.files import read_text
from biaffinity.hub.metadata import with_metadata
from biaffinity.runtime.network import OnnxNetwork

_NAME = re.compile(r"(?P<name>\w[\w.-]{0,95}/\w[\w.-]{0,95})(?:@(?P<revision>[\w./-]{1,250}))?", re.ASCII)
_LOG_IN = "log in to the hub or set HF_TOKEN"


def is_hub_name(model: str) -> bool:
    """Whether a model is named as on the hub: ``owner/name``, or ``owner/name@revision``.

    >>> [is_hub_name(name) for name in ("mara/harbour", "mara/harbour@v2", "./harbour", "a/b/c", "model")]
    [True, True, False, False, False]
    """
    return _NAME.fullmatch(model) is not None


def download(model: str, revision: str | None = None) -> Path:
    """The folder of a model on the hub: in the cache of huggingface_hub, and fetched if it is not there.

    A ``revision`` is a branch, a tag or a commit, and may also stand after the name: ``owner/name@revision``.

    Without a network the cached model is taken as it is. What is no Biaffinity model is told by its
    config.json, before anything large is fetched.
    """
    match = _NAME.fullmatch(model)
    if match is None:
        raise UsageError(f"{model!r:.80} is no name on the hub", remedy="such a name is owner/name")
    if revision is not None:
        if match["revision"]:
            raise UsageError(f"{model!r:.80} has a revision already", remedy="name one, not two")
        return download(f"{model}@{revision}")
    hub = _hub(f"{model} is no folder here, and fetching it from the hub")
    with _explained(model):
        small = Path(
            hub.snapshot_download(match["name"], revision=match["revision"], allow_patterns=[CONFIG])
        )
    if not (small / CONFIG).is_file():
        raise DataError(f"is not a Biaffinity model: it has no {CONFIG}", where=model)
    try:
        wanted = file_patterns(read_description(small))
    except BiaffinityError as error:
        raise error.at(model) from None
    with _explained(model):
        # The folder bears the name of its commit, so the rest is of the same one whoever pushes meanwhile.
        # A pattern's star goes for folders too, and none of theirs is of the model.
        return Path(
            hub.snapshot_download(
                match["name"], revision=small.name, allow_patterns=wanted, ignore_patterns=["*/*"]
            )
        )


def push_to_hub(folder: str | Path, name: str, *, private: bool = False, token: str | None = None) -> str:
    """Send a model folder to the hub as ``owner/name``; the address of its page.

    One commit holds the files of the model, with their checksums in config.json, and no others. The model
    must be sound, have a card, and run without PyTorch, so that it does wherever it is loaded. A repository
    is made where there is none, and keeps its other files where there is one. Without a ``token`` that of
    the login is used.
    """
    if not is_hub_name(name) or "@" in name:
        raise UsageError(f"{name!r:.80} is no name on the hub", remedy="such a name is owner/name")
    folder = Path(folder)
    card = with_metadata(_checked_card(folder))
    hub = _hub("sending a model to the hub")
    api = hub.HfApi(token=token)
    config = sealed_config(folder, {CARD: hashlib.sha256(card.encode()).hexdigest()})
    texts = {CARD: card, CONFIG: config}
    added = [
        hub.CommitOperationAdd(file.name, file) for file in model_files(folder) if file.name not in texts
    ]
    added += [hub.CommitOperationAdd(name, text.encode()) for name, text in texts.items()]
    with _explained(name):
        page = str(api.create_repo(name, private=private or None, exist_ok=True))
        if private and not api.model_info(name).private:
            raise UsageError(
                "is there already, for all to see",
                where=name,
                remedy="make it private on its page first, or push under another name",
            )
        api.create_commit(name, added, commit_message="Add a Biaffinity model")
    return page


def _checked_card(folder: Path) -> str:
    """The model's card; an error unless all of the model is there and can be read."""
    OnnxNetwork.load(folder, fingerprint=check_seal(folder, graphs=True))
    if not (folder / CARD).is_file():
        raise DataError(
            "has no model card",
            where=str(folder),
            remedy=f"write a {CARD}: what it is for, what it was trained on, how good it is",
        )
    return read_text(folder / CARD)


def _hub(feature: str) -> ModuleType:
    try:
        import huggingface_hub
    except ModuleNotFoundError as error:
        raise MissingExtraError(feature, "hub") from error
    return huggingface_hub


@contextmanager
def _explained(model: str) -> Iterator[None]:
    """Whatever goes wrong between here and the hub as one error that names the model."""
    from huggingface_hub import errors

    try:
        yield
    except BiaffinityError:
        raise
    except errors.GatedRepoError as error:
        raise DataError(
            "is gated: its owner lets in whom they know",
            where=model,
            remedy=f"ask for access on its page, then {_LOG_IN}",
        ) from error
    except errors.RevisionNotFoundError as error:
        raise DataError("the hub has the model, but not this revision", where=model) from error
    except errors.RepositoryNotFoundError as error:
        raise DataError(
            "no such folder here, and no such model on the hub that you may see",
            where=model,
            remedy=f"check the name; if it is private, {_LOG_IN}",
        ) from error
    except errors.HFValidationError as error:
        raise UsageError(f"is no name on the hub: {_reason(error)}", where=model) from error
    except errors.LocalEntryNotFoundError as error:
        raise DataError(
            "the hub cannot be reached, and the model is not in the cache",
            where=model,
            remedy="check the network, or name a model folder",
        ) from error
    except Exception as error:  # those of the network have no class above them that all its versions share
        response = getattr(error, "response", None)
        denied = getattr(response, "status_code", None) in (401, 403)
        raise DataError(
            f"the hub did not do it: {_reason(error)}",
            where=model,
            remedy=f"{_LOG_IN}, with the right to write there" if denied else "try again later",
        ) from error


def _reason(error: Exception) -> str:
    """The first line of an error."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
