import { fromBase64, toBase64 } from "./base64.ts";

export type EncodedValue = [slot: Slot, ...entries: Entry[]];

type Slot = string | number | boolean | null | ["u"] | ["n", string] | ["b", string] | ["r", number];

type Entry =
  | ["object", ...properties: Slot[]]
  | ["array", ...items: Slot[]]
  | ["sparse", length: number, ...properties: Slot[]]
  | ["map", ...items: Slot[]]
  | ["set", ...items: Slot[]]
  | ["date", time: Slot]
  | ["regexp", source: string, flags: string]
  | ["boxed", value: Slot]
  | ["buffer", bytes: string, maxByteLength: number | null]
  | ["view", type: string, buffer: Slot, byteOffset: number, length: number]
  | BlobEntry
  | ["image", data: Slot, width: number, height: number, colorSpace: string]
  | ["error", name: string, ...properties: Slot[]]
  | ["exception", message: string, name: string]
  | KeyEntry;

type BlobEntry =
  | ["blob", type: string, bytes?: string]
  | ["file", type: string, name: string, lastModified: number, bytes?: string];

type KeyEntry = ["key", algorithm: KeyParameters, usages: KeyUsage[], key?: JsonWebKey];

interface KeyParameters {
  name: string;
  hash?: { name: string };
  namedCurve?: string;
  length?: number;
}

const ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];

export class NotPortableError extends Error {}

export function encode(value: unknown): {
  encoded: EncodedValue;
  later: (() => Promise<unknown>)[];
  bytes: number;
} {
  const objects: object[] = [];
  const indexes = new Map<object, number>();
  const later: (() => Promise<unknown>)[] = [];
  let bytes = 0;

  const toSlot = (item: unknown): Slot => {
    switch (typeof item) {
      case "undefined":
        return ["u"];
      case "number":
        if (Object.is(item, -0)) return ["n", "-0"];
        return Number.isFinite(item) ? item : ["n", String(item)];
      case "bigint":
        return ["b", String(item)];
      case "string":
      case "boolean":
        return item;
      case "object": {
        if (item === null) return null;
        const known = indexes.get(item);
        if (known !== undefined) return ["r", known];
        indexes.set(item, objects.length);
        objects.push(item);
        return ["r", objects.length - 1];
      }
      default:
        throw new NotPortableError(typeof item);
    }
  };
  const toProperties = (object: object, names: string[]): Slot[] =>
    names.flatMap((name) => [name, toSlot(Reflect.get(object, name))]);
  const readLater = (blob: Blob, entry: BlobEntry): BlobEntry => {
    bytes += Math.ceil((blob.size * 4) / 3);
    later.push(async () => entry.push(toBase64(new Uint8Array(await blob.arrayBuffer()))));
    return entry;
  };
  const toKeyEntry = (key: CryptoKey): KeyEntry => {
    if (!key.extractable) throw new NotPortableError("a key that cannot be extracted");
    const { name, hash, namedCurve, length }: KeyParameters = key.algorithm;
    const parameters = { name, hash: hash && { name: hash.name }, namedCurve, length };
    const entry: KeyEntry = ["key", parameters, [...key.usages]];
    later.push(async () => entry.push(await crypto.subtle.exportKey("jwk", key)));
    return entry;
  };
  const toArrayEntry = (array: unknown[]): Entry => {
    const names = Object.keys(array);
    const isDense = names.length === array.length && names.every((name, index) => name === String(index));
    if (isDense) return ["array", ...array.map(toSlot)];
    return ["sparse", array.length, ...toProperties(array, names)];
  };

  const toEntry = (object: object): Entry => {
    const tag = tagOf(object);
    if (tag === "Object") return ["object", ...toProperties(object, Object.keys(object))];
    if (Array.isArray(object)) return toArrayEntry(object);
    if (ArrayBuffer.isView(object)) {
      const {
        buffer,
        byteOffset,
        byteLength,
        length = byteLength,
      }: ArrayBufferView & { length?: number } = object;
      return ["view", tag, toSlot(buffer), byteOffset, length];
    }
    if (object instanceof Map) {
      return ["map", ...[...object].flatMap(([key, item]) => [toSlot(key), toSlot(item)])];
    }
    if (object instanceof Set) return ["set", ...[...object].map(toSlot)];
    if (object instanceof Date) return ["date", toSlot(object.getTime())];
    if (object instanceof RegExp) return ["regexp", object.source, object.flags];
    if (["Boolean", "Number", "String", "BigInt"].includes(tag)) return ["boxed", toSlot(object.valueOf())];
    if (object instanceof ArrayBuffer) {
      return ["buffer", toBase64(new Uint8Array(object)), object.resizable ? object.maxByteLength : null];
    }
    if (object instanceof File) {
      return readLater(object, ["file", object.type, object.name, object.lastModified]);
    }
    if (object instanceof Blob) return readLater(object, ["blob", object.type]);
    if (object instanceof ImageData) {
      return ["image", toSlot(object.data), object.width, object.height, object.colorSpace];
    }
    if (object instanceof DOMException) return ["exception", object.message, object.name];
    if (object instanceof Error) {
      const names = ["message", "stack", "cause"].filter((name) => Object.hasOwn(object, name));
      return ["error", object.name, ...toProperties(object, names)];
    }
    if (object instanceof CryptoKey) return toKeyEntry(object);
    throw new NotPortableError(tag);
  };

  const encoded: EncodedValue = [toSlot(value)];
  for (let next = objects[0]; next !== undefined; next = objects[encoded.length - 1]) {
    encoded.push(toEntry(next));
  }
  return { encoded, later, bytes };
}

