"""Token vectors against a plain use of the transformer: one sentence, one word at a time."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra transformers")

import torch
from torch import Tensor
from transformers import BartConfig, BartModel, ModernBertConfig, ModernBertModel

from biaffinity.annotation import Sentence
from biaffinity.encoders.parts import build_encoder, load_encoder
from biaffinity.encoders.transformer.encoder import TransformerEncoder
from biaffinity.encoders.transformer.pieces import windows
from biaffinity.errors import DataError, UsageError
from biaffinity.model.folder import load_model, owned_tensors, save_model
from biaffinity.model.joint import JointModel
from encoders.transformer import tiny
from model.tiny import stir


def long_sentence(news: list[Sentence], times: int) -> list[str]:
    """Words enough for several windows."""
    return [token for sentence in news for token in sentence.tokens] * times


def vectors(encoder: TransformerEncoder, *sentences: list[str]) -> Tensor:
    """The token vectors of a batch, [batch, size, width]."""
    featuriser = encoder.new_featuriser()
    arrays = featuriser.collate([featuriser.featurise(tokens) for tokens in sentences])
    with torch.no_grad():
        return encoder({name: torch.from_numpy(array) for name, array in arrays.items()})


def plainly(encoder: TransformerEncoder, tokens: list[str]) -> list[Tensor]:
    """The vectors of the pieces of each word, by the transformer alone, the sentence read at one time."""
    own = encoder.pieces
    words = [own.of(token) for token in tokens]
    ids = [*own.start, *(piece for word in words for piece in word), *own.end]
    with torch.no_grad():
        states = encoder.words.transformer(input_ids=torch.tensor([ids])).last_hidden_state[0]
    place, found = len(own.start), []
    for word in words:
        found.append(states[place : place + len(word)])
        place += len(word)
    return found


def words_of(encoder: TransformerEncoder, *sentences: list[str]) -> Tensor:
    """The part of the vectors that is the transformer's."""
    return vectors(encoder, *sentences)[:, :, : tiny.WIDTH]


# Words


def test_a_word_is_its_first_piece(first: TransformerEncoder, news: list[Sentence]) -> None:
    for sentence in news:
        expected = torch.stack([pieces[0] for pieces in plainly(first, sentence.tokens)])
        torch.testing.assert_close(words_of(first, sentence.tokens)[0], expected, atol=1e-5, rtol=0)


def test_the_case_of_words_counts_once_it_has_been_learnt(transformer: Path, news: list[Sentence]) -> None:
    cased = tiny.encoder(transformer, news, case=True)
    capital, small = ["Anna", "works", "in", "Oslo"], ["anna", "works", "in", "oslo"]
    torch.testing.assert_close(words_of(cased, capital), words_of(cased, small))
    torch.testing.assert_close(words_of(cased, capital), words_of(tiny.encoder(transformer, news), capital))
    stir(cased.words.transformer.get_input_embeddings().cases)
    assert not torch.allclose(words_of(cased, capital), words_of(cased, small))


def test_the_vectors_of_cases_are_learnt_at_the_rate_of_what_is_new(
    transformer: Path, news: list[Sentence]
) -> None:
    cased = tiny.encoder(transformer, news, case=True)
    cases = cased.words.transformer.get_input_embeddings().cases.weight
    learnt_elsewhere = set(map(id, cased.pretrained()))
    assert learnt_elsewhere == set(map(id, cased.words.transformer.parameters())) - {id(cases)}


def test_the_second_network_of_a_pipeline_knows_cases_once(transformer: Path, news: list[Sentence]) -> None:
    cased = tiny.encoder(transformer, news, case=True)
    assert cased.twin().state_dict().keys() == cased.state_dict().keys()


