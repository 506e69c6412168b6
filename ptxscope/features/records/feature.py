"""Records: documents in JSON are read back as traces, with every value checked."""

from ...feature import Feature

FEATURE = Feature("records")
