"""The screens of the explorer, composed of widgets."""
