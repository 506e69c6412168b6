// The pictures, and a layer of zones above each: hover, arrow keys, typing over a chip, wires.
import {SVG} from "./elements.js";
const parser = new DOMParser();

// A text has no style: the policy of the page allows only picture.css.
export const parsePicture = text =>
  document.adoptNode(parser.parseFromString(text, "image/svg+xml").documentElement);

// A picture has an element for each line: if only some differ, as after a key, only they are parsed.
const isEnd = line => line.startsWith("</");
const isStart = line => /^<(?:g|svg)\b/.test(line);

const patchPicture = (picture, old, text) => {
  const before = old.split("\n"), after = text.split("\n");
  const differs = (line, at) => line !== before[at];
  const isOther = (line, at) => differs(line, at) &&
    (isEnd(line) || isEnd(before[at]) || isStart(line) !== isStart(before[at]));
  if (before.length !== after.length || after.some(isOther)) return false;
  const nodes = [picture, ...picture.querySelectorAll("*")];
  const lines = after.map((line, at) => [line, at]).filter(([line]) => line && !isEnd(line));
  if (nodes.length !== lines.length) return false;
  const changed = lines.map(([line, at], index) => [line, at, nodes[index]])
    .filter(([line, at]) => differs(line, at));
  const fresh = changed.map(([line]) =>
    !isStart(line) ? line : line.startsWith("<svg") ? `${line}</svg>` : `${line}</g>`);
  const parsed = [...parsePicture(`<svg xmlns="${SVG}">${fresh.join("")}</svg>`).children];
  if (parsed.length !== changed.length) return false;
  changed.forEach(([line, , node], index) => {
    if (!isStart(line)) return node.replaceWith(parsed[index]);
    for (const {name, value} of parsed[index].attributes) node.setAttribute(name, value);
  });
  return true;
};

const make = (tag, attributes) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

export class PictureHost {
  constructor(host, send) {
    Object.assign(this, {host, send, layers: [], texts: [], start: null, kept: null});
    const on = (type, handle) => host.addEventListener(type, handle);
    on("pointerover", event => this.light(event.target));
    on("pointerleave", () => this.light(document.activeElement));
    on("focusin", event => this.light(event.target));
    on("focusout", () => this.light(null));
    on("pointerdown", event => { this.start = event.target.zone ? event.target : null; });
    on("pointermove", event => this.drag(event));
    on("pointerup", event => this.drop(event));
    on("keydown", event => this.walk(event));
    on("scroll", () => this.markMore());
  }

  show(texts) {
    while (this.host.children.length > texts.length) this.host.lastChild.remove();
    texts.forEach((text, index) => {
      const {host} = this, old = this.texts[index];
      const figure = host.children[index] ?? host.appendChild(document.createElement("div"));
      figure.className = "figure";  // not one of two, for a wide page or a narrow one
      const picture = figure.firstElementChild;
      if (!picture) figure.append(parsePicture(text));
      else if (!old || !patchPicture(picture, old, text)) picture.replaceWith(parsePicture(text));
    });
    this.texts = texts;
  }

  showZones(pictures, pointed) {
    const place = document.activeElement?.zone;
    this.layers = pictures.map(({size, zones, links}, index) => {
      const layer = make("svg", {viewBox: `0 0 ${size[0]} ${size[1]}`, class: "zones",
        role: "group", "aria-label": "Values"});
      const items = links.map(([d, related]) => {
        const path = layer.appendChild(make("path", {d}));
        return {element: path, related: new Set(related.map(Number))};
      });
      for (const [x, y, width, height, number, related, key, lane, kind, label] of zones) {
        const rect = make("rect", {x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 5,  // outside
          tabindex: -1, class: kind, role: kind ? "button" : "img", "aria-label": label || key});
        rect.appendChild(make("title", {})).textContent = label;
        rect.zone = {x, y, width, height, number, key, lane, kind, size};
        rect.classList.toggle("pointed", key === pointed?.[0] && lane === pointed[1]);
        layer.append(rect);
        items.push({element: rect, related: new Set(related)});
      }
      const figure = this.host.children[index];
      figure.querySelector(".zones")?.remove();
      figure.append(layer);
      return items;
    });
    const isSame = zone => zone && zone.key === place?.key && zone.lane === place?.lane;
    this.host.querySelector(".pointed")?.scrollIntoView({block: "nearest"});
    this.markMore();
    if (place) this.rects().find(rect => isSame(rect.zone))?.focus({preventScroll: true});
  }

