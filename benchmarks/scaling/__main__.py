"""`python -m benchmarks.scaling`: measures how training grows on this machine, and forecasts larger runs."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from benchmarks import machine
from benchmarks.scaling.measure import SETTINGS, Measured, sum_over, train
from benchmarks.scaling.report import TABLES, Measurements, written
from polyhead.errors import PolyheadError
from polyhead.files import write_text

app = App(name="scaling", help=__doc__)


@app.default
def run(
    *,
    measure: Annotated[bool, Parameter(negative="")] = False,
    data: Path = Path("../shared/data/multi30k-en-de"),
    results: Path = Path("benchmarks/results/scaling.json"),
) -> None:
    """Print the tables, by what was measured before.

    Parameters
    ----------
    measure
        Measure anew first: some ten minutes on two cores, on which nothing else should run.
    data
        The folder of the Multi30k corpus, with train.en, train.de, val.en and val.de.
    results
        Where the measurements are kept.

    """
    if measure:
        trainings: list[Measured] = []
        for setting in SETTINGS:
            trainings.append(train(setting, data.resolve()))
            print(trainings[-1], file=sys.stderr)
        sums = tuple(one for processes in (2, 4) for one in sum_over(processes))
        found = Measurements(machine.describe(), datetime.now(UTC).strftime("%Y-%m-%d"), tuple(trainings), sums)
        write_text(results, json.dumps(found.as_values(), indent=1) + "\n")
    if not results.is_file():
        raise PolyheadError(f"{results}: nothing has been measured yet; give --measure")
    found = Measurements.of_values(json.loads(results.read_text(encoding="utf-8")))
    for name, table in TABLES.items():
        print(f"\n## {name}\n\n{written(table(found))}")


if __name__ == "__main__":
    try:
        app()
    except PolyheadError as error:
        sys.exit(f"benchmarks.scaling: {error}")
