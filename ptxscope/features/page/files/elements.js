// Updates the children of a node from lists of [tag, attributes, ...children] and texts.
const setAttributes = (element, attributes) => {
  const isOther = element.getAttribute("value") !== attributes.value;  // otherwise, typed text stays
  for (const {name} of [...element.attributes]) {
    if (!(name in attributes)) element.removeAttribute(name);
  }
  for (const [name, text] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
  if (element.type === "checkbox") element.checked = "checked" in attributes;
  else if ("value" in attributes && isOther && element !== document.activeElement) {
    element.value = attributes.value;
  }
  if (element.nodeName === "OPTION") element.selected = "selected" in attributes;
};

export const SVG = "http://www.w3.org/2000/svg";

export const patch = (parent, children) => {
  children.forEach((child, index) => {
    const old = parent.childNodes[index];
    const put = node => (old ? old.replaceWith(node) : parent.append(node), node);
    if (typeof child === "string") {
      if (old?.nodeType === Node.TEXT_NODE) old.data === child || (old.data = child);
      else put(document.createTextNode(child));
      return;
    }
    const [tag, attributes, ...inner] = child;
    const isSame = old?.nodeName.toLowerCase() === tag && old.id === (attributes.id ?? "");
    const element = isSame ? old :
      put(document.createElementNS(tag === "svg" ? SVG : parent.namespaceURI, tag));
    setAttributes(element, attributes);
    patch(element, inner);
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
};