def test_a_word_is_the_mean_of_its_pieces(mean: TransformerEncoder, news: list[Sentence]) -> None:
    for sentence in news:
        pieces = plainly(mean, sentence.tokens)
        assert {len(states) for states in pieces} > {1}
        expected = torch.stack([states.mean(0) for states in pieces])
        torch.testing.assert_close(words_of(mean, sentence.tokens)[0], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_neighbours_in_a_batch_and_their_padding_change_nothing(
    pooling: str, news: list[Sentence], request: pytest.FixtureRequest
) -> None:
    encoder: TransformerEncoder = request.getfixturevalue(pooling)
    batch = [*(sentence.tokens for sentence in news), long_sentence(news, 2), ["Oslo"]]
    together = vectors(encoder, *batch)
    for row, tokens in enumerate(batch):
        alone = vectors(encoder, tokens)[0]
        torch.testing.assert_close(together[row, : len(tokens)], alone, atol=1e-5, rtol=0)


def test_what_stands_around_a_word_changes_it(first: TransformerEncoder) -> None:
    """Or all that is compared here would say nothing of context."""
    one, other = words_of(first, ["Oslo", "in", "Norway"], ["Bergen", "in", "Norway"])
    assert (one[1:] - other[1:]).abs().amax() > 0.01


def test_beside_it_stand_the_characters_whose_case_an_uncased_transformer_does_not_see(
    first: TransformerEncoder,
) -> None:
    lower, upper = vectors(first, ["oslo"], ["Oslo"])[:, 0]
    assert torch.equal(lower[: tiny.WIDTH], upper[: tiny.WIDTH])
    assert not torch.allclose(lower[tiny.WIDTH :], upper[tiny.WIDTH :])
    assert len(lower) == first.output_size == tiny.WIDTH + 2 * tiny.ENCODER_SIZES["character_hidden"]


def test_characters_can_be_left_out(
    transformer: Path, first: TransformerEncoder, news: list[Sentence]
) -> None:
    without = tiny.encoder(transformer, news, characters=False)
    assert without.output_size == tiny.WIDTH
    assert torch.equal(vectors(without, news[0].tokens), words_of(first, news[0].tokens))


def test_in_training_words_are_dropped_out_at_the_rate_of_the_settings(
    transformer: Path, news: list[Sentence]
) -> None:
    encoder = tiny.encoder(transformer, news, dropout=0.5)
    encoder.train()
    encoder.words.eval()
    torch.manual_seed(0)
    dropped = (words_of(encoder, *[news[0].tokens] * 20) == 0).float().mean().item()
    assert dropped == pytest.approx(0.5, abs=0.05)


# Sentences longer than the transformer's limit


@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_a_long_sentence_is_read_in_windows_each_as_it_would_be_alone(
    pooling: str, news: list[Sentence], request: pytest.FixtureRequest
) -> None:
    encoder: TransformerEncoder = request.getfixturevalue(pooling)
    tokens = long_sentence(news, 3)
    counts = np.array([len(encoder.pieces.of(token)) for token in tokens])
    found = words_of(encoder, ["Oslo"], tokens)[1]
    parts = list(windows(counts, encoder.pieces.room))
    assert len(parts) > 5
    ends = [own for _, _, own in parts[1:]] + [len(tokens)]
    for (start, stop, own), end in zip(parts, ends, strict=True):
        pieces = plainly(encoder, tokens[start:stop])[own - start : end - start]
        expected = torch.stack([part[0] if pooling == "first" else part.mean(0) for part in pieces])
        torch.testing.assert_close(found[own:end], expected, atol=1e-5, rtol=0)


def local_transformer(folder: Path, news: list[Sentence], **said: Any) -> Path:
    """A transformer to which a piece is itself and the four on either side, wherever it stands."""
    tokenizer = tiny.word_piece_tokenizer(news)
    torch.manual_seed(0)
    config = ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=tiny.WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=1024,
        layer_types=["sliding_attention"] * 2,
        local_attention=4,
        initializer_range=0.5,
        **{f"{name}_token_id": number for name, number in (("pad", 0), ("cls", 2), ("sep", 3))},
        bos_token_id=2,
        eos_token_id=3,
    )
    return tiny.save(folder, ModernBertModel(config), tokenizer, pad_token="[PAD]", **said)


@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_where_attention_is_local_windows_give_what_reading_all_at_once_gives(
    pooling: str, news: list[Sentence], tmp_path: Path
) -> None:
    # An eighth of the room is context on either side, less half a word of some seven pieces.
    parted = tiny.encoder(local_transformer(tmp_path / "a", news, model_max_length=98), news, pooling=pooling)
    whole = tiny.encoder(local_transformer(tmp_path / "b", news, model_max_length=900), news, pooling=pooling)
    tokens = long_sentence(news, 4)
    counts = np.array([len(whole.pieces.of(token)) for token in tokens])
    assert 5 * parted.pieces.room < counts.sum() < whole.pieces.room
    # Positions are angles here, and those of a later window others: single precision is seen.
    torch.testing.assert_close(words_of(parted, tokens), words_of(whole, tokens), atol=1e-4, rtol=0)
    assert not torch.allclose(words_of(whole, tokens)[0, 1:], words_of(whole, tokens[1:])[0], atol=1e-3)


@pytest.mark.parametrize(
    ("positions", "said", "limit"), [(64, 64, 64), (64, 40, 40), (64, 10**30, 62), (8, 10**30, 8)]
)
def test_a_window_is_as_long_as_transformer_and_tokeniser_allow(
    positions: int, said: int, limit: int, news: list[Sentence], tmp_path: Path
) -> None:
    tokenizer = tiny.word_piece_tokenizer(news)
    transformer = tiny.bert(tokenizer, max_position_embeddings=positions)
    folder = tiny.save(tmp_path, transformer, tokenizer, pad_token="[PAD]", model_max_length=said)
    encoder = tiny.encoder(folder, news)
    assert encoder.identity.limit == limit
    assert vectors(encoder, long_sentence(news, 2)).isfinite().all()


