"""Lessons: short tours of cards with questions, over real traces."""
