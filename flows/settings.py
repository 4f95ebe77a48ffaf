"""What a run is asked for: one frozen, validated model that the command line, the flow and its form share.

In: option values as text and numbers. Out: `RunConfig`, or one `UsageError` that names every fault at once.
Paths are made absolute here, so that a worker with another working folder means the same files. Secrets are no
parameters: API keys come from the environment alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from data.canonical import digest
from data.errors import UsageError
from data.records import Band, Mode
from data.rule import DEFAULT_MIX, Rule
from flows.form import lay_out
from generator.domains import DOMAINS
from generator.kinds import check_shares
from generator.mcp_tools import PREFIX, check_source
from policies.server_list import is_list, lasting, listed
from solver.harness import HarnessName

MAX_BUDGET = 10_000_000


def is_url(location: str) -> bool:
    """Whether a location is a URL, not a path."""
    return "://" in location


def absolute(location: str) -> str:
    """A path made absolute; a URL or nothing as it is."""
    return location if is_url(location) or not location else str(Path(location).expanduser().absolute())


def on_disk(location: str) -> str:
    """A path made absolute; raises `ValueError` for a URL."""
    if is_url(location):
        raise ValueError(f"{location!r} is a URL; this has to lie on disk")
    return absolute(location)


def absolute_engine(engine: str) -> str:
    """An engine with the path of its weights made absolute. Raises `ValueError` for a list of servers that is none."""
    if is_list(engine):
        try:
            listed(engine)
        except UsageError as fault:
            raise ValueError(str(fault)) from None
    kind, _, path = engine.partition(":")
    return f"{kind}:{absolute(path)}" if kind in ("embedded", "vllm") and path else engine


def exact_version(option: str, reference: str) -> str:
    """A reference that stands for one version for ever: what a name alone stands for changes. Paths made absolute."""
    if not reference or "/" in reference:
        return absolute(reference)
    if reference.partition("@")[2] in ("", "latest"):
        raise ValueError(f"{option} {reference!r} names no version: write it as name@v0003 (see `sparring sets log`)")
    return reference


def runner_name(runner: str) -> str:
    """`threads`; `dask` or `ray`, alone, with a number of processes, or with the address of a cluster."""
    kind, _, where = runner.partition(":")
    if runner != "threads" and (kind not in ("dask", "ray") or runner.endswith(":") or where == "0"):
        raise ValueError(
            f"--runner {runner!r} is none: there are threads; dask, dask:4 (processes) and dask:tcp://host:8786; "
            "ray, ray:4 and ray:ray://host:10001"
        )
    return runner


def not_below_k(most: int, info: ValidationInfo) -> int:
    """`k_max`, if it is not below the field `k` before it."""
    if most < info.data.get("k", 0):
        raise ValueError(f"--k-max {most} is below --k {info.data['k']}")
    return most


Share = Annotated[float, Field(ge=0, le=1)]
Location = Annotated[str, AfterValidator(absolute)]
"""A folder, as an absolute path, or a URL."""
Folder = Annotated[str, AfterValidator(on_disk)]
"""A file or folder on disk, as an absolute path."""
WorkLocation = Annotated[
    Location,
    Field(
        title="Work folder",
        description="On the worker's machine, or s3://bucket/prefix. The same one resumes a run. Empty: by settings.",
    ),
]
Runner = Annotated[str, AfterValidator(runner_name)]
"""Where the steps of a run run."""
EngineName = Annotated[str, AfterValidator(absolute_engine)]
"""An engine; the path of its weights is made absolute."""
MostAttempts = Annotated[int, Field(ge=4, le=64, validate_default=True), AfterValidator(not_below_k)]
"""`k_max`, in a model that has `k` before it."""


class Mix(BaseModel):
    """Shares of the published tasks by measured pass rate; they add up to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    easy: Share = DEFAULT_MIX["easy"]
    frontier: Share = DEFAULT_MIX["frontier"]
    hard: Share = DEFAULT_MIX["hard"]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = self.easy + self.frontier + self.hard
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the shares of --mix add up to {total:g}, not to 1")
        return self

    @classmethod
    def parse(cls, text: str) -> Mix:
        """Read `easy=0.2,frontier=0.6,hard=0.2`; a band left out has share 0."""
        none = {"easy": 0.0, "frontier": 0.0, "hard": 0.0}
        shares = parse_shares("--mix", text, "easy=0.2,frontier=0.6,hard=0.2")
        if unknown := sorted(shares.keys() - none.keys()):
            raise UsageError(f"--mix has {unknown[0]!r}, which is no band", hint=f"there are {', '.join(none)}")
        try:
            return cls(**none | shares)
        except ValidationError as fault:
            why = "; ".join(str(error["msg"]).removeprefix("Value error, ") for error in fault.errors())
            raise UsageError(f"--mix {text!r}: {why}", hint="shares lie in [0, 1] and add up to 1") from None


