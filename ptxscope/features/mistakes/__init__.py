"""Mistakes behind wrong answers in predictions and lessons."""
