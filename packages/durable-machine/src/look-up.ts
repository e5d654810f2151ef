/** The value for an untrusted name, which may be one that all objects inherit, such as `constructor`. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
