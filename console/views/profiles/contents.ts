import type { Schemas } from "../../api/client.ts";

export type Contents = Schemas["ProfileContents"];
export type Cookie = Contents["cookies"][number];

/** An item of localStorage or a database of IndexedDB. */
export interface Stored {
  origin: string;
  kind: "localStorage" | "IndexedDB";
  name: string;
  /** In bytes; of a database it is not known. */
  size?: number;
  /** The object stores of a database. */
  stores?: string;
  value?: string;
}

export function listStored({ origins }: Contents): Stored[] {
  return origins.flatMap(({ origin, local_storage, indexed_db }) => [
    ...local_storage.map(({ key, size_bytes, value }): Stored => {
      return { origin, kind: "localStorage", name: key, size: size_bytes, value };
    }),
    ...indexed_db.map(({ name, object_stores }): Stored => {
      const stores = object_stores.map(({ name, records }) => `${name}: ${count(records, "record")}`);
      return { origin, kind: "IndexedDB", name, stores: stores.join(", ") };
    }),
  ]);
}

/** Whether one of some texts has another in it, in either case. */
export function matches(search: string, ...texts: string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(search.toLowerCase()));
}

/** A number and its noun, such as `1 cookie` or `3 cookies`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString()} ${noun}${number === 1 ? "" : "s"}`;
}

/** Who receives or reads a cookie, in the words of its attributes. */
export function attributesOf({ secure, http_only, same_site, partition_key }: Cookie): string {
  const words = [
    secure && "Secure",
    http_only && "HttpOnly",
    same_site && `SameSite=${same_site}`,
    partition_key && `only in ${partition_key}`,
  ];
  return words.filter(Boolean).join(", ") || "–";
}
