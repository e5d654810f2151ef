/**
 * Page scripts: `VALUES` creates every kind of value that IndexedDB stores, by name; `DIFFERENCES` compares
 * two values, including object identity and the contents of blobs.
 */
export const VALUES = `(async () => {
  const shared = { name: "shared" };
  const cyclic = { list: [] };
  cyclic.self = cyclic;
  cyclic.list.push(cyclic, new Map([["self", cyclic]]), new Set([cyclic]));
  const buffer = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
  const sparse = [1, , 3];
  sparse.length = 1000;
  sparse.extra = "named";
  const ownProto = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
  const deep = {};
  let bottom = deep;
  for (let depth = 0; depth < 2000; depth += 1) bottom = bottom.in = {};
  const error = new RangeError("too far", { cause: shared });
  const imported = (name, format, data, algorithm, usages) =>
    crypto.subtle.importKey(format, data, algorithm, true, usages);
  return {
    undefined: undefined,
    null: null,
    booleans: [true, false],
    numbers: [0, -0, NaN, Infinity, -Infinity, 1e308, 5e-324, 2 ** 53],
    bigints: [0n, -(2n ** 80n)],
    texts: ["", "\\u0000", "é日本😀", "\\ud800", "\\udc00 alone", "\\u2028", "</script>"],
    dates: [new Date(0), new Date(NaN), new Date(-1)],
    regexp: /a\\/(?<b>c)/giu,
    boxed: [new Boolean(false), new Number(-0), new String("s"), Object(1n)],
    buffer: new Uint8Array([0, 255, 128]).buffer,
    views: [
      ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array,
        Float64Array, BigInt64Array, BigUint64Array].map((View) => new View(2).fill(View.name.startsWith("Big") ? 7n : 7)),
      new DataView(buffer, 2, 3),
      new Uint8Array(buffer, 1, 4),
    ],
    resizable: new ArrayBuffer(4, { maxByteLength: 16 }),
    map: new Map([[{ key: 1 }, new Set([1, "1", NaN])], [new Date(1), undefined], [-0, null]]),
    sparse,
    holes: [, ,],
    shared: [shared, shared, { again: shared }],
    cyclic,
    deep,
    markers: { $: "u", v: ["r", 0], slots: [["r", 0], ["u"], ["n", "NaN"]], toJSON: "not called", then: "not awaited" },
    ownProto,
    empties: [{}, [], new Map(), new Set(), new ArrayBuffer(0), new Blob([])],
    blob: new Blob(["blob ", new Uint8Array([0, 255])], { type: "text/x-test" }),
    file: new File(["file"], "näme.txt", { type: "text/plain", lastModified: 1234567890123 }),
    image: new ImageData(new Uint8ClampedArray([1, 2, 3, 4, 5, 6, 7, 8]), 2, 1),
    error,
    exception: new DOMException("said", "AbortError"),
    keys: [
      await imported("hmac", "raw", new Uint8Array(32).fill(1), { name: "HMAC", hash: "SHA-256" }, ["sign", "verify"]),
      await imported("aes", "raw", new Uint8Array(16).fill(2), "AES-GCM", ["encrypt"]),
      (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"])).publicKey,
    ],
  };
})`;

export const DIFFERENCES = `(async (first, second) => {
  const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
  const pairs = new Map();
  const found = [];
  const queue = [[first, second, "value"]];
  const differ = (path, what) => found.push(path + ": " + what);
  const bytesOf = (buffer) => [...new Uint8Array(buffer)].join();
  while (queue.length > 0) {
    const [a, b, path] = queue.shift();
    if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) {
      if (!Object.is(a, b)) differ(path, String(a) + " is not " + String(b));
      continue;
    }
    if (pairs.has(a)) {
      if (pairs.get(a) !== b) differ(path, "is another object");
      continue;
    }
    pairs.set(a, b);
    const tag = tagOf(a);
    if (tagOf(b) !== tag) { differ(path, tagOf(b) + " for " + tag); continue; }
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) differ(path, "is of another class");
    const compare = (name, x, y) => queue.push([x, y, path + "." + name]);
    if (ArrayBuffer.isView(a)) {
      for (const name of ["buffer", "byteOffset", "byteLength"]) compare(name, a[name], b[name]);
      continue;
    }
    if (tag === "ArrayBuffer") {
      compare("bytes", bytesOf(a), bytesOf(b));
      compare("maxByteLength", a.maxByteLength, b.maxByteLength);
    }
    if (tag === "Blob" || tag === "File") {
      for (const name of ["type", "name", "lastModified", "size"]) compare(name, a[name], b[name]);
      compare("bytes", bytesOf(await a.arrayBuffer()), bytesOf(await b.arrayBuffer()));
      continue;
    }
    if (tag === "CryptoKey") {
      for (const name of ["type", "extractable", "algorithm", "usages"]) compare(name, a[name], b[name]);
      // A pair that is created again is a different one each time.
      if (a.type === "secret") {
        compare("raw", ...(await Promise.all([a, b].map(async (key) => bytesOf(await crypto.subtle.exportKey("raw", key))))));
      }
      continue;
    }
    if (["Date", "Number", "String", "Boolean", "BigInt"].includes(tag)) compare("valueOf", a.valueOf(), b.valueOf());
    if (tag === "RegExp") compare("text", String(a), String(b));
    if (tag === "Map" || tag === "Set") compare("items", [...a], [...b]);
    if (tag === "ImageData") for (const name of ["width", "height", "data"]) compare(name, a[name], b[name]);
    if (tag === "DOMException") for (const name of ["message", "name"]) compare(name, a[name], b[name]);
    if (tag === "Error") for (const name of ["name", "message", "cause"]) compare(name, a[name], b[name]);
    if (Array.isArray(a)) compare("length", a.length, b.length);
    const keys = Object.keys(a);
    if (keys.join("\\0") !== Object.keys(b).join("\\0")) differ(path, "has the keys " + Object.keys(b));
    for (const key of keys) compare(key, a[key], b[key]);
  }
  return found;
})`;

/** Page script helpers that open a database and wait for requests and transactions. */
export const DATABASE_TOOLS = `
const settle = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const completed = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = resolve;
  transaction.onabort = () => reject(transaction.error);
});
const openDatabase = (name, version, upgrade) => {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => upgrade?.(request.result);
  return settle(request);
};
`;
