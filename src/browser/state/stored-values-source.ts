/**
 * The source of what turns a value that IndexedDB keeps into a text and back, to be run in a page: JSON has fewer kinds
 * of values, and no object that is there twice or within itself. It is text, not a function turned into text: bundlers
 * put calls of their own helpers into functions.
 *
 * A value becomes a table: first the value's slot, then its objects, each once. A slot is a value that JSON has, or a
 * list with a tag: `["u"]` undefined, `["n", text]` a number that JSON has not, `["b", text]` a bigint, `["r", index]`
 * the object there. An object is a list with a tag of its own and what it is made of.
 */
export const STORED_VALUES = `(() => {
  const ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];

  /** A value of a kind that cannot be taken out of this browser. */
  class NotPortableError extends Error {}

  const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

  const toBase64 = (bytes) => {
    if (bytes.toBase64) return bytes.toBase64();
    let binary = "";
    for (let at = 0; at < bytes.length; at += 32_768) {
      binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
    }
    return btoa(binary);
  };
  const fromBase64 = (text) =>
    Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

  /**
   * The table of a value. What is not at hand yet is left to later, because a transaction does not wait for it.
   *
   * @returns later: what completes the table; bytes: how much that will add.
   */
  const encode = (value) => {
    const objects = [];
    const indexes = new Map();
    const later = [];
    let bytes = 0;

    const toSlot = (item) => {
      switch (typeof item) {
        case "undefined":
          return ["u"];
        case "number":
          if (Object.is(item, -0)) return ["n", "-0"];
          return Number.isFinite(item) ? item : ["n", String(item)];
        case "bigint":
          return ["b", String(item)];
        case "object": {
          if (item === null) return null;
          if (!indexes.has(item)) {
            indexes.set(item, objects.length);
            objects.push(item);
          }
          return ["r", indexes.get(item)];
        }
        default:
          return item;
      }
    };
    const pairsOf = (object, keys) => keys.flatMap((key) => [key, toSlot(object[key])]);
    const readLater = (blob, entry) => {
      bytes += Math.ceil((blob.size * 4) / 3);
      later.push(async () => entry.push(toBase64(new Uint8Array(await blob.arrayBuffer()))));
      return entry;
    };
    const toKeyEntry = (key) => {
      if (!key.extractable) throw new NotPortableError("a key that cannot be extracted");
      const { name, hash, namedCurve, length } = key.algorithm;
      const entry = ["key", { name, hash: hash && { name: hash.name }, namedCurve, length }, [...key.usages]];
      later.push(async () => entry.push(await crypto.subtle.exportKey("jwk", key)));
      return entry;
    };

    const toEntry = (object) => {
      const tag = tagOf(object);
      if (ArrayBuffer.isView(object)) {
        const { buffer, byteOffset, byteLength, length = byteLength } = object;
        return ["view", tag, toSlot(buffer), byteOffset, length];
      }
      switch (tag) {
        case "Object":
          return ["object", ...pairsOf(object, Object.keys(object))];
        case "Array": {
          const keys = Object.keys(object);
          const isDense = keys.length === object.length && keys.every((key, index) => key === String(index));
          if (isDense) return ["array", ...object.map(toSlot)];
          return ["sparse", object.length, ...pairsOf(object, keys)];
        }
        case "Map":
          return ["map", ...[...object].flatMap(([key, item]) => [toSlot(key), toSlot(item)])];
        case "Set":
          return ["set", ...[...object].map(toSlot)];
        case "Date":
          return ["date", toSlot(object.getTime())];
        case "RegExp":
          return ["regexp", object.source, object.flags];
        case "Boolean":
        case "Number":
        case "String":
        case "BigInt":
          return ["boxed", toSlot(object.valueOf())];
        case "ArrayBuffer":
          return ["buffer", toBase64(new Uint8Array(object)), object.resizable ? object.maxByteLength : null];
        case "Blob":
          return readLater(object, ["blob", object.type]);
        case "File":
          return readLater(object, ["file", object.type, object.name, object.lastModified]);
        case "ImageData":
          return ["image", toSlot(object.data), object.width, object.height, object.colorSpace];
        case "Error": {
          const keys = ["message", "stack", "cause"].filter((key) => Object.hasOwn(object, key));
          return ["error", object.name, ...pairsOf(object, keys)];
        }
        case "DOMException":
          return ["exception", object.message, object.name];
        case "CryptoKey":
          return toKeyEntry(object);
        default:
          throw new NotPortableError(tag);
      }
    };

    const table = [toSlot(value)];
    // Each may add more of them.
    for (let next = 0; next < objects.length; next += 1) table.push(toEntry(objects[next]));
    return { table, later, bytes };
  };

  /** The value of a table. */
  const decode = async ([slot, ...entries]) => {
    const objects = [];

    const toValue = (slot) => {
      if (!Array.isArray(slot)) return slot;
      const [tag, content] = slot;
      if (tag === "u") return undefined;
      if (tag === "n") return Number(content);
      return tag === "b" ? BigInt(content) : objectAt(content);
    };
    // An own property, also where its name is __proto__.
    const define = (object, key, slot, enumerable = true) =>
      Object.defineProperty(object, key, { value: toValue(slot), writable: true, enumerable, configurable: true });
    const eachPair = (pairs, use) => {
      for (let at = 0; at < pairs.length; at += 2) use(pairs[at], pairs[at + 1]);
    };

    // Without what may hold the object itself, which comes when all are there.
    const create = ([tag, ...parts]) => {
      switch (tag) {
        case "object":
          return {};
        case "array":
        case "sparse":
          return [];
        case "map":
          return new Map();
        case "set":
          return new Set();
        case "date":
          return new Date(toValue(parts[0]));
        case "regexp":
          return new RegExp(...parts);
        case "boxed":
          return Object(toValue(parts[0]));
        case "buffer": {
          const bytes = fromBase64(parts[0]);
          if (parts[1] === null) return bytes.buffer;
          const buffer = new ArrayBuffer(bytes.length, { maxByteLength: parts[1] });
          new Uint8Array(buffer).set(bytes);
          return buffer;
        }
        case "view":
          return new globalThis[parts[0]](toValue(parts[1]), parts[2], parts[3]);
        case "blob":
          return new Blob([fromBase64(parts[1])], { type: parts[0] });
        case "file":
          return new File([fromBase64(parts[3])], parts[1], { type: parts[0], lastModified: parts[2] });
        case "image":
          return new ImageData(toValue(parts[0]), parts[1], parts[2], { colorSpace: parts[3] });
        case "error":
          return new (ERRORS.includes(parts[0]) ? globalThis[parts[0]] : Error)();
        case "exception":
          return new DOMException(...parts);
        default:
          throw new Error("The stored value has a part of an unknown kind: " + tag);
      }
    };
    const objectAt = (index) => {
      objects[index] ??= create(entries[index]);
      return objects[index];
    };
    const fill = (object, [tag, ...parts]) => {
      switch (tag) {
        case "object":
          return eachPair(parts, (key, slot) => define(object, key, slot));
        case "array":
          for (const slot of parts) object.push(toValue(slot));
          return;
        case "sparse":
          object.length = parts[0];
          return eachPair(parts.slice(1), (key, slot) => define(object, key, slot));
        case "map":
          return eachPair(parts, (key, slot) => object.set(toValue(key), toValue(slot)));
        case "set":
          for (const slot of parts) object.add(toValue(slot));
          return;
        case "error":
          return eachPair(parts.slice(1), (key, slot) => define(object, key, slot, false));
      }
    };

    for (const [index, [tag, algorithm, usages, key]] of entries.entries()) {
      if (tag === "key") objects[index] = await crypto.subtle.importKey("jwk", key, algorithm, true, usages);
    }
    for (const index of entries.keys()) objectAt(index);
    for (const [index, entry] of entries.entries()) fill(objects[index], entry);
    return toValue(slot);
  };

  return { NotPortableError, encode, decode };
})()`;
