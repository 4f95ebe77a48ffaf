"""A small curriculum in figures, hostile where a model wrote, for the tests of reports."""

from collections import Counter
from dataclasses import replace

from data.ledger import LedgerRow
from data.manifest import Origin
from data.records import JsonObject, Message, Score, Task
from data.rule import Rule
from flows.report_facts import Example, Facts, Fates, Past, Spread
from flows.reports import Answer, Curriculum, Sample, task_rows

EVIL = "Say ``` | <script>alert(1)</script> **bold** [link](http://x)\n# head"
TOOL: JsonObject = {
    "name": "add",
    "description": "Add.",
    "parameters": {"type": "object", "properties": {"a": {}, "b": {}}},
}
TASK = Task(
    task_id="0123456789abcdef",
    kind="single",
    turns=1,
    domain="finance",
    mode="catalogue",
    messages=(Message("user", EVIL),),
    tools=(TOOL,),
    calls=({"name": "add", "arguments": {"a": 1, "b": 2}},),
)
SCORE = Score(
    task_id=TASK.task_id, harness="json", attempts=8, passes=4, pass_rate=0.5, pass_low=0.2, pass_high=0.8,
    confirmed=False, band="frontier", band_probability=0.9, difficulty_reward=1.0, reward_mean=0.7, reward_std=0.3,
    reward_values=2, signal_g8=0.99, consensus_share=0.5, consensus_is_gold=True,
)  # fmt: skip
EASY = replace(SCORE, passes=7, pass_rate=0.875, band="easy")
ORIGIN = Origin(
    engine="scripted",
    players={
        "generator": {"engine": "scripted", "digest": "sha256:" + "a" * 64, "round": 0, "parent": None},
        "solver": {"engine": "embedded", "digest": "sha256:" + "b" * 64, "round": 1, "parent": "sha256:" + "c" * 64},
        "equal": False,
    },
    prompts={},
    verifier_version="1",
    difficulty={"harness": "json", "k": 8, "temperature": 0.7},
    seed=7,
    config={"mode": "catalogue", "domains": ["finance", "weather"]},
)


def spread(*scores: Score) -> Spread:
    """What tasks of these scores are."""
    found = Spread()
    for score in scores:
        found.add(TASK, score)
    return found


FATES = Fates(
    briefs=Counter(finance=3, weather=1),
    proven=Counter(finance=2),
    published=Counter(finance=2),
    measured=2,
    reasons=Counter({("verify", "grounding", "ungrounded"): 2}),
)
FATES.examples["verify", "grounding", "ungrounded"].append(Example(3, "weather", f"a = {EVIL}", EVIL))
FACTS = Facts(
    name="demo",
    version="v0002-abc",
    origin=ORIGIN,
    rule=Rule(2, {"frontier": 0.5, "hard": 0.0, "easy": 0.5}),
    ledger=(
        LedgerRow("verify", "ungrounded", 2, 40),
        LedgerRow("published", "", 2, 60),
        LedgerRow("solve", "", 0, 900),
        LedgerRow("run", "", 0, seconds=1.5),
    ),
    spread=spread(SCORE, EASY),
    fates=FATES,
    past=(Past("v0001-def", replace(ORIGIN, difficulty={"harness": "tags"}), spread(SCORE)),),
)
RUN = Curriculum(
    facts=FACTS,
    samples=(Sample(TASK, SCORE, (Answer(EVIL, "malformed", 0.0, 3), Answer("[]", "missing_call", 0.0, 1))),),
    lineage={"solver": ["sha256:" + "c" * 64, "sha256:" + "b" * 64]},
    tasks=task_rows([(TASK, SCORE), (TASK, EASY)]),
)
