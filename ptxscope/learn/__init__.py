"""Learning by prediction: questions, grading, mistakes, exercises, lessons."""