def parse_shares(option: str, text: str, example: str) -> dict[str, float]:
    """Read `name=share,...`. Raises `UsageError` naming the part that is no share, or a name that is there twice."""
    shares: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, number = (word.strip() for word in part.partition("="))
        try:
            shares[name], twice = float(number), name in shares
        except ValueError:
            raise UsageError(f"{option} has {part!r}, which is no share", hint=f"as {option} {example}") from None
        if twice:
            raise UsageError(f"{option} names {name!r} twice", hint=f"as {option} {example}")
    return shares


class RunConfig(BaseModel):
    """One curriculum run (CONTRACT, `sparring run`)."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=lay_out)

    name: str = Field("curriculum", title="Name of the task set", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    tasks: int = Field(32, ge=1, le=MAX_BUDGET, title="Tasks to publish")
    seed: int = Field(0, ge=0, lt=2**31, title="Seed")
    budget: int = Field(0, ge=0, le=MAX_BUDGET, title="Candidates at most", description="0: 32 for each task")
    engine: EngineName = Field("", title="Engine of both players")
    generator: EngineName = Field("", title="Generator", description="Of its own; empty: as the engine of both")
    solver: EngineName = Field("", title="Solver", description="Of its own; empty: as the engine of both")
    mode: Literal["catalogue", "open", "mutate"] = Field("catalogue", title="Mode")
    parent: str = Field(
        "", title="Version to change", description="Of mode mutate: name@v0003, or its folder", validate_default=True
    )
    kinds: dict[str, float] = Field({}, title="Shares of the kinds of task", description="Empty: by the solver's size")
    tools: str = Field(
        "",
        title="Your own tools",
        description="A file (a list of tools, an OpenAPI or Swagger document) or its JSON pasted here, or mcp:URL or "
        "mcp:command of an MCP server; empty: the shipped catalogue",
    )
    tools_digest: SkipJsonSchema[str] = ""
    """Of the tools that were read when the run started (`flows.own_tools`); nobody fills it in."""
    round: SkipJsonSchema[int] = Field(0, ge=0)
    accepted: SkipJsonSchema[dict[str, Share]] = {}
    """Of an evolution: which of its rounds this run is, and how briefs are thinned by cell (`generator.control`)."""
    domains: tuple[str, ...] = Field((), title="Domains", description="Empty: all that the catalogue has")
    harness: HarnessName = Field("json", title="Harness of the solver")
    style: Literal["auto", "plain", "chat"] = Field("auto", title="Prompt style")
    grammar: bool = Field(True, title="Grammar for a small generator")
    k: int = Field(8, ge=4, le=64, title="Attempts for each task")
    k_max: MostAttempts = Field(8, title="Attempts at most, while the band is open")
    confirm: int = Field(0, ge=0, le=256, title="Fresh attempts for the selected tasks")
    temperature: float = Field(0.7, ge=0, le=2, title="Temperature of the solver")
    mix: Mix = Field(Mix(), title="Mix by pass rate")
    suspects: bool = Field(False, title="Publish suspects too")
    quotas: dict[str, float] = Field({}, title="Shares of the tasks by domain", description="Others share the rest")
    max_dead_share: float = Field(1, ge=0, le=1, title="Dead groups of 8 at most", description="Expected share")
    eval_share: float = Field(0, ge=0, le=0.5, title="Share of the split eval", description="Of tools train lacks")
    held_out: tuple[Folder, ...] = Field((), title="Held-out files", description="Questions that may not come")
    store: Location = Field("", title="Store")
    workdir: WorkLocation = ""
    runner: Runner = Field("threads", title="Where the steps run")

    @field_validator("domains")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in names if name not in DOMAINS]
        if unknown:
            raise ValueError(f"unknown domain {', '.join(map(repr, unknown))}; known are {', '.join(DOMAINS)}")
        return tuple(sorted(set(names)))

    @field_validator("parent")
    @classmethod
    def _exact(cls, reference: str, info: ValidationInfo) -> str:
        if "mode" in info.data and (info.data["mode"] == "mutate") != bool(reference):
            raise ValueError("--mode mutate and --parent go together: a published version whose tasks are changed")
        return exact_version("--parent", reference)

    @field_validator("kinds")
    @classmethod
    def _of_the_mode(cls, shares: dict[str, float], info: ValidationInfo) -> dict[str, float]:
        if shares and "mode" in info.data:
            try:
                check_shares(shares, brief_mode(info.data["mode"]))
            except UsageError as fault:
                raise ValueError(str(fault)) from None
        return shares

    @field_validator("budget")
    @classmethod
    def _for_all_tasks(cls, budget: int, info: ValidationInfo) -> int:
        tasks = info.data.get("tasks", 0)
        if budget and budget < tasks:
            raise ValueError(f"--budget {budget} cannot give --tasks {tasks}: a task takes a candidate at least")
        return budget

    @field_validator("tools")
    @classmethod
    def _source(cls, source: str) -> str:
        if is_pasted(source):
            return source
        if source.startswith(PREFIX):
            try:
                check_source(source)
            except UsageError as fault:
                raise ValueError(str(fault)) from None
            return source
        if is_url(source):
            raise ValueError(
                f"--tools {source!r} is a URL, and documents are not fetched: download it and name the file, "
                f"or write {PREFIX}URL for an MCP server"
            )
        return absolute(source)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        try:
            self.rule  # noqa: B018  # It checks itself.
        except UsageError as fault:
            raise ValueError(fault.message) from None
        return self

    @property
    def brief_mode(self) -> Mode:
        """The mode as briefs and rows call it."""
        return brief_mode(self.mode)

    @property
    def candidates(self) -> int:
        """The budget: briefs at most."""
        return self.budget or 32 * self.tasks

    @property
    def rule(self) -> Rule:
        """What selection accepts."""
        shares: dict[Band, float] = {"easy": self.mix.easy, "frontier": self.mix.frontier, "hard": self.mix.hard}
        return Rule(
            self.tasks,
            shares,
            self.quotas,
            suspects=self.suspects,
            max_dead_share=self.max_dead_share,
            eval_share=self.eval_share,
        )

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the result: every parameter but where it runs and is kept; of own tools, their content, of
        several servers, their model.
        """
        apart = {"store", "workdir", "runner", "tools_digest"}
        said = self.model_dump(mode="json", exclude=apart if self.round else apart | {"round", "accepted"})
        engines = {slot: lasting(said[slot]) for slot in ("engine", "generator", "solver")}
        return said | engines | {"tools": self.tools_digest or self.tools}

    @property
    def identity_digest(self) -> str:
        return digest(self.identity)

    @property
    def store_location(self) -> str:
        """The folder or URL of the store, or its default."""
        return self.store or str(default_store())

    @property
    def work_folder(self) -> Path:
        """The work folder, or its default; of a run in a bucket, what stays on this machine."""
        return own_folder(self.workdir, f"{self.name}-{self.identity_digest[:12]}")

    @property
    def work_location(self) -> str:
        """Where the steps read and write: the work folder's path, or a URL."""
        return self.workdir if is_url(self.workdir) else str(self.work_folder.absolute())


