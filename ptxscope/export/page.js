// From the box above the steps the arrow keys go into the cells, and there from cell to cell.
for (const article of document.querySelectorAll(".ptxscope")) {
  const box = article.querySelector(".px-say input");
  const rows = [...article.querySelectorAll(".px-lanes tbody tr")].map(row => [...row.querySelectorAll("td")]);
  for (const cell of rows.flat()) cell.tabIndex = -1;
  article.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const down = {ArrowDown: 1, ArrowUp: -1}[event.key] || 0;
    const right = {ArrowRight: 1, ArrowLeft: -1}[event.key] || 0;
    const at = rows.findIndex(row => row.includes(event.target));
    let to;
    if (event.target === box) to = down > 0 ? rows[0]?.[0] : undefined;
    else if (at < 0) return;
    else if (event.key === "Escape" || (down < 0 && at === 0)) to = box;
    else if (event.key === "Home") to = rows[at][0];
    else if (event.key === "End") to = rows[at].at(-1);
    else if (right) to = rows[at][rows[at].indexOf(event.target) + right];
    else if (down) to = rows[at + down]?.[Math.min(rows[at].indexOf(event.target), rows[at + down].length - 1)];
    if (!to) return;
    event.preventDefault();
    to.focus();
  });
}
