"""What a process other than process 0 does in a training: its share of the work, and at most parts of checkpoints."""

from contextlib import closing

import torch

from polyhead.cores import cores_an_operation
from polyhead.recipe.assemble import assemble
from polyhead.recipe.finish import judge_finished
from polyhead.recipe.load import make_recipe
from polyhead.recipe.plan import choose_device
from polyhead.recipe.sharing import Orders
from polyhead.recipe.signals import stop_on_signals
from polyhead.recipe.stored import read_corpus
from polyhead.recipe.trainers import make_follower
from polyhead.training.log import SilentDisplay
from polyhead.training.world import World


def follow(world: World) -> bool:
    """Trains what process 0 of a world trains → whether that came to its end; False where a signal ended it early.

    Reads no files but the corpora and the checkpoints of a divided model. Raises PolyheadError where the corpora are
    not what process 0 has read, and Deserted where another process ends with an error.
    """
    orders: Orders = world.broadcast(None)  # pyright: ignore[reportAssignmentType]: what process 0 tells
    recipe = make_recipe(orders.values)
    if recipe.threads is not None:
        torch.set_num_threads(recipe.threads)
    device, display = choose_device(world), SilentDisplay()
    pairs = read_corpus(recipe, display.message)
    orders.check(pairs, world.rank)
    with cores_an_operation(recipe.threads or torch.get_num_threads()):
        parts = assemble(recipe, pairs, device, display, world)
        trainer = make_follower(parts, recipe, device, world)
        with closing(trainer.differentiation), closing(trainer.optimizer):
            if world.broadcast(False):
                return True
            with stop_on_signals(trainer.interrupt):
                done = trainer.run()
        if done:
            judge_finished(recipe, parts.bundle, trainer.averaged() or {}, pairs, display, world)
        return done
