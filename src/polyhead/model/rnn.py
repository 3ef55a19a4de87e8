"""The first ancestor: an encoder that squeezes the source into one context vector, a decoder that unfolds it.

Sutskever et al. 2014; Cho et al. 2014. Shapes: B batch, S source, T target, D d_model, H hidden size, V vocabulary.
"""

from torch import Tensor

from polyhead.errors import RecipeError
from polyhead.model.config import RNNConfig
from polyhead.model.dropout import Dropout
from polyhead.model.embedding import Embedding
from polyhead.model.recurrence import Bridge, Recurrence, RecurrentEncoder, RecurrentState, embeddings, initialise
from polyhead.model.seq2seq import OutputLayer, Seq2SeqModel
from polyhead.model.state import Memory


class RNN(Seq2SeqModel[RecurrentState]):
    """The encoder's final hidden state is all that the decoder knows of the source."""

    def __init__(self, config: RNNConfig, source: Embedding, target: Embedding, output: OutputLayer) -> None:
        super().__init__()
        self.source_embedding = source
        self.target_embedding = target
        self.encoder = RecurrentEncoder(config)
        self.bridge = Bridge(config)
        self.decoder = Recurrence(config, config.hidden_size, bidirectional=False)
        self.dropout = Dropout(config.dropout)
        self.output = output

    @property
    def output_layer(self) -> OutputLayer:
        """The map from features [.., H] to logits [.., V]."""
        return self.output

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source, source_mask [B, S], padded on the right → memory, whose summary is the context vector."""
        states, summary = self.encoder(self.source_embedding(source), source_mask)
        return Memory(states, source_mask, summary)

    def decode(self, target_in: Tensor, memory: Memory) -> Tensor:
        """target_in [B, T] int64 → s_1 … s_T [B, T, H]."""
        outputs, _ = self.decoder(self.target_embedding(target_in), self.bridge(memory.summary))
        return self.dropout(outputs)

    def start(self, memory: Memory) -> RecurrentState:
        """The context vector, as the decoder's initial hidden state."""
        return RecurrentState(self.bridge(memory.summary))

    def step(self, previous: Tensor, state: RecurrentState) -> tuple[Tensor, RecurrentState]:
        """previous [B] int64 → logits [B, V], next hidden state."""
        outputs, hidden = self.decoder(self.target_embedding(previous[:, None]), state.hidden)
        return self.output(self.dropout(outputs[:, 0])), RecurrentState(hidden)


def build_rnn(config: RNNConfig, source_vocabulary: int, target_vocabulary: int) -> RNN:
    """A freshly initialised model.

    Raises RecipeError where the sizes don't fit together.
    """
    source, target, output = embeddings(config, source_vocabulary, target_vocabulary)
    if config.hidden_size != config.d_model:
        raise RecipeError(
            f"model.hidden_size = {config.hidden_size} and model.d_model = {config.d_model} differ, but an RNN without "
            "attention compares its hidden state with the output embeddings; make them equal"
        )
    model = RNN(config, source, target, output)
    initialise(model)
    return model
