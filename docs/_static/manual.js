// Every cell of a table knows the name of its column, which a narrow page shows before it.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.docutils")) {
    const names = [...table.querySelectorAll("thead th")].map(cell => cell.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.cells].forEach((cell, at) => { if (at && names[at]) cell.dataset.column = names[at]; });
    }
  }
});
