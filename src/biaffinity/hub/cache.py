"""The models of the hub that are in its cache, and so there without a network."""

from __future__ import annotations

from pathlib import Path

from biaffinity.config.folder import WEIGHTS, read_description
from biaffinity.errors import BiaffinityError


def cached_models() -> dict[str, Path]:
    """The folders of whole Biaffinity models in the cache, by name; none without the extra ``hub``.

    A model of which the cache has several revisions is there once, as it was fetched last.
    """
    try:
        from huggingface_hub import scan_cache_dir
        from huggingface_hub.errors import CacheNotFound
    except ModuleNotFoundError:
        return {}
    try:
        repositories = scan_cache_dir().repos
    except CacheNotFound:
        return {}
    found: dict[str, Path] = {}
    for repository in sorted(repositories, key=lambda repository: repository.repo_id):
        for revision in sorted(repository.revisions, key=lambda revision: revision.last_modified):
            if repository.repo_type == "model" and _is_whole(revision.snapshot_path):
                found[repository.repo_id] = revision.snapshot_path
    return found


def _is_whole(folder: Path) -> bool:
    try:
        read_description(folder)
    except BiaffinityError:
        return False
    return (folder / WEIGHTS).is_file()
