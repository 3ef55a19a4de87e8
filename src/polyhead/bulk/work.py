"""What a worker does with a shard, in whatever process it is."""

from polyhead.bulk.batch_translator import BatchTranslator
from polyhead.bulk.kinds import KINDS
from polyhead.bulk.shard import Outcome, Shard
from polyhead.errors import ModelError, PolyheadError, WriteError, shortened
from polyhead.files import atomic_file, write_text
from polyhead.memory.freed import out_of_memory

_MOST_TOLD = 5
"""Problems of a shard that are told one by one: an answer must fit into a pipe, which is written to in one go."""
_LONGEST_TOLD = 300


def work(translator: BatchTranslator, shard: Shard) -> Outcome:
    """Translates a shard into its file, which appears whole or not at all.

    Whatever goes wrong is told by the outcome returned: an exception might not find its way out of another process.
    Only what asks the process to end, KeyboardInterrupt and SystemExit, is raised.
    """
    try:
        done = KINDS[shard.kind].translate(shard, translator.apart(f"{shard.file}:{shard.before}"))
        if done.problems:
            write_text(shard.problem_count, str(len(done.problems)))
        with atomic_file(shard.out) as temporary:
            temporary.write_bytes(done.content)
    except (ModelError, WriteError) as error:
        return Outcome(shard, str(error), fatal=True)
    except PolyheadError as error:
        told = str(error)
        place = "" if str(shard.source) in told else f"{shard.source}, from line {shard.before + 1}: "
        return Outcome(shard, shortened(f"{place}{told}"))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # libraries in other languages have errors that are no Exception
        return Outcome(shard, _in_words(shard, error))
    told = tuple(shortened(problem, _LONGEST_TOLD) for problem in done.problems[:_MOST_TOLD])
    return Outcome(shard, problems=told)


def _in_words(shard: Shard, error: BaseException) -> str:
    if out_of_memory(error):
        return f"{shard.source}: the memory is not enough; lower --workers or --batch-tokens"
    if isinstance(error, OSError):
        return f"{error.filename or shard.source}: {error.strerror or error}"
    kind = type(error).__name__
    return shortened(f"{shard.source}: polyhead failed ({kind}: {error}); please report this as a fault of polyhead")
