"""The beam search that found a translation, as JSON from which the page draws it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polyhead.decoding.length_penalty import Penalty
from polyhead.decoding.trace import Node, TreeStep
from polyhead.tokenizers.protocol import Tokenizer


@dataclass(frozen=True)
class BeamHistory:
    """Every step of a beam search, and its settings."""

    beam_size: int
    length_penalty: Penalty
    steps: Sequence[TreeStep]

    def json(self, tokenizer: Tokenizer) -> dict[str, Any]:
        """The settings, and the steps with their tokens' pieces."""
        return {
            "beam_size": self.beam_size,
            "length_penalty": self.length_penalty,
            "steps": [step_json(step, tokenizer) for step in self.steps],
        }


def step_json(step: TreeStep, tokenizer: Tokenizer) -> dict[str, Any]:
    """One step: its number and its candidates, the most probable first."""
    return {"t": step.step, "candidates": [_node_json(node, tokenizer) for node in step.nodes]}


def _node_json(node: Node, tokenizer: Tokenizer) -> dict[str, Any]:
    return {
        "id": node.id,
        "parent": node.parent,
        "token": {"id": node.token, "piece": tokenizer.pieces([node.token])[0]},
        "logp": node.log_probability,
        "cumulative": node.total,
        "normalised": node.score,
        "state": node.fate,
    }
