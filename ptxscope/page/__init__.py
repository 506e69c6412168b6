"""The page: the engine in a browser, without a server, by Pyodide."""
