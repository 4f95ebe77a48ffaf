"""The flow that measures solvers on benchmarks: the command `evaluate` for a schedule or a form.

In: `EvaluateConfig`. Out: the path of the result, in the work folder; its tables are the artifact `evaluation`.
The same configuration resumes. Not promised: a benchmark on a worker that does not have its file.
"""

from __future__ import annotations

import json

from loguru import logger
from prefect import flow
from prefect.artifacts import create_markdown_artifact

from data.atomic import write_bytes
from flows import evaluation
from flows.evaluate_settings import EvaluateConfig, plan_of
from flows.evaluation_table import markdown
from flows.flow_options import begin, checked, flow_options

DEFAULT = EvaluateConfig.model_validate({})


@flow(name="evaluate", **flow_options(EvaluateConfig, "solver", "seed"))
def evaluate(config: EvaluateConfig = DEFAULT) -> str:
    """Measure solvers on benchmarks.

    Args:
        config: Which solvers in which harnesses, on what.
    """
    config = checked(EvaluateConfig, config, "evaluate")
    begin()
    result, folder = evaluation.evaluate(plan_of(config), config.workdir, logger.info)
    path = folder / evaluation.RESULT
    write_bytes(path, json.dumps(result, indent=1).encode())
    solvers = " and ".join(str(one["engine"]) for one in result["solvers"])
    create_markdown_artifact(markdown(result), key="evaluation", description=f"{solvers}; every answer: {path}")
    return str(path)
