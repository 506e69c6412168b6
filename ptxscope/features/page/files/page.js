// Wires events to one Python object, ExplorerPage, and shows what it returns.
import {patch} from "./elements.js";
import {loadEngine} from "./engine.js";
import {PictureHost} from "./picture.js";

const NARROW = 760, get = id => document.getElementById(id);
const line = get("line"), options = get("completions"), main = document.querySelector("main");
let page = null, handle = null, isStale = false, linking = 0, hash = location.hash, waiting = 0, asking = 0, choice = -1;
let held = [], slow = new Set();  // what the reader does while Python loads

const pictures = new PictureHost(get("picture"), (action, words) => send(action, words));

const apply = (changes, isOpening = false) => {
  for (const [name, content] of Object.entries(changes)) {
    if (name.startsWith("#")) patch(get(name.slice(1)), content);
  }
  if ("line" in changes && (isOpening || line !== document.activeElement)) line.value = changes.line;
  if ("layout" in changes) {
    document.body.dataset.layout = changes.layout;
    get("gallery").open = ["gallery", "empty"].includes(changes.layout);
    scrollTo(0, 0);
    setTimeout(measure);
  }
  if (changes.pictures) pictures.show(changes.pictures);
  followFocus();
  if ("message" in changes) get("message").textContent = changes.message;
  if ("link" in changes) {
    clearTimeout(linking);  // browsers limit how often an address may change
    linking = setTimeout(showLink, 150, changes.link);
  }
  if ("stale" in changes) isStale = changes.stale;
  if ("slow" in changes) slow = new Set(changes.slow);
  clearTimeout(asking);
  if (isStale) asking = setTimeout(() => send("refresh"), 400);
  if (changes.pictures) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const zones = JSON.parse(page.list_zones());
      pictures.showZones(zones.pictures, zones.pointed);
      get("spoken").textContent = zones.spoken;
    }, 60);
  }
};

let focused = "";  // the id of what asked for the focus; once
const followFocus = () => {
  const wanted = main.querySelector("[data-focus]");
  if (wanted && wanted.id !== focused) wanted.focus({preventScroll: true});
  focused = wanted?.id ?? "";
};

const hold = (action, words) => {
  const [last, {role} = {}] = held.at(-1) ?? [];
  if (action === last && role === words.role && "text" in words) held.pop();  // the same field
  held.push([action, words]);
};

// After an answer the focus goes on to what is open next: it would be lost with an answered field.
const moveFocus = (action, {key, lane}, hadFocus) => {
  const isLost = hadFocus && document.activeElement === document.body;
  if (action === "predict" || action === "guess") {
    const fields = [...document.querySelectorAll(".guess input")];
    const start = Math.max(fields.findIndex(x => x.id === `guess-${key}-${lane}`), 0);
    const next = [...fields.slice(start), ...fields.slice(0, start)].find(x => !x.readOnly);
    if (next || isLost) (next ?? document.querySelector("#steps [aria-current]"))?.focus();
  }
};

const send = (action, words = {}) => {
  if (!page) return hold(action, words);
  const hadFocus = document.activeElement !== document.body;
  try {
    apply(JSON.parse(handle(action, JSON.stringify(words))), action === "open_link");
    moveFocus(action, words, hadFocus);
  } catch (error) {
    get("message").textContent = `Internal error: ${error.message.trim().split("\n").pop()}`;
  }
};

const showLink = link => {
  if (location.hash !== hash) return;  // the reader is on the way to another link
  const address = link ? `#${link}` : location.pathname;
  if (location.hash.slice(1) !== link) history.replaceState(null, "", address);
  hash = location.hash;
  get("permalink").value = link ? location.href : "";
};

// --- events ---

const perform = (action, words) => {
  if (!slow.has(action)) return send(action, words);
  get("message").textContent = "Working …";
  setTimeout(() => {
    get("message").textContent = "";
    send(action, words);
  }, 20);
};

document.addEventListener("input", event => {
  const {dataset, value, checked} = event.target;
  if (!dataset.on) return;
  send(dataset.on, {...dataset, text: value, checked});
  if (event.target === line) setTimeout(complete);
});

document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button || button.ariaDisabled === "true") return;
  if (button.dataset.do) perform(button.dataset.do, {...button.dataset});
  if (button.dataset.copy) copy(button.dataset.copy);
  if (button.id === "theme") turnTheme(button);
});

// A button names its keys. In a field, those of its own form work, which no answer has, and keys
// that write nothing.
document.addEventListener("keydown", event => {
  const {key, target, altKey, ctrlKey, metaKey, defaultPrevented} = event;
  if (altKey || ctrlKey || metaKey || defaultPrevented) return;
  const field = target.closest("input:not([type=checkbox]), textarea, select");
  const isMeant = button => button.dataset.keys.split(" ").includes(key) && button.offsetParent &&
    (!field || key.length > 1 || (field.form && field.form === button.form));
  const button = [...document.querySelectorAll("button[data-keys]")].find(isMeant);
  if (button) event.preventDefault();
  button?.click();
});

document.addEventListener("submit", event => {
  event.preventDefault();
  const {dataset} = event.target;
  if (dataset.do) perform(dataset.do, {...dataset, ...Object.fromEntries(new FormData(event.target))});
  if (event.target.matches(".answer")) document.activeElement.select?.();  // typing replaces it
});

addEventListener("hashchange", () => {
  const fragment = (hash = location.hash).slice(1);
  if (page && fragment && fragment !== page.format_copy("link")) send("open_link", {fragment});
  line.scrollIntoView({block: "nearest"});
});

// --- completion ---

