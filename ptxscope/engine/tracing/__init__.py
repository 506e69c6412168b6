"""Evaluations step by step: values, flags, provenance, sentences, deviation."""
