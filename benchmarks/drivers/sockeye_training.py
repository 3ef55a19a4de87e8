"""Sockeye's model, traced as its trainer traces it, and its loss."""

from typing import Any

import torch
from sockeye import constants as C
from sockeye.data_io import DataConfig, DataStatistics
from sockeye.encoder import EmbeddingConfig
from sockeye.loss import CrossEntropyLoss
from sockeye.model import ModelConfig, SockeyeModel, initialize_parameters
from sockeye.transformer import TransformerConfig
from torch import Tensor, nn

from plain_loop import EOS, PAD, SOS, serve_training

LONGEST = 512


class SockeyeSystem:
    """The model and its loss, a mean over tokens; tracing happens at the first batch, in its precision."""

    def __init__(self, size: dict[str, Any]) -> None:
        self.module = SockeyeModel(_configuration(size))
        self.module.apply(initialize_parameters)
        nn.init.normal_(self.module.embedding_source.embedding.weight, std=size["d_model"] ** -0.5)
        # Of Sockeye's three equal formulations PyTorch's own is the fastest.
        self.criterion = CrossEntropyLoss(label_smoothing=size["label_smoothing"], label_smoothing_impl="torch")
        self._traced: Any = None

    def loss(self, source: Tensor, target_in: Tensor, target_out: Tensor) -> Tensor:
        """Summed over target tokens."""
        inputs = _inputs(source, target_in)
        if self._traced is None:
            self._traced = torch.jit.trace(self.module, inputs, strict=False, check_trace=False)
        mean, _ = self.criterion(self._traced(*inputs), {C.TARGET_LABEL_NAME: target_out})
        return mean * (target_out != PAD).sum()

    def logits(self, source: Tensor, target_in: Tensor) -> Tensor:
        """[B, T, V]."""
        return self.module(*_inputs(source, target_in))[C.LOGITS_NAME]


def _inputs(source: Tensor, target_in: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """As Sockeye's iterator gives them: a dimension for factors, and two numbers a length."""
    source_length, target_length = ((tokens != PAD).sum(1) for tokens in (source, target_in))
    return (
        source[:, :, None],
        torch.stack([source_length, torch.zeros_like(source_length)], 1),
        target_in[:, :, None],
        target_length,
    )


def _configuration(size: dict[str, Any]) -> ModelConfig:
    def stack(layers: int) -> TransformerConfig:
        return TransformerConfig(
            model_size=size["d_model"],
            attention_heads=size["num_heads"],
            feed_forward_num_hidden=size["d_ff"],
            act_type=C.RELU,
            num_layers=layers,
            dropout_attention=0.0,
            dropout_act=0.0,
            dropout_prepost=size["dropout"],
            positional_embedding_type=C.FIXED_POSITIONAL_EMBEDDING,
            preprocess_sequence="",
            postprocess_sequence="drn",
            max_seq_len_source=LONGEST,
            max_seq_len_target=LONGEST,
            depth_key_value=size["d_model"],
        )

    embedding = EmbeddingConfig(vocab_size=size["vocabulary"], num_embed=size["d_model"], dropout=0.0)
    return ModelConfig(
        config_data=DataConfig(_no_statistics(size["vocabulary"]), LONGEST, LONGEST, 1, 1),
        vocab_source_size=size["vocabulary"],
        vocab_target_size=size["vocabulary"],
        config_embed_source=embedding,
        config_embed_target=embedding,
        config_encoder=stack(size["encoder_layers"]),
        config_decoder=stack(size["decoder_layers"]),
        weight_tying_type=C.WEIGHT_TYING_SRC_TRG_SOFTMAX,
    )


def _no_statistics(vocabulary: int) -> DataStatistics:
    """What the configuration must hold, although training never reads it."""
    return DataStatistics(0, 0, 0, 0, 0, 0, LONGEST, LONGEST, vocabulary, vocabulary, 1.0, 0.0, [], [], [])


if __name__ == "__main__":
    if (C.PAD_ID, C.BOS_ID, C.EOS_ID) != (PAD, SOS, EOS):
        raise SystemExit("Sockeye's special ids are not this benchmark's")
    serve_training(SockeyeSystem)
