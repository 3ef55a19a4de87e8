"""pymarian: Marian's own trainer, which reads text, makes its own batches and can't be asked for single updates.

Each `run` is a training of its own; time and tokens are Marian's own, from its log, without the first updates.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from wire import Answer, serve

UPDATE = re.compile(r"Up\. (\d+) .* \* ([\d,]+) @ .* Time ([\d.]+)s")
FIRST = 2
"""Updates that aren't counted: Marian builds its graph and makes room."""

_request: dict[str, Any] = {}


def prepare(**request: Any) -> Answer:
    """Remembers what to train; there is nothing else to do beforehand."""
    _request.update(request)
    return {"parameters": None}


def run(count: int) -> Answer:
    """Trains a new model for so many updates after the first ones."""
    program = Path(sys.executable).with_name("pymarian")
    with tempfile.TemporaryDirectory() as folder:
        options = [*arguments(_request, count), "--model", f"{folder}/model.npz"]
        done = subprocess.run([program, *options], capture_output=True, text=True, check=False)
    print(done.stderr[-5000:])
    updates = [(int(n), int(words.replace(",", "")), float(s)) for n, words, s in UPDATE.findall(done.stderr)]
    counted = [update for update in updates if update[0] > FIRST]
    if done.returncode != 0 or not counted:
        raise RuntimeError(f"marian ended with status {done.returncode} after {len(updates)} updates")
    return {"tokens": sum(words for _, words, _ in counted), "seconds": sum(seconds for *_, seconds in counted)}


def arguments(request: dict[str, Any], count: int) -> list[str]:
    """Marian's options for the model, the data and the optimizer that every system has."""
    size, setting, schedule, data = (request[name] for name in ("size", "setting", "schedule", "data"))
    train, vocabulary = data["train"][0], request["vocabulary"]
    texts = [str(Path(data["root"]) / train[side]) for side in ("source", "target")]
    options = {
        "type": "transformer",
        "train-sets": texts,
        "vocabs": [vocabulary, vocabulary],
        "dim-vocabs": [size["vocabulary"]] * 2,
        "enc-depth": size["encoder_layers"],
        "dec-depth": size["decoder_layers"],
        "dim-emb": size["d_model"],
        "transformer-heads": size["num_heads"],
        "transformer-dim-ffn": size["d_ff"],
        "transformer-ffn-activation": "relu",
        "transformer-postprocess": "dan",
        "transformer-postprocess-emb": "d",
        "transformer-dropout": size["dropout"],
        "label-smoothing": size["label_smoothing"],
        "optimizer-params": ["0.9", "0.98", "1e-9"],
        "learn-rate": schedule["peak"],
        "lr-warmup": schedule["warmup"],
        "lr-decay-inv-sqrt": schedule["warmup"],
        "clip-norm": 1,
        "mini-batch": 1000,
        "mini-batch-words": setting["words"],
        "maxi-batch": 100,
        "cpu-threads": setting["threads"],
        "workspace": 1024,
        "seed": 1,
        "disp-freq": "1u",
        "after": f"{FIRST + count}u",
    }
    listed = [
        [f"--{name}", *map(str, value if isinstance(value, list) else [value])] for name, value in options.items()
    ]
    return [*(word for words in listed for word in words), "--tied-embeddings-all", "--sync-sgd", "--overwrite"]


if __name__ == "__main__":
    serve({"prepare": prepare, "run": run})
