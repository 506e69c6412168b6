"""Start the app without a terminal, paint one frame, and check it."""

from __future__ import annotations

import asyncio

from ptxscope.app.app import Explorer


async def main() -> None:
    """Paint a frame of the example; exit with an error unless it shows the result."""
    app = Explorer()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")  # else the result is held back
        frame = app.export_screenshot()
    if "0x7f8003fe" not in frame:
        raise SystemExit("the first frame does not show the result")
    print("one frame painted")


if __name__ == "__main__":
    asyncio.run(main())
