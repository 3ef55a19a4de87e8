"""The search as a page draws it."""

from polyhead.decoding.trace import Node, TreeStep
from polyhead.inspection.beam import BeamHistory


def test_steps_name_their_pieces(tokenizer):
    node = Node(id=7, parent=None, token=3, log_probability=-0.5, total=-2.5, score=-1.25, fate="finished")
    history = BeamHistory(4, "average", [TreeStep(0, ()), TreeStep(1, (node,))])
    assert history.json(tokenizer) == {
        "beam_size": 4,
        "length_penalty": "average",
        "steps": [
            {"t": 0, "candidates": []},
            {
                "t": 1,
                "candidates": [
                    {
                        "id": 7,
                        "parent": None,
                        "token": {"id": 3, "piece": "<eos>"},
                        "logp": -0.5,
                        "cumulative": -2.5,
                        "normalised": -1.25,
                        "state": "finished",
                    }
                ],
            },
        ],
    }
