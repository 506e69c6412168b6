// Starts Python once for all callers, in a worker that may load the same files as the page.
const HOME = new URL("./", import.meta.url);
let engine;

// Returns a function that makes an object of a Python class; its methods are asynchronous.
export const loadEngine = (onProgress = () => {}) => (engine ??= start(onProgress));

const start = onProgress => {
  // a worker from a blob inherits the policy of the page; one from a file would have none
  const code = new Blob([`import ${JSON.stringify(new URL("worker.js", HOME).href)};`],
    {type: "text/javascript"});
  const worker = new Worker(URL.createObjectURL(code), {type: "module"});
  const asked = new Map();
  let count = 0, failure = null;
  const ask = (...words) => new Promise((resolve, reject) => {
    if (failure) return reject(failure);
    asked.set(++count, [resolve, reject]);
    worker.postMessage([count, ...words]);
  });
  worker.onmessage = ({data: {id, answer, error, share, text}}) => {
    if (text) return onProgress(share, text);
    const [resolve, reject] = asked.get(id);
    asked.delete(id);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  };
  worker.onerror = () => {
    failure = new Error("worker.js could not be loaded");
    for (const [, reject] of asked.values()) reject(failure);
  };
  return async (name, ...words) => {
    const number = await ask(0, name, ...words);
    const find = (_, method) => method === "then" ? undefined : (...given) => ask(number, method, ...given);
    return new Proxy({}, {get: find});
  };
};
