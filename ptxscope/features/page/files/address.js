// Shows the line of an address at once, and no picture until Python draws it. It runs before the
// first picture is parsed, so no other picture is ever seen.
globalThis.showAddress = () => {
  const read = text => {
    try { return decodeURIComponent(text.replaceAll("+", " ")); } catch { return ""; }
  };
  const [line, ...parts] = location.hash.slice(1).split("&"), {dataset} = document.body;
  const isFull = part => dataset.full.split(" ").includes(part.split("=")[0]);
  const full = parts.find(isFull)?.split("=")[1];
  dataset.layout = full ? "card" : full === undefined ? "" : "panel";
  document.body.classList.add("waiting");
  const field = document.getElementById("line");
  field.value = field.defaultValue = read(line);
};
if (location.hash.length > 1) showAddress();
