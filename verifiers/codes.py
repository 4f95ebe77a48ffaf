"""Every code that a check can give, with what was expected of the row: what `--explain` and the documentation say.

In: the check and the code of a `Verdict`. Out: one sentence. `docs/verification.md` shows the same table, and a test
holds both to it and to the sources.
Not promised: what stood there; that is the detail of the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping

CODES: Mapping[str, Mapping[str, str]] = {
    "input": {
        "bad_line": "the line is one JSON object in UTF-8 with either a completion or a task",
    },
    "format": {
        "invalid_json": "JSON as RFC 8259 has it: no NaN, no trailing comma, no comment, nothing behind the value",
        "duplicate_key": "every key stands once in its object",
        "too_large": "at most 64 levels, 1,000 digits a number, 1 MiB a block",
        "invalid_unicode": "no lone surrogate and no U+0000",
        "truncated": "every opening tag has its end",
        "duplicate_block": "each block stands once outside the thoughts",
        "missing_block": "the blocks question, available_tools and tool_call_answer outside the thoughts",
        "empty_question": "the question says something",
        "placeholder": "a question of its own: not wholly in brackets, not copied from the prompt",
    },
    "menu": {
        "not_a_list": "the tools are a list",
        "empty_menu": "at least one tool",
        "bad_tool": "every tool is an object with a name",
        "duplicate_tool": "every name stands once",
        "unknown_type": "type names of JSON Schema or their common aliases",
        "bad_schema": "parameters that are valid JSON Schema 2020-12",
        "external_ref": "references stay inside the tool's own schema",
        "ref_cycle": "no reference comes back to itself without consuming anything",
        "undeclared_required": "a closed object requires only what it declares",
        "unsupported_pattern": "patterns that match in linear time (RE2)",
    },
    "calls": {
        "not_a_list": "the calls are a list, or one call",
        "bad_call": "every call is an object with name and arguments",
        "no_calls": "at least one call, or the proof that none is due",
        "unknown_tool": "the called tool is in the menu",
        "missing_argument": "every required argument is given",
        "undeclared_argument": "only declared arguments are given",
        "wrong_type": "every value has the type that its schema names",
        "not_allowed": "every value is one that its schema allows",
        "bad_reference": "a reference points to an earlier call",
    },
    "grounding": {
        "ungrounded": "every value is said in the task, is a declared default, or comes from an earlier call",
        "undecided": "an expression of the task that is equal to the value, or none that is nearly equal",
        "exchanged_values": "no two values of a call are each said where the other one's argument is named",
        "overused_value": "no number that is said of one argument is another one's too while others are unused",
    },
    "determinacy": {
        "leaks_answer": "no user turn holds the call",
        "ambiguous_tools": "no other tool has the same parameters and a description that says the same",
        "better_tool": "no uncalled tool that takes the arguments has more words of its own in the question",
        "unasked_argument": "an optional argument is asked for: its value or, where it is true, a word of it is said",
        "omitted_argument": "a number that is said of an optional argument is given",
    },
    "execution": {
        "no_implementation": "every called tool has an implementation",
        "bad_implementation": "implementations are built-in tools, or Python that loads and defines run, "
        "for tools of the menu",
        "bad_world": "the world is a JSON object",
        "bad_reference": "a reference leads to a value of an earlier result, and that value fits the schema",
        "tool_failed": "no tool refuses its arguments or raises",
        "timeout": "the calls end in time",
        "too_large": "at most 16 calls, and bounded memory, source, output, state and results",
        "too_deep": "recursion of bounded depth",
        "not_json": "every result and every state is JSON",
        "nondeterministic": "the second replay does the same as the first",
        "empty_result": "the state changes in the end, or an answer says something",
    },
    "soundness": {
        "survivor": "no wrong answer near the gold scores like it",
        "unexamined": "where wrong answers are tried: at most 16 calls, 512 values times calls, 16 KiB, 3 timeouts, "
        "bounded work",
    },
    "checker": {
        "checker_error": "our checker ends without a fault; this says nothing about the row",
    },
}


def expected(check: str, code: str) -> str:
    """What was expected, or nothing for a code that is not ours."""
    return CODES.get(check, {}).get(code, "")
