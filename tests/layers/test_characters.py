"""The character encoder: last states both ways, padding ignored, directions shared or not."""

from __future__ import annotations

import pytest
import torch

from biaffinity.layers.characters import CharacterEncoder


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
