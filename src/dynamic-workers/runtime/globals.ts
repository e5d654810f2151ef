// Taken before other people's code runs, which may put something else in their place.
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } =
  Reflect;
const { is } = Object;

/** An object as it was. */
interface Snapshot {
  target: object;
  prototype: object | null;
  /** Without a prototype, as each of its descriptors. */
  properties: Record<PropertyKey, PropertyDescriptor>;
}

/** The globals of this Worker as they were when it was loaded: all that a script may put something else in place of. */
const snapshots = [...globalObjects()].map(takeSnapshot);

/**
 * Makes the globals again what they were when this Worker was loaded.
 *
 * @returns whether that was possible: code can make its changes last.
 */
export function restoreGlobals(): boolean {
  let isRestored = true;
  // Not `for … of`: how arrays are gone through is a global, too.
  for (let index = 0; index < snapshots.length; index += 1) {
    const snapshot = snapshots[index];
    if (snapshot !== undefined && !restore(snapshot)) isRestored = false;
  }
  return isRestored;
}

/** The global object, what it inherits from, and of each of their values itself and the prototype of its instances. */
function globalObjects(): Set<object> {
  const scopes: object[] = [];
  for (let scope: object | null = globalThis; scope !== null; scope = getPrototypeOf(scope))
    scopes.push(scope);
  const values = scopes.flatMap((scope) => ownValues(scope));
  return new Set([...scopes, ...values, ...values.flatMap((value) => ownValues(value, ["prototype"]))]);
}

/** The objects and functions among an object's own values. No getter is called. */
function ownValues(owner: object, keys: PropertyKey[] = ownKeys(owner)): object[] {
  return keys
    .map((key): unknown => getOwnPropertyDescriptor(owner, key)?.value)
    .filter((value) => (typeof value === "object" && value !== null) || typeof value === "function");
}

function takeSnapshot(target: object): Snapshot {
  const properties: Snapshot["properties"] = Object.create(null);
  for (const key of ownKeys(target)) {
    const descriptor = getOwnPropertyDescriptor(target, key);
    if (descriptor !== undefined) properties[key] = Object.setPrototypeOf(descriptor, null);
  }
  return { target, prototype: getPrototypeOf(target), properties };
}

function restore({ target, prototype, properties }: Snapshot): boolean {
  let isRestored = getPrototypeOf(target) === prototype || setPrototypeOf(target, prototype);
  const keysNow = ownKeys(target);
  for (let index = 0; index < keysNow.length; index += 1) {
    const key = keysNow[index] ?? "";
    if (!(key in properties) && !deleteProperty(target, key)) isRestored = false;
  }
  const keys = ownKeys(properties);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const descriptor = properties[key];
    if (descriptor === undefined || isSame(getOwnPropertyDescriptor(target, key), descriptor)) continue;
    if (!defineProperty(target, key, descriptor)) isRestored = false;
  }
  return isRestored;
}

function isSame(now: PropertyDescriptor | undefined, before: PropertyDescriptor): boolean {
  return (
    now !== undefined &&
    is(now.value, before.value) &&
    now.get === before.get &&
    now.set === before.set &&
    now.writable === before.writable &&
    now.enumerable === before.enumerable &&
    now.configurable === before.configurable
  );
}
