"""dodona: what parallelism fits a network and a machine, and how fast it trains.

    import dodona
    answer = dodona.plan("llama-3.1-8b", "dgx-h100", gpus=64, batch=512)
    print(answer.best.step_time, answer.best.mesh)

Each function asks what the command of its name answers; options have the command's names, with ``_`` for ``-``. Times are
seconds, sizes bytes. What is wrong with a question is raised as `BadInput`, with the message of the command.
"""

from ._answers import Attempt, Estimate, MachineSize, NotFitting, Plan, PlanAnswer, Prediction, Simulation, SizeAnswer, Stage
from ._questions import ask, ask_text, plan, predict, simulate, size, version
from ._questions import BadInput, Error, InternalError, MissingPart

__all__ = [
    "Attempt",
    "BadInput",
    "Error",
    "Estimate",
    "InternalError",
    "MachineSize",
    "MissingPart",
    "NotFitting",
    "Plan",
    "PlanAnswer",
    "Prediction",
    "Simulation",
    "SizeAnswer",
    "Stage",
    "ask",
    "ask_text",
    "plan",
    "predict",
    "simulate",
    "size",
    "version",
]
__version__ = version()
