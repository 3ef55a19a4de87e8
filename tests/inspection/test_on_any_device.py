"""What is seen inside a model on a GPU is what is seen on the CPU; no tensor is left behind on the way."""

from typing import Any

import numpy as np
import pytest

from polyhead.inspection.edits import Edits, Head
from tests.devices import Elsewhere, on_any_device

TEXT, COMPANION = "bado kilu mera", "noti pasu rovi sela tugo vani"
EDITS = {
    "as it is": Edits(),
    "muted": Edits(mute=(Head(site="decoder.cross", layer=0, head=0),)),
    "edited": Edits(no_look_ahead=True, no_positions=True, no_scale=True),
}


@on_any_device
@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_a_trace_is_that_of_the_cpu(device: str, translator_of: Any, transformer: str, edits: Edits) -> None:
    translator = translator_of(transformer)
    asked = {"target_language": "xb", "companion": COMPANION, "edits": edits}
    wanted = translator.attention(TEXT, **asked)
    translator.bundle.model.to(device)
    found = type(translator)(translator.bundle).attention(TEXT, **asked)
    assert found.target.text == wanted.target.text
    assert found.sites == wanted.sites
    np.testing.assert_allclose(found.prediction.of_written, wanted.prediction.of_written, atol=1e-3)
    for name in wanted.tensors.layers:
        np.testing.assert_allclose(found.tensor(name), wanted.tensor(name), atol=1e-3)


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_a_look_inside_goes_to_where_the_model_is(translator_of: Any, transformer: str, edits: Edits) -> None:
    translator = translator_of(transformer)
    translator.bundle.model.to("meta")
    with Elsewhere():
        found = translator.attention(TEXT, target="koda bilu", target_language="xb", companion=COMPANION, edits=edits)
    assert found.tensor("decoder.cross.weights").shape[-1] == len(found.source)