  markMore() {  // whether there is more below the visible part
    const {host} = this, below = host.scrollHeight - host.scrollTop - host.clientHeight;
    host.parentElement.classList.toggle("more", below > 24);
  }

  rects() {
    return this.layers.flat().map(item => item.element).filter(element => element.zone);
  }

  light(target) {
    const number = target?.zone?.number;
    for (const {element, related} of this.layers.flat()) {
      element.classList.toggle("lit", number !== undefined && related.has(number));
    }
  }

  // --- wires ---

  point(event, figure) {
    const box = figure.getBoundingClientRect();
    const scale = this.start.zone.size[0] / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  drag(event) {
    if (!this.start || !event.buttons) return;
    const {x, y, width, height} = this.start.zone;
    const layer = this.start.ownerSVGElement;
    const [toX, toY] = this.point(event, layer.parentElement);
    this.wire ??= layer.appendChild(make("path", {class: "wire"}));
    this.wire.setAttribute("d", `M${x + width / 2} ${y + height / 2}L${toX} ${toY}`);
  }

  drop(event) {
    const start = this.start, end = event.target.zone ? event.target : null;
    this.wire?.remove();
    this.start = this.wire = null;
    if (!start || !end) return;
    const place = rect => [rect.zone.key, rect.zone.lane];
    if (start !== end) this.send("link", {start: place(start), end: place(end)});
    else this.activate(end, event.shiftKey ? -1 : 1);
  }

  activate(rect, delta, text = "") {
    const {key, lane, kind} = rect.zone;
    rect.focus({preventScroll: true});
    if (kind === "operand" && delta === 1) this.type(rect, text);
    else this.send("activate", {key, lane, delta});
  }

  // --- typing over a chip ---

  type(rect, text) {
    const {x, y, width, height, key, lane, size} = rect.zone;
    const field = document.createElement("input");
    Object.assign(field, {className: "over", value: text, ariaLabel: `new value of ${key}`});
    const percent = (part, whole) => `${100 * part / whole}%`;
    Object.assign(field.style, {left: percent(x, size[0]), top: percent(y, size[1]),
      width: percent(width, size[0]), height: percent(height, size[1])});
    rect.ownerSVGElement.parentElement.append(field);
    field.focus();
    let isOpen = true;
    const close = isTaken => {
      if (!isOpen) return;
      isOpen = false;
      const value = field.value;
      rect.focus({preventScroll: true});
      field.remove();
      if (isTaken && value.trim()) this.send("part", {key, lane, text: value});
    };
    field.addEventListener("blur", () => close(true));
    field.addEventListener("keydown", event => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") close(event.key === "Enter");
    });
  }

  // --- arrow keys ---

  walk(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const rect = event.target.zone ? event.target : null;
    const step = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
    if (event.key in step) {
      const to = rect ? this.findNeighbour(rect, ...step[event.key]) : this.rects()[0];
      if (to) to.focus();
    } else if (rect && (event.key === "Enter" || event.key === " ")) this.activate(rect, 1);
    else if (rect && (event.key === "<" || event.key === ">")) {
      const {key, lane} = rect.zone;
      this.send("activate", {key, lane, delta: event.key === "<" ? -1 : 1});
    } else if (rect?.zone.kind === "operand" && /^[-+0-9.[]$/.test(event.key)) {
      this.activate(rect, 1, event.key);
    } else if (rect && event.key === "Escape") this.host.focus();
    else return;
    event.preventDefault();
  }

  findNeighbour(rect, right, down) {
    const middle = ({x, y, width, height}) => [x + width / 2, y + height / 2];
    const [fromX, fromY] = middle(rect.zone);
    const layer = rect.ownerSVGElement;
    const score = other => {
      const [x, y] = middle(other.zone), ahead = (x - fromX) * right + (y - fromY) * down;
      const aside = Math.abs((x - fromX) * down) + Math.abs((y - fromY) * right);
      const isAligned = right ? aside < rect.zone.height / 2 : true;
      return other.ownerSVGElement === layer && ahead > 1 && isAligned ? ahead + aside / 4 : NaN;
    };
    const scored = this.rects().map(other => [score(other), other]).filter(([x]) => !isNaN(x));
    return scored.sort(([x], [y]) => x - y)[0]?.[1];
  }
}
