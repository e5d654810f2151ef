// Saved before user code can replace them.
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } =
  Reflect;
const { is } = Object;

interface Snapshot {
  target: object;
  prototype: object | null;
  /** Without a prototype, like each descriptor, so that user code cannot add inherited properties. */
  properties: Record<PropertyKey, PropertyDescriptor>;
}

const snapshots = [...globalObjects()].map(takeSnapshot);

/** @returns false if a change cannot be undone, such as a property that is not configurable. */
export function restoreGlobals(): boolean {
  let isRestored = true;
  // No `for … of`, because user code can replace the array iterator.
  for (let index = 0; index < snapshots.length; index += 1) {
    const snapshot = snapshots[index];
    if (snapshot !== undefined && !restore(snapshot)) isRestored = false;
  }
  return isRestored;
}

/** The global object with its prototype chain, all their values, and the `prototype` of each value. */
function globalObjects(): Set<object> {
  const scopes: object[] = [];
  for (let scope: object | null = globalThis; scope !== null; scope = getPrototypeOf(scope))
    scopes.push(scope);
  const values = scopes.flatMap((scope) => ownValues(scope));
  return new Set([...scopes, ...values, ...values.flatMap((value) => ownValues(value, ["prototype"]))]);
}

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
