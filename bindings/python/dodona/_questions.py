"""Questions: options as JSON, endings as exceptions, answers as dataclasses."""

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _dodona
from ._answers import PlanAnswer, Prediction, Simulation, SizeAnswer, made

Number = Union[int, float]
Option = Union[None, bool, Number, str, Sequence[Union[Number, str]], Mapping[str, Union[Number, str]]]

_BAD_INPUT, _MISSING, _INTERRUPTED = 2, 3, 130


class Error(Exception):
    """A question without an answer."""


class BadInput(Error, ValueError):
    """The question, or a file that it names, is wrong: the message says where and what would be right."""


class MissingPart(Error, RuntimeError):
    """Something is not installed: hardware, a library or dodona's own data."""


class InternalError(Error, RuntimeError):
    """A fault in dodona."""


def version() -> str:
    """Of the library: "0.1.0"."""
    return str(_dodona.version)


def ask_text(command: str, *arguments: str, **options: Option) -> str:
    """The answer of a command as JSON, byte for byte what `dodona COMMAND ... --format json` prints."""
    question = {"command": command, "arguments": list(arguments), "options": options}
    code, text, message = _dodona.ask(json.dumps(question))
    if code == _BAD_INPUT:
        raise BadInput(message.rstrip("\n"))
    if code == _MISSING:
        raise MissingPart(message.rstrip("\n"))
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    if message:
        raise InternalError(message.rstrip("\n"))
    return str(text)


def ask(command: str, *arguments: str, **options: Option) -> Dict[str, Any]:
    """The answer of any command, as the dictionary of its JSON (NAME-answer.schema.json of `dodona check --schemas` says what it has)."""
    answer: Dict[str, Any] = json.loads(ask_text(command, *arguments, **options))
    return answer


def plan(model: str, machine: str, gpus: int, *, batch: Optional[int] = None, top: Optional[int] = None,
         **options: Option) -> PlanAnswer:
    """The best plans for a number of GPUs, the best first. Nothing fits: `plans` is empty and `infeasible` says why."""
    return made(PlanAnswer, ask("plan", model, machine=machine, gpus=gpus, batch=batch, top=top, **options))


def predict(model: str, machine: str, gpus: Optional[int] = None, *, batch: Optional[int] = None,
            strategy: Optional[str] = None, mesh: Optional[Mapping[str, int]] = None, **options: Option) -> Prediction:
    """Time and memory of one plan. One that does not fit is predicted all the same: `plan.fits` is false."""
    return made(Prediction, ask(
        "predict", model, machine=machine, gpus=gpus, batch=batch, strategy=strategy, mesh=mesh, **options))


def simulate(model: str, machine: str, gpus: Optional[int] = None, *, batch: Optional[int] = None,
             strategy: Optional[str] = None, mesh: Optional[Mapping[str, int]] = None, **options: Option) -> Simulation:
    """A step of one plan, played task by task."""
    return made(Simulation, ask(
        "simulate", model, machine=machine, gpus=gpus, batch=batch, strategy=strategy, mesh=mesh, **options))


def size(model: str, machine: Union[str, Sequence[str]], *, gpus: Union[None, int, str] = None,
         tokens: Optional[float] = None, samples: Optional[float] = None, deadline: Optional[str] = None,
         **options: Option) -> SizeAnswer:
    """How many GPUs meet a goal, on each machine: `deadline="14d"`, `gpus="8..64"`."""
    machines: List[str] = [machine] if isinstance(machine, str) else list(machine)
    return made(SizeAnswer, ask(
        "size", model, machine=machines, gpus=gpus, tokens=tokens, samples=samples, deadline=deadline, **options))
