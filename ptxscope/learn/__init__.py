"""Learning by predicting: what is asked, how an answer is judged, exercises without end."""
