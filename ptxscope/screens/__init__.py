"""The screens of the explorer, made of widgets."""