const complete = () => {
  if (!page) return;
  const caret = line.selectionStart;
  const words = caret === line.value.length ? JSON.parse(page.list_completions(line.value)) : [];
  choice = -1;
  options.words = words.filter(([text, start]) => text !== line.value.slice(start));
  patch(options, options.words.map(([text, , about], index) =>
    ["li", {role: "option", id: `option-${index}`, "aria-selected": "false"},
      ["code", {}, text], ` ${about}`]));
  showOptions(options.words.length > 0);
};

const showOptions = isShown => {
  options.hidden = !isShown;
  line.setAttribute("aria-expanded", String(isShown));
  line.setAttribute("aria-activedescendant", isShown && choice >= 0 ? `option-${choice}` : "");
};

const choose = index => {
  options.children[choice]?.setAttribute("aria-selected", "false");
  choice = index;
  const option = options.children[choice];
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({block: "nearest"});
  showOptions(true);
};

const accept = index => {
  const [text, start] = options.words[index];
  line.value = line.value.slice(0, start) + text;
  line.focus();
  send("line", {text: line.value});
  complete();
};

line.addEventListener("keydown", event => {
  const count = options.hidden ? 0 : options.children.length;
  if (event.key === "ArrowDown" && options.hidden) complete();
  else if (event.key === "ArrowDown" && count) choose((choice + 1) % count);
  else if (event.key === "ArrowUp" && count) choose((choice + count) % (count + 1) - (choice ? 0 : 1));
  else if (event.key === "Escape" && count) showOptions(false);
  else if ((event.key === "Enter" || event.key === "Tab") && count && choice >= 0) accept(choice);
  else return;
  event.preventDefault();
});
line.addEventListener("blur", () => setTimeout(() => {
  if (line !== document.activeElement) showOptions(false);
}, 150));
line.addEventListener("change", () => send("end_line"));
line.addEventListener("paste", event => {
  const text = event.clipboardData.getData("text/plain");
  if (!/\n./.test(text)) return;
  event.preventDefault();  // on one line, a comment would take in the lines after it
  const [start, end] = [line.selectionStart, line.selectionEnd];
  line.setRangeText(text.replace(/\/\/.*/g, "").replace(/\s+/g, " ").trim(), start, end, "end");
  line.dispatchEvent(new Event("input", {bubbles: true}));
});
options.addEventListener("pointerdown", event => {
  const option = event.target.closest("[role=option]");
  event.preventDefault();
  if (option) accept([...options.children].indexOf(option));
});

// --- copying ---

const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const pageTheme = () => {
  const {theme} = document.documentElement.dataset;
  return theme !== "auto" ? theme : isDark() ? "dark" : "light";
};
const turnTheme = button => {
  const theme = pageTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  button.textContent = theme === "dark" ? "Light" : "Dark";
};

const draw = async svg => {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}));
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, {width: 2 * image.naturalWidth, height: 2 * image.naturalHeight});
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise(resolve => canvas.toBlob(resolve, "image/png"));
};

let copying = Promise.resolve();  // one after the other: the last one stays in the clipboard
const copy = format => { copying = copying.then(() => page && write(format)); };
const write = async format => {
  let note = `Copied: ${format}`;
  const written = format === "png" ? "" : page.format_copy(format);
  const text = format === "link" ? `${location.href.split("#")[0]}#${written}` : written;
  try {
    if (format === "png") {
      const data = {"image/png": draw(page.format_copy("svg", pageTheme()))};
      await navigator.clipboard.write([new ClipboardItem(data)]);
    } else await navigator.clipboard.writeText(text);
  } catch {
    note = `The browser does not allow copying: ${format === "png" ? "copy as SVG" : "the text is below"}`;
    get("copied").hidden = false;
  }
  get("copied").value = text;
  get("message").textContent = note;
};

// --- the start ---

const measure = () => {
  const {clientWidth} = get("picture"), compact = clientWidth < NARROW;
  const height = matchMedia("(min-width: 72rem)").matches ? innerHeight - 150 : 0.41 * innerHeight;
  const room = height * (compact ? 400 : 800) / (clientWidth || 400);
  send("resize", {compact, room: 20 * Math.floor(room / 20)});
};

const start = async () => {
  const bar = get("progress"), note = get("loading"), fragment = location.hash.slice(1);
  main.inert = Boolean(fragment);  // it shows an example until Python reads the address
  get("loader").hidden = false;
  let hasFailed = false;  // a file that comes later says nothing
  const show = (share, text) => {
    if (!hasFailed) [bar.value, note.textContent] = [share, text];
  };
  try {
    const find = await loadEngine(show);
    show(0.9, "drawing");
    await new Promise(resolve => setTimeout(resolve));
    page = globalThis.ptxscopePage = find("ptxscope.features.page.explorer_page:ExplorerPage")(fragment);
    handle = page.handle;  // each access makes a proxy of its own
    const changes = JSON.parse(page.format_changes());
    if (changes.message) delete changes.link;  // an address that can't be read stays
    apply(changes, Boolean(fragment));
    measure();
    for (const [action, words] of held) send(action, words);
    document.body.classList.add("ready");
    main.inert = false;
    get("loader").hidden = true;
    new ResizeObserver(measure).observe(get("picture"));
    addEventListener("resize", measure);
  } catch (error) {
    hasFailed = bar.hidden = true;
    const shown = fragment ? "an example, not what the address names" : "static";
    note.textContent = `Python did not start: ${error.message}. The picture is ${shown}.`;
    for (const x of main.querySelectorAll("button, input, select")) x.disabled = true;
    main.inert = false;
  }
};
start();
