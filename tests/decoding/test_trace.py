"""The search tree of one sentence, grown by the observer of a beam search."""

import numpy as np
import pytest

from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.length_penalty import length_penalty
from polyhead.decoding.trace import Node, SearchTree
from polyhead.symbols import EOS

CONFIG = BeamConfig(beam_size=4, n_best=4, max_length_offset=6, length_penalty=0.7)


def grown(table_model, sources, batch: int, sentence: int) -> tuple[SearchTree, list]:
    tree = SearchTree(sentence)
    found = beam(table_model(9, seed=12), *sources(batch), CONFIG, observer=tree)
    return tree, found[sentence]


def nodes_of(tree: SearchTree) -> dict[int, Node]:
    return {node.id: node for step in tree.steps for node in step.nodes}


def path(node: Node, nodes: dict[int, Node]) -> list[Node]:
    above = [] if node.parent is None else path(nodes[node.parent], nodes)
    return [*above, node]


@pytest.mark.parametrize("sentence", [0, 3])
def test_every_result_is_a_path_from_the_root(table_model, sources, sentence):
    tree, found = grown(table_model, sources, 5, sentence)
    nodes = nodes_of(tree)
    ends = {tuple(one.token for one in path(node, nodes)): node for node in nodes.values() if node.fate == "finished"}
    assert found
    for hypothesis in found:
        end = ends[*hypothesis.tokens, EOS]
        assert end.score == pytest.approx(hypothesis.score)
        assert [one.log_probability for one in path(end, nodes)] == pytest.approx(hypothesis.token_log_probabilities)


def test_parents_lived_one_step_before_and_totals_add_up(table_model, sources):
    tree, _ = grown(table_model, sources, 3, 1)
    nodes = nodes_of(tree)
    penalty = length_penalty(0.7)
    step_of = {node.id: step.step for step in tree.steps for node in step.nodes}
    assert {node.fate for node in nodes.values()} == {"live", "finished", "pruned"}
    assert len(nodes) == sum(len(step.nodes) for step in tree.steps)
    for node in nodes.values():
        if step_of[node.id] == 0:
            assert node.parent is None
        else:
            assert nodes[node.parent].fate == "live"
            assert step_of[node.parent] == step_of[node.id] - 1
        assert node.total == pytest.approx(sum(one.log_probability for one in path(node, nodes)))
        length = penalty(np.array(step_of[node.id] + 1.0))
        assert node.score == pytest.approx(node.total / float(length))
    for step in tree.steps:
        assert [node.total for node in step.nodes] == sorted((node.total for node in step.nodes), reverse=True)


def test_companions_leave_no_trace(table_model, sources):
    alone = SearchTree()
    source, mask = sources(5)
    beam(table_model(9, seed=12), source[2:3], mask[2:3], CONFIG, observer=alone)
    among, _ = grown(table_model, sources, 5, 2)
    assert among.steps == alone.steps
