// Wires events to one Python object, ExplorerPage, and shows its answers.
import {patch} from "./elements.js";
import {loadEngine} from "./engine.js";
import {Opening} from "./opening.js";
import {PictureHost} from "./picture.js";

const NARROW = 760, WORKING = "Working …", get = id => document.getElementById(id);
const line = get("line"), options = get("completions"), main = document.querySelector("main");
let page = null, isStale = false, linking = 0, hash = location.hash, waiting = 0, asking = 0, choice = -1;
let link = "", last = Promise.resolve();  // the current address, and the last answer
let place = null, isMove = false;  // the open card or list, and whether Back leads to the last one
let slow = new Set(), held = [], followed = 0, failure = "";  // held: actions while Python loads
const opening = new Opening();
const pictures = new PictureHost(get("picture"), (action, words) => send(action, words));

const apply = (changes, isOpening = false) => {
  for (const [name, content] of Object.entries(changes))
    if (name.startsWith("#")) patch(get(name.slice(1)), content);
  const isTyping = line === document.activeElement && !isOpening;
  if ("line" in changes && !isTyping && line.value !== changes.line) line.value = changes.line;
  if ("layout" in changes && document.body.dataset.layout !== changes.layout) {
    document.body.dataset.layout = changes.layout;
    scrollTo(0, 0);
  }
  if (page && ("layout" in changes || "#panel" in changes)) setTimeout(resize);
  if (changes.pictures) pictures.show(changes.pictures);
  followFocus();
  if ("message" in changes) get("message").textContent = changes.message;
  if ("link" in changes) {
    link = changes.link;
    isMove = !isOpening && "place" in changes && place !== null && place !== changes.place;
    place = changes.place ?? place;
    clearTimeout(linking);  // browsers limit how often an address may change
    linking = setTimeout(showLink, 150);
  }
  if ("stale" in changes) isStale = changes.stale;
  if ("slow" in changes) slow = new Set(changes.slow);
  clearTimeout(asking);
  if (isStale) asking = setTimeout(() => send("refresh"), 400);
  if (changes.pictures && page) {
    clearTimeout(waiting);
    const drawn = pictures.texts;
    waiting = setTimeout(async () => {
      const zones = JSON.parse(await page.list_zones());
      if (drawn !== pictures.texts) return;  // the picture has changed
      pictures.showZones(zones.pictures, zones.pointed);
      get("spoken").textContent = zones.spoken;
    }, 60);
  }
};

let focused = "";  // the id of the element that gets the focus, once
const followFocus = () => {
  const wanted = main.querySelector("[data-focus]");
  if (wanted && wanted.id !== focused) wanted.focus({preventScroll: true});
  if (wanted?.matches("input")) setTimeout(() => wanted.scrollIntoView({block: "nearest"}), 100);
  focused = wanted?.id ?? "";
};

// While Python loads, each action counts: a frame shows its result, or Python does later.
const hold = (action, words) => {
  const [previous, {role} = {}] = held.at(-1) ?? [];
  if (action === previous && role === words.role && "text" in words) held.pop();  // the same field
  held.push([action, words]);
  followHeld();
};

const followHeld = () => {
  if (!opening.data) return;
  const before = opening.number, hadFocus = document.activeElement !== document.body;
  for (; followed < held.length; followed++) opening.follow(...held[followed]);
  if (opening.number !== before) {
    showFrame();
    moveFocus(...held.at(-1), hadFocus);
  }
  document.body.classList.toggle("held", opening.isLeft);
  if (opening.isLeft) get("message").textContent = failure ||
    "Python is still loading. This takes effect as soon as it is ready.";
};

const showFrame = () => {
  const frame = opening.show(isNarrow());
  apply(frame);
  get("spoken").textContent = frame.spoken;
};

