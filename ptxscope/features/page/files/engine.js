// Starts Python once for all who ask. Every file of the runtime is checked against its hash.
const HOME = new URL("./", import.meta.url);
let engine;

export const loadEngine = (onProgress = () => {}) => (engine ??= start(onProgress));

const preload = (url, integrity) => new Promise((resolve, reject) => {
  const link = document.createElement("link");
  if (!link.relList.supports("modulepreload")) return resolve();
  Object.assign(link, {rel: "modulepreload", crossOrigin: "anonymous", integrity, href: url});
  link.onload = resolve;
  link.onerror = () => reject(new Error(`${url} is not what this page was made for`));
  document.head.append(link);
});

async function start(onProgress) {
  const config = await fetch(new URL("engine.json", HOME)).then(x => x.json()).catch(() => {
    throw new Error("engine.json could not be loaded");
  });
  const runtime = new URL(config.runtime, HOME).href;
  const sizes = Object.values(config.files).map(file => file.bytes);
  const total = sizes.reduce((x, y) => x + y, 0);
  let done = 0;
  const advance = bytes => onProgress(0.6 * (done += bytes) / total, "loading Python");
  const usual = globalThis.fetch;
  let refuse;
  const refusal = new Promise((_, reject) => { refuse = reject; });  // Pyodide waits for ever
  refusal.catch(() => {});
  const checked = (url, options = {}) => {
    const name = String(url.url ?? url).replace(runtime, "").replace(HOME.href, "");
    const file = config.files[name];
    if (!file) return usual(url, options);
    const wanted = {...options, integrity: file.integrity, credentials: "omit"};
    return usual(url, wanted).then(response => (advance(file.bytes), response), () => {
      const error = new Error(`${name} could not be loaded, or is not the file this page was made for`);
      refuse(error);
      throw error;
    });
  };
  globalThis.fetch = checked;
  try {
    const archive = checked(new URL(config.archive, HOME).href).then(x => x.arrayBuffer());
    archive.catch(() => {});
    await Promise.all(config.modules.map(async name => {
      await checked(runtime + name);
      await preload(runtime + name, config.files[name].integrity);
    }));
    const {loadPyodide} = await import(runtime + "pyodide.mjs");
    const python = await Promise.race([loadPyodide({indexURL: runtime}), refusal]);
    onProgress(0.75, "starting ptxscope");
    python.unpackArchive(await archive, "zip", {extractDir: "/ptxscope"});
    await new Promise(resolve => setTimeout(resolve));
    python.runPython("import sys; sys.path.insert(0, '/ptxscope')");
    const find = name => {
      const [module, attribute] = name.split(":");
      return python.pyimport(module)[attribute];
    };
    return Object.assign(find, {python});
  } finally {
    globalThis.fetch = usual;
  }
}
