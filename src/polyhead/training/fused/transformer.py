"""Teacher forcing of a Transformer over sentences without padding."""

from torch import Tensor, nn

from polyhead.batch import Batch
from polyhead.kernels.attention.ragged import Ragged
from polyhead.model.seq2seq import OutputLayer
from polyhead.model.transformer import Transformer
from polyhead.training.fused.attention import FusedMultiHeadAttention
from polyhead.training.fused.ragged import Sentences
from polyhead.training.precision import Arithmetic

LONGEST = 256
"""Tokens of a sentence up to which attention's kernels, which store all of its weights, are the faster ones."""


class FusedTransformer(nn.Module):
    """`Transformer`, computing nothing for padding where its attentions allow."""

    def __init__(self, plain: Transformer, arithmetic: Arithmetic) -> None:
        super().__init__()
        self.plain = plain
        encoding = [layer.self_attention for layer in plain.encoder.layers]
        decoding = [each for layer in plain.decoder.layers for each in (layer.self_attention, layer.cross_attention)]
        self.takes_ragged = all(
            isinstance(each, FusedMultiHeadAttention) and each.takes_ragged() for each in (*encoding, *decoding)
        )

    @property
    def output_layer(self) -> OutputLayer:
        """The map from features [.., D] to logits [.., V]."""
        return self.plain.output_layer

    def features(self, batch: Batch) -> Tensor:
        """Features [N, D] of the real target tokens."""
        longest = max(batch.source.size(1), batch.target_in.size(1))
        if not self.takes_ragged or longest > LONGEST:
            return self.plain.features(batch)
        model = self.plain
        sources, targets = Sentences.of(batch.source_mask), Sentences.of(batch.target_mask)
        memory = model.source_embedding.at(sources.positions, sources.rows(batch.source))
        memory = model.encoder(memory, Ragged(sources.starts, sources.starts, causal=False))
        x = model.target_embedding.at(targets.positions, targets.rows(batch.target_in))
        own = Ragged(targets.starts, targets.starts, causal=True)
        across = Ragged(targets.starts, sources.starts, causal=False)
        return targets.real(model.decoder(x, memory, own, across))