def test_a_roberta_is_read_to_its_last_position(news: list[Sentence], tmp_path: Path) -> None:
    tokenizer = tiny.byte_level_tokenizer()
    folder = tiny.save(tmp_path, tiny.roberta(tokenizer), tokenizer, pad_token="<pad>")
    encoder = tiny.encoder(folder, news, pooling="mean")
    assert (encoder.identity.limit, encoder.identity.padding) == (tiny.LIMIT, 1)
    tokens = ["xy"] * ((tiny.LIMIT - 2) // 3) + ["i"] * ((tiny.LIMIT - 2) % 3)
    assert sum(len(encoder.pieces.of(token)) for token in tokens) == tiny.LIMIT - 2
    expected = torch.stack([states.mean(0) for states in plainly(encoder, tokens)])
    batch = words_of(encoder, tokens, ["in"], long_sentence(news, 1))
    torch.testing.assert_close(batch[0, : len(tokens)], expected, atol=1e-4, rtol=0)


# What an encoder is built from


def test_the_weights_are_the_pretrained_ones_without_the_pooler(
    transformer: Path, first: TransformerEncoder
) -> None:
    from safetensors.torch import load_file

    own = first.words.transformer.state_dict()
    pretrained = {k: v for k, v in load_file(transformer / "model.safetensors").items() if "pooler" not in k}
    assert own.keys() == pretrained.keys()
    assert all(torch.equal(own[name], tensor) for name, tensor in pretrained.items())
    assert {id(p) for p in first.pretrained()} == {id(p) for p in first.words.transformer.parameters()}


def test_the_characters_are_those_of_the_training_data(transformer: Path) -> None:
    train, dev = [Sentence(["Ab", "-LRB-", "c"])], [Sentence(["z"])]
    encoder, coverage = build_encoder(tiny.settings(transformer), train, dev, None, dropout=0.1)
    assert isinstance(encoder, TransformerEncoder)
    assert encoder.identity.characters == sorted("Ab(c")
    assert coverage is None


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test asks a hub, nor waits for one."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def damaged(name: str) -> Callable[[Path], int]:
    return lambda folder: (folder / name).write_bytes(b'{"half')


@pytest.mark.parametrize(
    "change",
    [
        shutil.rmtree,
        without("config.json"),
        without("model.safetensors"),
        without("tokenizer.json"),
        damaged("config.json"),
        damaged("model.safetensors"),
        damaged("tokenizer.json"),
    ],
)
def test_a_folder_that_holds_no_encoder_is_a_clear_error(
    change: Callable[[Path], object], transformer: Path, news: list[Sentence], tmp_path: Path, offline: None
) -> None:
    folder = shutil.copytree(transformer, tmp_path / "bert")
    change(folder)
    with pytest.raises(
        UsageError, match=r"^encoder\.name: .* cannot be opened: .+ \(give the folder"
    ) as caught:
        tiny.encoder(folder, news)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("name", ["nobody/nothing", "nothing", "a/b/c", "?"])
def test_an_unknown_name_is_a_clear_error(name: str, news: list[Sentence], offline: None) -> None:
    with pytest.raises(
        UsageError, match=r"^encoder\.name: .* cannot be opened: .*a name on the hub\)$"
    ) as caught:
        TransformerEncoder.build(tiny.settings(name), news, (), None, dropout=0.1)
    assert "\n" not in str(caught.value)


def test_an_encoder_with_a_decoder_is_refused(news: list[Sentence], tmp_path: Path) -> None:
    tokenizer = tiny.word_piece_tokenizer(news)
    sides = {f"{side}_{what}": 2 for side in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    config = BartConfig(vocab_size=tokenizer.get_vocab_size(), d_model=8, max_position_embeddings=32, **sides)
    tiny.save(tmp_path, BartModel(config), tokenizer, pad_token="[PAD]")
    with pytest.raises(UsageError, match="an encoder with a decoder, only encoders are read"):
        tiny.encoder(tmp_path, news)


# The second network of a pipeline


def test_a_twin_starts_from_the_same_transformer_and_shares_no_weight(
    first: TransformerEncoder, news: list[Sentence]
) -> None:
    twin = first.twin().eval()
    tokens = news[0].tokens
    assert torch.equal(words_of(twin, tokens), words_of(first, tokens))
    before = vectors(first, tokens)
    stir(twin)
    assert torch.equal(vectors(first, tokens), before)
    assert not {id(p) for p in twin.parameters()} & {id(p) for p in first.parameters()}


def test_both_transformers_of_a_pipeline_were_learnt_elsewhere(
    transformer: Path, news: list[Sentence]
) -> None:
    model = tiny.model(transformer, news, architecture="pipeline")
    elsewhere = {id(parameter) for parameter in model.pretrained()}
    named = {name for name, p in model.named_parameters() if id(p) in elsewhere}
    kept = ("encoder.words.transformer.", "relation_encoder.words.transformer.")
    assert named == {name for name, _ in model.named_parameters() if name.startswith(kept)}
    assert any(name.startswith(kept[1]) for name in named)


# Files


@pytest.fixture
def kept(transformer: Path, news: list[Sentence], tmp_path: Path) -> tuple[Path, JointModel]:
    """A model in a folder whose pretrained encoder is gone, and the model itself."""
    gone = shutil.copytree(transformer, tmp_path / "gone")
    model = tiny.model(gone, news)
    stir(model)
    save_model(model, tmp_path / "kept")
    shutil.rmtree(gone)
    return tmp_path / "kept", model.eval()


def test_a_model_opens_without_a_hub_where_what_it_was_trained_from_is_gone(
    kept: tuple[Path, JointModel], news: list[Sentence], offline: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", never)
    monkeypatch.setattr(socket, "getaddrinfo", never)
    folder, model = kept
    again = load_model(folder)
    ours, theirs = owned_tensors(again), owned_tensors(model)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], tensor) for name, tensor in theirs.items())
    tokens = long_sentence(news, 2)
    assert torch.equal(vectors(again.encoder, tokens), vectors(model.encoder, tokens))