// After an answer, the focus moves to the next open part; if its part is gone, to another.
const moveFocus = (action, {key, lane}, hadFocus) => {
  const now = document.activeElement, isShown = x => x?.getClientRects().length;
  const fields = /^(predict|guess)/.test(action) ? [...document.querySelectorAll(".guess input")] : [];
  const start = Math.max(fields.findIndex(x => x.id === `guess-${key}-${lane}`), 0);
  const next = [...fields.slice(start), ...fields.slice(0, start)].find(x => !x.readOnly);
  if (!next && !(hadFocus && (now === document.body || !isShown(now)))) return;
  const first = action === "guess" ? "#steps [aria-current]" : `button[data-do="${action}"]`;
  const others = [first, "#picture", "#places [aria-current]"];
  const to = next ?? others.map(x => document.querySelector(x)).find(isShown);
  to?.focus({preventScroll: true});
  if (next) to.scrollIntoView({block: "nearest"});  // the picture stays visible
};

const send = (action, words = {}) => {
  if (!page) return action === "end_line" || hold(action, words);
  const hadFocus = document.activeElement !== document.body;
  return (last = page.handle(action, JSON.stringify(words)).then(answer => {
    apply(JSON.parse(answer), action === "open_link");
    moveFocus(action, words, hadFocus);
  }).catch(error => { get("message").textContent = `Internal error: ${error.message}`; }));
};

const showLink = () => {
  if (location.hash !== hash) return;  // the reader has followed another link
  const address = link ? `#${link}` : location.pathname;
  if (location.hash.slice(1) !== link) history[isMove ? "pushState" : "replaceState"](null, "", address);
  isMove = false;
  hash = location.hash;
  get("permalink").value = link ? location.href : "";
};

// --- events ---

const perform = async (action, words) => {
  const note = get("message");
  if (slow.has(action)) note.textContent = WORKING;
  await send(action, words);
  if (note.textContent === WORKING) note.textContent = "";
};

const refocus = target => {
  const field = target.matches(".answer, .answer > :not(:last-child)") && target.closest("form").elements.text;
  if (field) field.focus(), field.select();  // typing replaces it
};

document.addEventListener("input", event => {
  const {dataset, type, value, checked} = event.target;
  if (!dataset.on) return;
  send(dataset.on, {...dataset, ...(type === "checkbox" ? {checked} : {text: value})});
  if (event.target === line) setTimeout(complete);
});

document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button || button.ariaDisabled === "true") return;
  if (button.dataset.do) refocus(button), perform(button.dataset.do, {...button.dataset});
  if (button.dataset.copy) copy(button.dataset.copy);
  if (button.id === "theme") turnTheme(button);
});

// A button names its keys. In a field, only the keys of its own form work, which no answer
// contains, and keys that write nothing.
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
  refocus(event.target);
  if (dataset.do) perform(dataset.do, {...dataset, ...Object.fromEntries(new FormData(event.target))});
});

addEventListener("hashchange", () => {
  const fragment = (hash = location.hash).slice(1);
  if (!page && fragment) showAddress();
  if (fragment && fragment !== link) send("open_link", {fragment});
  line.scrollIntoView({block: "nearest"});
});

// --- completion ---