def brief_mode(mode: str) -> Mode:
    """A run's mode as briefs and rows call it."""
    return cast(Mode, "evolve" if mode == "mutate" else mode)


def is_pasted(tools: str) -> bool:
    """Whether `tools` is the JSON of a tools file itself, as a person pastes it into a form."""
    return tools.lstrip()[:1] in ("[", "{")


def own_folder(workdir: str, default: str) -> Path:
    """The work folder on this machine: `workdir`, or by default, and for what stays here of one in a bucket, `default`
    below our state.
    """
    return Path(workdir) if workdir and not is_url(workdir) else runs_home() / default


def checkout() -> Path | None:
    """The root of the checkout this code runs from, or None when it is installed."""
    root = Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").exists() else None


def state_home() -> Path:
    """`.sparring` in the current folder: work folders and the players."""
    return Path.cwd() / ".sparring"


def runs_home() -> Path:
    """Where the work folders of runs lie that were given none."""
    return state_home() / "runs"


def policies_home() -> Path:
    """Where both players' checkpoints lie, and which of them are promoted."""
    return state_home() / "policies"


def default_store() -> Path:
    """`data/sets` in a checkout, else the user's data folder."""
    root = checkout()
    return root / "data" / "sets" if root else Path.home() / ".local" / "share" / "sparring" / "sets"


Config = TypeVar("Config", bound=BaseModel)


def build(model: type[Config], values: dict[str, Any], command: str) -> Config:
    """A checked configuration. Raises `UsageError` with every fault, each by its option's name."""
    try:
        return model.model_validate(values)
    except ValidationError as fault:
        raise UsageError("; ".join(map(_say, fault.errors())), hint=f"see `sparring {command} --help`") from None


def _say(error: Any) -> str:
    """One fault of pydantic's in the words of the command line."""
    where = "--" + str(error["loc"][0]).replace("_", "-") if error["loc"] else ""
    what = str(error["msg"]).removeprefix("Value error, ")
    return what if what.startswith("--") or not where else f"{where} {error['input']!r}: {what}"


DEFAULT = RunConfig.model_validate({})
