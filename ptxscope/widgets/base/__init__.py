"""The building blocks of widgets: panes, messages, menus, theme styles, ASCII glyphs."""
