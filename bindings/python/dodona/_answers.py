"""Answers as dataclasses. Each keeps the dictionary that it was made of as `raw`: all that the JSON has is there.

A member is the key of its name, without the unit that the key ends in: `step_time` is `step_time_s`.
"""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Type, TypeVar, Union, get_type_hints

if TYPE_CHECKING:
    import pandas

Record = Dict[str, Any]
Answer = TypeVar("Answer")


def _value(kind: Any, raw: Any) -> Any:
    """What JSON has, as a member of this type."""
    parts = getattr(kind, "__args__", ())
    if getattr(kind, "__origin__", None) is Union:  # Optional
        return None if raw is None else _value(parts[0], raw)
    if getattr(kind, "__origin__", None) is tuple:
        return tuple(_value(parts[0], one) for one in raw or ())
    if hasattr(kind, "__dataclass_fields__"):
        return made(kind, raw)
    return (raw or {}) if getattr(kind, "__origin__", None) is dict else raw


def made(answer: Type[Answer], raw: Record) -> Answer:
    """The answer of its JSON."""
    kinds = get_type_hints(answer)
    members = {}
    for member in fields(answer):  # type: ignore[arg-type]
        name = member.name
        key = next((key for key in (name, f"{name}_s", f"{name}_bytes") if key in raw), name)
        of = member.metadata.get("of", lambda raw: _value(kinds[name], raw[key]))
        members[name] = raw if name == "raw" else of(raw)
    return answer(**members)


def _frame(rows: List[Record]) -> "pandas.DataFrame":
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas: apt install python3-pandas, or pip install pandas") from error
    return pandas.DataFrame(rows)


@dataclass(frozen=True)
class Estimate:
    """Seconds, with the interval that holds the true value with probability `level`."""

    value: float
    lo: float
    hi: float
    level: float


@dataclass(frozen=True)
class Stage:
    """A stage of a pipeline; a plan without one has a single stage."""

    layers: str
    device: str
    memory: int
    time: float


@dataclass(frozen=True)
class Plan:
    """A plan and what is predicted of it. Seconds and bytes; what does not apply is None."""

    fits: bool
    why_not: Optional[str]
    strategy: str
    mesh: Dict[str, int]
    batch: int
    microbatch: int
    microbatches: int
    schedule: str
    virtual_stages: int
    recompute: str
    shard: str
    precision: str
    optimizer: str
    framework: Optional[str]
    step_time: Optional[Estimate]
    samples_per_s: Optional[float]
    tokens_per_s: Optional[float]
    mfu: Optional[float]
    hfu: Optional[float]
    time: Dict[str, float]  #: exposed parts, which add up to the step
    #: parts of the fullest stage
    memory: Dict[str, int] = field(metadata={"of": lambda raw: {
        part: size for part, size in (raw["memory_bytes"] or {}).items() if part not in ("total", "kind")}})
    memory_total: Optional[int] = field(metadata={"of": lambda raw: (raw["memory_bytes"] or {}).get("total")})
    memory_limit: Optional[int]
    stages: Tuple[Stage, ...]
    raw: Record = field(repr=False, compare=False)

    def row(self) -> Record:
        """One line of a table: plain columns, times in seconds, sizes in bytes."""
        time = self.step_time
        return {
            "strategy": self.strategy,
            "mesh": ",".join(f"{axis}={size}" for axis, size in self.mesh.items()),
            "batch": self.batch,
            "microbatch": self.microbatch,
            "schedule": self.schedule,
            "virtual_stages": self.virtual_stages,
            "recompute": self.recompute,
            "shard": self.shard,
            "fits": self.fits,
            "step_time_s": time.value if time else None,
            "step_time_lo_s": time.lo if time else None,
            "step_time_hi_s": time.hi if time else None,
            "samples_per_s": self.samples_per_s,
            "tokens_per_s": self.tokens_per_s,
            "mfu": self.mfu,
            "memory_bytes": self.memory_total,
            "memory_limit_bytes": self.memory_limit,
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """The exposed parts of the step, a row each: part, seconds, share."""
        total = sum(self.time.values())
        return _frame([{"part": part, "time_s": time, "share": time / total if total else 0.0}
                       for part, time in self.time.items()])


@dataclass(frozen=True)
class Prediction:
    """Of `predict`."""

    plan: Plan
    raw: Record = field(repr=False, compare=False)

    def to_pandas(self) -> "pandas.DataFrame":
        return self.plan.to_pandas()


@dataclass(frozen=True)
class NotFitting:
    """Configurations of one strategy that do not fit, for one reason."""

    strategy: str
    reason: str
    count: int


@dataclass(frozen=True)
class PlanAnswer:
    """Of `plan`."""

    plans: Tuple[Plan, ...]  #: the best first
    infeasible: Tuple[NotFitting, ...]
    raw: Record = field(repr=False, compare=False)

    @property
    def best(self) -> Plan:
        """The first plan; LookupError where nothing fits."""
        if not self.plans:
            raise LookupError("nothing fits: " + "; ".join(f"{one.strategy}: {one.reason}" for one in self.infeasible))
        return self.plans[0]

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each plan, the best first."""
        return _frame([one.row() for one in self.plans])


@dataclass(frozen=True)
class Simulation:
    """Of `simulate`: the step as it was played, beside the closed form."""

    plan: Plan
    step_time: Optional[float]
    difference: Optional[float]  #: played / closed form - 1
    idle_share: Optional[float]
    raw: Record = field(repr=False, compare=False)

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each stage: how busy it is, and with what."""
        rows = []
        for stage in self.raw["resources"] or ():
            row = {key: stage[key] for key in ("stage", "layers", "utilisation", "busy_s", "idle_s")}
            row.update({f"{part}_s": time for part, time in stage["time_s"].items()})
            rows.append(row)
        return _frame(rows)


@dataclass(frozen=True)
class Attempt:
    """A number of GPUs that was looked at."""

    gpus: int
    fits: bool
    why_not: Optional[str]
    step_time: Optional[float] = field(metadata={"of": lambda raw: raw["step_s"]})
    samples_per_s: Optional[float]
    tokens_per_s: Optional[float]
    mfu: Optional[float]


@dataclass(frozen=True)
class MachineSize:
    """What one machine needs for the goal; `gpus` and `plan` are None where it cannot meet it."""

    machine: str
    gpus: Optional[int]
    plan: Optional[Plan]
    attempts: Tuple[Attempt, ...]
    raw: Record = field(repr=False, compare=False)


@dataclass(frozen=True)
class SizeAnswer:
    """Of `size`."""

    best: Optional[str]  #: the machine; None where no machine meets the goal
    machines: Tuple[MachineSize, ...]
    raw: Record = field(repr=False, compare=False)

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each number of GPUs that was looked at, on each machine."""
        return _frame([{"machine": machine.machine, "gpus": one.gpus, "fits": one.fits, "step_time_s": one.step_time,
                        "samples_per_s": one.samples_per_s, "tokens_per_s": one.tokens_per_s, "mfu": one.mfu}
                       for machine in self.machines for one in machine.attempts])
