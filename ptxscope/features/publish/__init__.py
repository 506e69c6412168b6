"""Traces in Markdown files and in manuals that Sphinx builds."""
