"""A language model that reads gold sentences and writes more of their kind, and how it is fetched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra transformers")

import numpy as np
import torch
from tests.recipes.test_general_data import script
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

writer = script("writer")
written = script("written")
LINE = written.LINE
WORDS = ["?", LINE, "Ida", "Abe", "runs", "reads", "."]
SIZES = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}


def a_network() -> LlamaForCausalLM:
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(WORDS), max_position_embeddings=128, tie_word_embeddings=True, **SIZES, **HEADS
    )
    return LlamaForCausalLM(config)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A writer that knows five words."""
    pieces = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token=WORDS[0]))
    pieces.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(LINE, "isolated"), pre_tokenizers.Split(" ", "removed")]
    )
    PreTrainedTokenizerFast(tokenizer_object=pieces).save_pretrained(str(tmp_path / "writer"))
    a_network().save_pretrained(str(tmp_path / "writer"))
    return tmp_path / "writer"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    tokens = [["Ida", "runs", "."], ["Abe", "reads", "."]] * 40
    lines = [json.dumps({"tokens": own, "entities": [], "relations": []}) for own in tokens]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_who_has_read_gold_writes_in_its_manner(
    folder: Path, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(written, "EPOCHS", 30)
    monkeypatch.setattr(written, "LEARNING_RATE", 0.02)
    monkeypatch.setitem(written.TOGETHER, "cpu", 16)  # more sentences than are written side by side
    own = written.Writer(folder, "cpu")
    lines = written.lines_of(gold, own)
    before = float(own.loss(lines).detach())
    written.learn(own, lines, lines[:4])
    assert float(own.loss(lines).detach()) < before / 4
    assert capsys.readouterr().out.startswith("dev: 0.")
    texts = list(written.written(own, 40))
    assert 30 < len(texts) <= 40
    assert {"Ida runs .", "Abe reads ."} <= set(texts)


def test_every_sentence_is_kept_once_and_has_an_end(
    folder: Path, gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "LONGEST", 20)
    out = tmp_path / "out.jsonl"
    written.prepare(gold, gold, folder, out, 60, "cpu")
    texts = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert 0 < len(texts) < 60
    assert len(set(texts)) == len(texts)
    assert all(text and LINE not in text for text in texts)


def test_padding_teaches_nothing(folder: Path) -> None:
    own = written.Writer(folder, "cpu")
    short, long = torch.tensor([1, 2, 4]), torch.tensor([1, 3, 5, 6, 1])
    with torch.inference_mode():
        both, alone, other = own.loss([short, long]), own.loss([short]), own.loss([long])
    torch.testing.assert_close(both, (2 * alone + 4 * other) / 6, atol=1e-3, rtol=1e-3)


def interleaved(values: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """Rows of queries or keys in llama.cpp's order: the two halves that a rotation turns lie side by side."""
    rows, width = values.shape
    return values.reshape(heads, 2, rows // heads // 2, width).swapaxes(1, 2).reshape(rows, width)


def test_a_network_comes_back_from_llama_cpps_format(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")
    network = a_network()
    path = tmp_path / "writer.gguf"
    file = gguf.GGUFWriter(str(path), "llama")
    file.add_block_count(SIZES["num_hidden_layers"])
    file.add_embedding_length(SIZES["hidden_size"])
    file.add_feed_forward_length(SIZES["intermediate_size"])
    file.add_head_count(HEADS["num_attention_heads"])
    file.add_head_count_kv(HEADS["num_key_value_heads"])
    file.add_layer_norm_rms_eps(1e-6)
    file.add_rope_freq_base(10000.0)
    file.add_context_length(128)
    file.add_token_list(WORDS)
    theirs = {name: own for own, name in writer.OF_A_LAYER.items()}
    whole = {name: own for own, name in writer.WHOLE.items()}
    heads = {"attn_q": HEADS["num_attention_heads"], "attn_k": HEADS["num_key_value_heads"]}
    for name, tensor in network.model.state_dict().items():
        if name.startswith("layers."):
            _, layer, part = name.removesuffix(".weight").split(".", 2)
            values = tensor.numpy()
            if theirs[part] in heads:
                values = interleaved(values, heads[theirs[part]])
            file.add_tensor(f"blk.{layer}.{theirs[part]}.weight", np.ascontiguousarray(values))
        else:
            file.add_tensor(f"{whole[name.removesuffix('.weight')]}.weight", tensor.numpy())
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    stored = gguf.GGUFReader(path)
    config = writer.config_of(stored)
    back = LlamaForCausalLM(config).float()
    back.load_state_dict({n: t.float() for n, t in writer.weights_of(stored, config)}, strict=False)
    read = torch.tensor([[1, 2, 4, 6]])
    with torch.inference_mode():
        torch.testing.assert_close(back(read).logits, network(read).logits, atol=2e-3, rtol=2e-2)
