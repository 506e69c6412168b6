"""The page: time until it can be used, and from a key to the new picture, in Chromium.

`python3 dev.py bench page`."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from tools.page_browser import PageDriver, serve_site, start_browser

_KEYS = 120
MEDIAN_MS, PERCENTILE_MS = 16.0, 40.0
"""Goals on two cores: the median and the 95th percentile."""
_TYPE = """async count => {
  const field = document.getElementById("value-a"), times = [];
  field.focus();
  for (let index = 0; index < count; index++) {
    field.value = "0x" + (index * 0x9E3779B1 >>> 0).toString(16);
    await new Promise(resolve => setTimeout(resolve, 120));
    const start = performance.now();
    field.dispatchEvent(new InputEvent("input", {bubbles: true}));
    await ptxscopeAnswer();
    document.querySelector("#picture svg").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""
"""Each key is one event; its picture is in the page, with its layout, after Python's answer."""


FIRST_MS, STEP_MS, READY_MS = 500, 100, 4000
"""Goals on two cores: the first content, a step while Python loads, and Python."""
_RUNS = 3
_WATCH = """
const times = window.times = {};
addEventListener("DOMContentLoaded", () => setTimeout(() => {
  const find = () => document.querySelector("#steps [aria-current]").textContent;
  const start = performance.now(), step = find();
  document.querySelector("[data-do='step.next']").click();
  const watch = setInterval(() => {
    if (find() === step) return;
    times.step = performance.now() - start;
    clearInterval(watch);
  }, 1);
  new MutationObserver(() => {
    if (document.body.classList.contains("ready")) times.ready ??= performance.now();
  }).observe(document.body, {attributes: true});
}, 100));
"""
_READ = """() => [performance.getEntriesByName("first-contentful-paint")[0].startTime, times.step,
  times.ready]"""


def print_start(chromium: str, url: str) -> None:
    """Print how long a fresh browser waits for the first content, a step, and Python."""
    for _ in range(_RUNS):
        with start_browser(chromium) as browser:
            driver = PageDriver(browser, url)
            driver.context.add_init_script(_WATCH)
            driver.open()
            driver.wait_for("times.ready && times.step")
            first, step, ready = driver.page.evaluate(_READ)
            print(
                f"first content after {first:.0f} ms (goal {FIRST_MS}), a step meanwhile in "
                f"{step:.0f} ms (goal {STEP_MS}), Python after {ready:.0f} ms (goal {READY_MS})"
            )


def main() -> None:
    """Print all times."""
    chromium, packages = sys.argv[1], Path(sys.argv[2])
    with serve_site(packages) as (url, _):
        print_start(chromium, url)
        print_keys(chromium, url)


def print_keys(chromium: str, url: str) -> None:
    """Print the times from a key to its picture, for some lines."""
    with start_browser(chromium) as browser:
        driver = PageDriver(browser, url)
        driver.open()
        for line in ("vadd4.s32.s32.u32.sat d.b310, a, b, c", "vadd.u32.s32.s32 d.b0, a, b, c"):
            driver.page.fill("#line", line)
            driver.page.evaluate(_TYPE, 20)
            times = sorted(driver.page.evaluate(_TYPE, _KEYS))
            print(
                f"{line}: a key is drawn in {median(times):.1f} ms (median; goal {MEDIAN_MS:.0f}), "
                f"{times[_KEYS * 95 // 100]:.1f} ms (95th percentile; goal {PERCENTILE_MS:.0f})"
            )


if __name__ == "__main__":
    main()