const complete = async () => {
  if (!page) return;
  const {value} = line, isAtEnd = line.selectionStart === value.length;
  const words = isAtEnd ? JSON.parse(await page.list_completions(value)) : [];
  if (line.value !== value) return;
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
line.addEventListener("blur", () => setTimeout(() => line === document.activeElement || showOptions(false), 150));
line.addEventListener("change", () => send("end_line"));
line.addEventListener("paste", event => {
  const text = event.clipboardData.getData("text/plain");
  if (!/\n./.test(text)) return;
  event.preventDefault();  // on one line, a comment would include the lines after it
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

const pageTheme = () => {
  const {theme} = document.documentElement.dataset, isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return theme !== "auto" ? theme : isDark ? "dark" : "light";
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

let copying = Promise.resolve();  // in order, so that the last one stays in the clipboard
const copy = format => { copying = Promise.all([copying, ready]).then(() => page && write(format)); };
const write = async format => {
  let note = `Copied: ${format}`;
  const written = format === "png" ? "" : await page.format_copy(format);
  const text = format === "link" ? `${location.href.split("#")[0]}#${written}` : written;
  try {
    if (format === "png") {
      const data = {"image/png": page.format_copy("svg", pageTheme()).then(draw)};
      await navigator.clipboard.write([new ClipboardItem(data)]);
    } else await navigator.clipboard.writeText(text);
    get("copies").hidePopover?.();  // the message is behind it
  } catch {
    note = `The browser does not allow copying: ${format === "png" ? "copy as SVG" : "the text is below"}`;
    get("copied").hidden = false;
  }
  get("copied").value = text;
  get("message").textContent = note;
};

// --- the start ---

const isNarrow = () => get("picture").clientWidth < NARROW;

// A card's picture fills the height that its text leaves, without an answer.
const measure = () => {
  const host = get("picture"), compact = isNarrow();
  const sum = names => [...document.querySelectorAll(names)].reduce((x, y) => x + y.offsetHeight, 0);
  const isBeside = matchMedia("(min-width: 72rem), (min-width: 40rem) and (max-height: 30rem)").matches;
  const rest = !isBeside ? sum(".head, .card, .bar, #undrawn") + 20 : innerHeight > 480 ? 150 : 64;
  const height = Math.max(innerHeight - rest, isBeside ? 0 : (innerHeight > 576 ? 0.41 : 0.3) * innerHeight);
  host.style.setProperty("--free", `${height}px`);
  const room = (height + (isBeside ? 0 : sum(".feedback"))) * (compact ? 400 : 800);
  return {compact, room: 20 * Math.floor(room / (host.clientWidth || 400) / 20)};
};

const showStill = async fragment => {
  await opening.load(new URL("opening.json", import.meta.url));
  if (fragment) opening.find(fragment);
  if (page || failure) return;
  const note = "Python is loading. What the link shows comes as soon as it is ready.";
  if (opening.isLeft) return void (get("message").textContent = note);
  document.body.classList.remove("waiting");
  if (fragment) showFrame();
  followHeld();
};

// Text that was typed before this script ran.
const holdTyped = () => {
  for (const {value, defaultValue, dataset} of document.querySelectorAll("input[type=text][data-on]"))
    if (value !== defaultValue) hold(dataset.on, {...dataset, text: value});
};

const start = async fragment => {
  const bar = get("progress"), note = get("loading");
  const show = (share, text) => {
    if (failure) return;  // no message about later files
    bar.value = share;
    if (note.textContent !== text) note.textContent = text;  // each text is announced once
  };
  holdTyped();
  showStill(fragment).catch(() => {});  // without the frames, Python draws the page
  try {
    const make = loadEngine(show);
    page = await make("ptxscope.features.page.explorer_page:ExplorerPage", fragment);
    show(0.95, "drawing");
    await takeOver();
    show(1, "ready");
  } catch (error) {
    const isStill = !document.body.classList.contains("waiting");
    const left = isStill ? "Only the steps of this example can be shown" : "This line can't be drawn";
    failure = `Python did not start: ${error.message}. ${left}.`;
    get("message").textContent = failure;
  }
  bar.hidden = true;
};

// Python draws the contents of the frames again: without other actions, nothing changes.
const takeOver = async () => {
  Object.assign(globalThis, {ptxscopePage: page, ptxscopeAnswer: () => last});  // for `dev.py page`
  const given = [["resize", measure()], ...held];
  const answers = given.map(([action, words]) =>
    page.handle(action, JSON.stringify(words)).catch(({message}) => JSON.stringify({message})));
  const [first, ...others] = (await Promise.all(answers)).map(answer => JSON.parse(answer));
  if (first.message) delete first.link;  // an address that can't be read stays
  const hasTyped = held.some(([action]) => action === "line");
  document.body.classList.remove("waiting", "held");
  apply(Object.assign(first, ...others), !hasTyped);
  if (hasTyped && line === document.activeElement) complete();
  document.body.classList.add("ready");
  new ResizeObserver(resize).observe(get("picture"));
};

const resize = () => {
  if (page) send("resize", measure());
  else if (pictures.texts.length) showFrame();  // wide or compact
};
addEventListener("resize", resize);
const ready = start(hash.slice(1));
