"""The micro-operations of plans: their computation, sentences and figures."""
