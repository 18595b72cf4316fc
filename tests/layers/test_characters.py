"""The character encoder: last states both ways, padding ignored, directions shared or not."""

from __future__ import annotations

import pytest
import torch

from biaffinity.layers.characters import CharacterEncoder
from layers.exported import SYMBOLS


@pytest.mark.parametrize("shared", [True, False])
def test_a_word_is_the_last_states_over_its_characters_and_their_reverse(shared):
    torch.manual_seed(0)
    encoder = CharacterEncoder(10, 4, 3, shared=shared)
    word = torch.tensor([[2, 5, 7]])
    vector = encoder(word, torch.tensor([3]))[0]
    _, (ahead, _) = encoder.ahead(encoder.embedding(word))
    _, (back, _) = encoder.back(encoder.embedding(word.flip(1)))
    torch.testing.assert_close(vector, torch.cat([ahead[0, 0], back[0, 0]]))


def test_padding_does_not_change_a_word():
    torch.manual_seed(1)
    encoder = CharacterEncoder(10, 4, 3, shared=False)
    words = torch.tensor([[2, 5, 0, 0], [3, 4, 6, 8]])
    together = encoder(words, torch.tensor([2, 4]))
    torch.testing.assert_close(together[0], encoder(words[:1, :2], torch.tensor([2]))[0])


def test_shared_directions_have_half_the_weights():
    def lstm_weights(encoder: CharacterEncoder) -> int:
        return sum(p.numel() for name, p in encoder.named_parameters() if "embedding" not in name)

    shared = CharacterEncoder(10, 4, 3, shared=True)
    assert 2 * lstm_weights(shared) == lstm_weights(CharacterEncoder(10, 4, 3, shared=False))


def random_words(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Up to seventy words of up to twenty characters, in no order."""
    random = torch.Generator().manual_seed(seed)
    count, size = (int(torch.randint(1, high, (), generator=random)) for high in (70, 20))
    lengths = torch.randint(1, size + 1, (count,), generator=random)
    lengths[0] = size
    words = torch.randint(1, SYMBOLS, (count, size), generator=random)
    return words.masked_fill(torch.arange(size) >= lengths.unsqueeze(1), 0), lengths


@pytest.mark.parametrize("name", ["one character LSTM", "two character LSTMs"])
@pytest.mark.parametrize("seed", range(6))
def test_the_exported_graph_gives_the_same_vectors(layers, graphs, name, seed):
    words, lengths = random_words(seed)
    with torch.no_grad():
        ours = layers[name](words, lengths)
    found = torch.from_numpy(graphs[name](characters=words, lengths=lengths))
    torch.testing.assert_close(found, ours, atol=1e-5, rtol=0)


@pytest.mark.parametrize("seed", range(3))
def test_many_words_are_read_in_parts_and_none_of_them_differs(seed):
    torch.manual_seed(seed)
    encoder = CharacterEncoder(SYMBOLS, 4, 3, shared=False)
    words, lengths = torch.randint(1, SYMBOLS, (45, 9)), torch.randint(1, 10, (45,))
    together = encoder(words, lengths)
    for row, length in enumerate(lengths.tolist()):
        alone = encoder(words[row : row + 1, :length], lengths[row : row + 1])[0]
        torch.testing.assert_close(together[row], alone, atol=1e-6, rtol=0)
