"""Learning by prediction: questions, grading, mistakes, practice."""