def test_a_folder_tells_nothing_of_where_its_encoder_lay(kept: tuple[Path, JointModel]) -> None:
    folder, _ = kept
    for name in ("transformer.json", "tokenizer.json"):
        assert "gone" not in (folder / name).read_text(encoding="utf-8")


def test_it_is_written_the_same_each_time(kept: tuple[Path, JointModel], tmp_path: Path) -> None:
    folder, _ = kept
    load_model(folder).encoder.save(tmp_path)
    for name in ("transformer.json", "tokenizer.json"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


@pytest.fixture
def spare(first: TransformerEncoder, tmp_path: Path) -> Path:
    """A folder with all of an encoder but its weights, to be damaged."""
    first.save(tmp_path)
    return tmp_path


def complaint(folder: Path, settings: Any, name: str) -> str:
    with pytest.raises(DataError) as caught:
        load_encoder(folder, settings, dropout=0.1)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder / name))
    return message


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"config": ', b"\xff\xfe", b"null"])
@pytest.mark.parametrize("name", ["transformer.json", "tokenizer.json"])
def test_a_damaged_file_is_named(name: str, content: bytes, spare: Path, first: TransformerEncoder) -> None:
    (spare / name).write_bytes(content)
    assert complaint(spare, first.settings, name)


@pytest.mark.parametrize("name", ["transformer.json", "tokenizer.json"])
def test_a_missing_file_is_named(name: str, spare: Path, first: TransformerEncoder) -> None:
    (spare / name).unlink()
    assert "no such file" in complaint(spare, first.settings, name).casefold()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"limit": None}, "limit is missing or no int"),
        ({"limit": True}, "limit is missing or no int"),
        ({"limit": 7}, "limit or padding is out of range"),
        ({"padding": -1}, "limit or padding is out of range"),
        ({"characters": "abc"}, "characters is missing or no list"),
        ({"characters": ["a", 3]}, "characters: must be a list of strings"),
        ({"config": []}, "config is missing or no dict"),
        ({"config": {}}, "is no transformer that this installation knows"),
        ({"more": 1}, "unknown: more"),
    ],
)
def test_a_value_that_cannot_be_is_named(
    change: dict[str, Any], told: str, spare: Path, first: TransformerEncoder
) -> None:
    path = spare / "transformer.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert told in complaint(spare, first.settings, "transformer.json")


@pytest.mark.parametrize(
    "change",
    [
        {"model_type": "abacus"},
        {"hidden_size": "wide"},
        {"hidden_size": 0},
        {"hidden_size": 15},
        {"num_attention_heads": 0},
        {"vocab_size": 0},
        {"hidden_act": "none"},
        {"pad_token_id": 99_999},
        {"is_encoder_decoder": True},
    ],
)
def test_a_transformer_that_cannot_be_is_named(
    change: dict[str, Any], spare: Path, first: TransformerEncoder
) -> None:
    path = spare / "transformer.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "config": {**record["config"], **change}}))
    told = complaint(spare, first.settings, "transformer.json")
    assert "is no transformer that this installation knows" in told
    assert len(told) < 700
