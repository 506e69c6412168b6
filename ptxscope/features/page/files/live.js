// Redraws the live figures of a page; the first use of one loads the engine for all.
import {loadEngine} from "./engine.js";

const prepare = figure => {
  const form = figure.querySelector("form");
  const target = figure.querySelector(".px-frame-live") ?? figure.querySelector(".px-document");
  const note = figure.querySelector(".px-state");
  let drawn = JSON.stringify(Object.fromEntries(new FormData(form))), live = null, loading, hasFailed = false;

  const load = async () => {
    const make = loadEngine((share, text) => {
      if (!hasFailed) note.value = `${text}: ${Math.round(100 * share)} %`;
    });
    live = await (loading ??= make("ptxscope.features.page.live_figure:LiveFigure", figure.dataset.words));
    note.value = "";
  };

  const draw = async () => {
    try {
      if (!live) await load();
    } catch (error) {
      hasFailed = true;
      note.value = `This figure stays static: ${error.message}`;
      return;
    }
    const values = JSON.stringify(Object.fromEntries(new FormData(form)));
    if (values === drawn) return;
    drawn = values;
    const {document: text, error} = JSON.parse(await live.render(values));
    if (values !== drawn) return;  // a newer request follows
    note.value = error ?? "";
    if (error) return;
    const open = [...target.querySelectorAll("details")].map(element => element.open);
    target.innerHTML = text;  // a document of ptxscope: every text in it is escaped
    target.querySelectorAll("details").forEach((element, index) => { element.open = open[index]; });
  };

  form.hidden = false;
  form.addEventListener("focusin", draw);
  form.addEventListener("input", draw);
  form.addEventListener("submit", event => event.preventDefault());
};

for (const figure of document.querySelectorAll(".px-live:not([data-live])")) {
  figure.dataset.live = "1";
  prepare(figure);
}
