"""The main screen: its widgets, their view of the state, and the runner of transitions."""
