"use strict";
// Shows the items that fit the filter. It reads the visible text only, so that a search does not
// give the key away.
(() => {
  const filter = document.querySelector(".filter");
  if (filter === null) return;
  const items = [...document.querySelectorAll(".samples > li")];
  const controls = [...filter.querySelectorAll("select, input")];
  const lower = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const textOf = (item) =>
    lower([...item.querySelectorAll(".stem, .options, .candidates")].map((one) => one.textContent).join(" "));
  const texts = new Map(items.map((item) => [item, textOf(item)]));
  const fits = (item, { name, value }) =>
    value === "" || (name === "text" ? texts.get(item).includes(lower(value)) : item.dataset[name] === value);
  const update = () => {
    for (const item of items) item.hidden = !controls.every((control) => fits(item, control));
    const shown = items.filter((item) => !item.hidden).length;
    filter.querySelector("[role=status]").textContent = `${shown} of ${items.length} shown`;
  };
  filter.addEventListener("input", update);
  filter.hidden = false;
  update(); // a browser may keep the values of a filter when it reloads the page
})();
