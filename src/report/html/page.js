
"use strict";
(() => {
  const rowsOf = (table) => Array.from(table.tBodies[0].rows);
  const value = (row, place) => {
    const cell = row.cells[place];
    if (!cell || cell.colSpan > 1) return null;
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim();
    return text === "—" || text === "-" || text === "" ? null : text;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sort = (table, place, down) => {
    const keyed = rowsOf(table).map((row) => ({ row, key: value(row, place) }));
    keyed.sort((a, b) => {
      // Rows without figures, and what is not known, stay below.
      const without = a.row.classList.contains("without") - b.row.classList.contains("without");
      if (without !== 0) return without;
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      return down ? compare(b.key, a.key) : compare(a.key, b.key);
    });
    table.tBodies[0].append(...keyed.map((entry) => entry.row));
  };
  for (const table of document.querySelectorAll("table.sorts")) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, place) => {
      if (head.classList.contains("logs")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const down = before ? before === "ascending" : head.classList.contains("f");
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, place, down);
      });
    });
  }
  const form = document.getElementById("filter");
  const filter = () => {
    const wanted = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    let all = 0;
    for (const table of document.querySelectorAll("table.sorts")) {
      for (const row of rowsOf(table)) {
        const { name, kind, language } = row.dataset;
        const fits = name.toLowerCase().includes(wanted)
          && ["", kind].includes(form.elements.kind.value)
          && ["", language].includes(form.elements.language.value);
        row.hidden = !fits;
        shown += fits;
        all += 1;
      }
    }
    form.querySelector("output").textContent = shown === all ? "" : `${shown} of ${all} rows`;
  };
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
})();