export async function decode([slot, ...entries]: EncodedValue): Promise<unknown> {
  const objects: unknown[] = [];
  const fills: (() => void)[] = [];

  const toValue = (slot: Slot | undefined): unknown => {
    if (!Array.isArray(slot)) return slot;
    switch (slot[0]) {
      case "u":
        return undefined;
      case "n":
        return Number(slot[1]);
      case "b":
        return BigInt(slot[1]);
      case "r":
        return objectAt(slot[1]);
    }
  };
  const objectAt = (index: number): unknown => {
    const entry = entries[index];
    if (entry !== undefined) objects[index] ??= create(entry);
    return objects[index];
  };
  const eachPair = (pairs: Slot[], use: (key: Slot, value: unknown) => void) => {
    for (let at = 0; at < pairs.length; at += 2) use(pairs[at] ?? null, toValue(pairs[at + 1]));
  };
  const fillProperties = <T extends object>(object: T, properties: Slot[], enumerable = true): T => {
    const define = (name: Slot, value: unknown) =>
      Object.defineProperty(object, String(name), { value, writable: true, enumerable, configurable: true });
    fills.push(() => eachPair(properties, define));
    return object;
  };

  const create = (entry: Entry): unknown => {
    switch (entry[0]) {
      case "object":
        return fillProperties({}, entry.slice(1));
      case "array": {
        const [, ...items] = entry;
        const array: unknown[] = [];
        fills.push(() => {
          for (const item of items) array.push(toValue(item));
        });
        return array;
      }
      case "sparse": {
        const [, length, ...properties] = entry;
        return fillProperties(new Array(length), properties);
      }
      case "map": {
        const [, ...items] = entry;
        const map = new Map();
        fills.push(() => eachPair(items, (key, value) => map.set(toValue(key), value)));
        return map;
      }
      case "set": {
        const [, ...items] = entry;
        const set = new Set();
        fills.push(() => {
          for (const item of items) set.add(toValue(item));
        });
        return set;
      }
      case "date":
        return new Date(Number(toValue(entry[1])));
      case "regexp":
        return new RegExp(entry[1], entry[2]);
      case "boxed":
        return Object(toValue(entry[1]));
      case "buffer": {
        const [, text, maxByteLength] = entry;
        const bytes = fromBase64(text);
        if (maxByteLength === null) return bytes.buffer;
        const buffer = new ArrayBuffer(bytes.length, { maxByteLength });
        new Uint8Array(buffer).set(bytes);
        return buffer;
      }
      case "view": {
        const [, type, buffer, byteOffset, length] = entry;
        return Reflect.construct(Reflect.get(globalThis, type), [toValue(buffer), byteOffset, length]);
      }
      case "blob":
        return new Blob([fromBase64(entry[2] ?? "")], { type: entry[1] });
      case "file": {
        const [, type, name, lastModified, bytes = ""] = entry;
        return new File([fromBase64(bytes)], name, { type, lastModified });
      }
      case "image": {
        const [, data, width, height, colorSpace] = entry;
        return Reflect.construct(ImageData, [toValue(data), width, height, { colorSpace }]);
      }
      case "error": {
        const [, name, ...properties] = entry;
        const type: ErrorConstructor = ERRORS.includes(name) ? Reflect.get(globalThis, name) : Error;
        return fillProperties(new type(), properties, false);
      }
      case "exception":
        return new DOMException(entry[1], entry[2]);
      default:
        throw new Error(`The stored value has a part of an unknown kind: ${entry[0]}`);
    }
  };

  for (const [index, entry] of entries.entries()) {
    if (entry[0] !== "key") continue;
    const [, algorithm, usages, key = {}] = entry;
    objects[index] = await crypto.subtle.importKey("jwk", key, algorithm, true, usages);
  }
  for (const index of entries.keys()) objectAt(index);
  for (const fill of fills) fill();
  return toValue(slot);
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
