// From the picture, and from the box above the steps, the arrow keys go from value to value.
const byPlace = (rects) => {
  const rows = new Map();
  for (const rect of rects) {
    const y = Number(rect.getAttribute("y"));
    rows.set(y, [...(rows.get(y) ?? []), rect]);
  }
  const x = rect => Number(rect.getAttribute("x"));
  return [...rows.keys()].sort((a, b) => a - b).map(y => rows.get(y).sort((a, b) => x(a) - x(b)));
};
const walk = (article, home, rows) => article.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const down = {ArrowDown: 1, ArrowUp: -1}[event.key] || 0;
  const right = {ArrowRight: 1, ArrowLeft: -1}[event.key] || 0;
  const at = rows.findIndex(row => row.includes(event.target));
  let to;
  if (event.target === home) to = down > 0 ? rows[0]?.[0] : undefined;
  else if (at < 0) return;
  else if (event.key === "Escape" || (down < 0 && at === 0)) to = home;
  else if (event.key === "Home") to = rows[at][0];
  else if (event.key === "End") to = rows[at].at(-1);
  else if (right) to = rows[at][rows[at].indexOf(event.target) + right];
  else if (down) to = rows[at + down]?.[Math.min(rows[at].indexOf(event.target), rows[at + down].length - 1)];
  if (!to) return;
  event.preventDefault();
  to.focus();
});
for (const article of document.querySelectorAll(".ptxscope")) {
  for (const picture of article.querySelectorAll(".px-picture")) {
    walk(article, picture, byPlace(picture.querySelectorAll(".px-zones rect")));
  }
  const rows = [...article.querySelectorAll(".px-lanes tbody tr")].map(row => [...row.querySelectorAll("td")]);
  for (const cell of rows.flat()) cell.tabIndex = -1;
  walk(article, article.querySelector(".px-say input"), rows);
}
