"""The main screen: its widgets, what shows the state, and what runs transitions."""
