"""Mistakes: a wrong answer is explained by the mistake behind it."""

from ...feature import Feature, Service

FEATURE = Feature(
    "mistakes", services={Service.EXPLAIN_ANSWER: f"{__package__}.mistakes:explain_answer"}
)
