"""The web explorer (here, *the page*): the engine in a browser, without a server, by Pyodide.

From a key to the picture:

1. ``engine.js`` has started Python in ``worker.js``. ``page.js`` calls ``ExplorerPage.handle`` with
   the action that an element names (``data-on``, ``data-do``) and its text.
2. The action is one of the explorer's table, of a panel of ``tool_table``, or a function of
   ``page_actions``. Each runs transitions of ``ExplorerState``, as in the explorer.
3. ``make_view`` of ``page_view`` writes each region as ``elements``, lists of strings.
   ``format_changes`` returns the regions that differ from the page's, and the picture, as
   ``trace_picture`` draws it for ``trace -f svg``.
4. ``elements.js`` patches regions, and ``picture.js`` the lines of the picture that differ. A
   moment later it lays the zones of ``list_zones`` over it: hover, keys, chips, wires.

Until Python is ready, ``opening.js`` shows the frames that ``opening.py`` has drawn with the same
functions, and ``page.js`` holds every action for Python.

JavaScript only wires events. Text is never markup: it reaches a page as a node or a value.
"""
