"""Learning by predicting: questions and their judging, lessons."""
