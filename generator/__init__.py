"""Briefs, prompts, parsing of completions, generator reward."""
