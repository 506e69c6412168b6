// Python, in a worker, so that the page responds while it starts. It gets the files of engine.json
// and no others, each checked against its hash.
const HOME = new URL("./", import.meta.url);
const objects = [];
let done = 0;

const report = (share, text) => postMessage({share, text});

const start = async () => {
  const config = await fetch(new URL("engine.json", HOME)).then(x => x.json()).catch(() => {
    throw new Error("engine.json could not be loaded");
  });
  const runtime = new URL(config.runtime, HOME).href, files = config.files, usual = globalThis.fetch;
  const total = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  let refuse;
  const refusal = new Promise((_, reject) => { refuse = reject; });  // Pyodide waits for ever
  refusal.catch(() => {});
  const load = ([name, file]) => {
    const url = new URL(name, name === config.archive ? HOME : runtime);
    const advance = response => (report(0.7 * (done += file.bytes) / total, "loading Python"), response);
    const loading = usual(url, {integrity: file.integrity, credentials: "omit"}).then(advance, () => {
      const error = new Error(`${name} could not be loaded, or is not the file this page was made for`);
      refuse(error);
      throw error;
    });
    loading.catch(() => {});
    return [name, loading];
  };
  // All files are requested at once; Pyodide gets each at its own request.
  const loaded = Object.fromEntries(Object.entries(files).map(load));
  globalThis.fetch = url => loaded[String(url.url ?? url).replace(runtime, "")] ??
    Promise.reject(new Error(`${url} is not a file of this page`));
  const [{loadPyodide}, {default: createPyodideModule}] = await Promise.all(config.modules.map(
    async name => {
      const code = new Blob([await (await loaded[name]).arrayBuffer()], {type: "text/javascript"});
      return import(URL.createObjectURL(code));
    }));
  const loading = loadPyodide({indexURL: runtime, createPyodideModule});
  const python = await Promise.race([loading, refusal]);
  report(0.85, "starting ptxscope");
  const archive = await (await loaded[config.archive]).arrayBuffer();
  python.unpackArchive(archive, "zip", {extractDir: "/ptxscope"});
  python.runPython("import sys; sys.path.insert(0, '/ptxscope')");
  return python;
};
const starting = start();
starting.catch(() => {});

// A message is its number, an object's number, a method and its arguments; or 0 and a class.
const perform = async (number, name, words) => {
  const python = await starting;
  if (!number) {
    const [module, attribute] = name.split(":");
    return objects.push(python.pyimport(module)[attribute](...words));
  }
  const found = objects[number - 1][name];
  if (typeof found !== "function") return found;
  try { return found(...words); } finally { found.destroy(); }
};

onmessage = ({data: [id, number, name, ...words]}) => {
  perform(number, name, words).then(answer => postMessage({id, answer}),
    error => postMessage({id, error: error.message.trim().split("\n").pop()}));
};
