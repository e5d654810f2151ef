import type { Schemas } from "../../api/client.ts";

export type Contents = Schemas["ProfileContents"];

/** A cookie, an item of localStorage, or a database of IndexedDB. */
export interface Entry {
  kind: "Cookie" | "localStorage" | "IndexedDB";
  name: string;
  /** Domain and path of a cookie; else an origin. */
  site: string;
  details?: string;
  /** In bytes; of a database it is not known. */
  size?: number;
  /** Absent: with the browser. */
  expires?: string;
  value?: string;
}

export function listEntries({ cookies, origins }: Contents): Entry[] {
  return [
    ...cookies.map((cookie): Entry => {
      const { name, domain, path, size_bytes: size, expires_at: expires, value } = cookie;
      const attributes = [
        cookie.secure && "Secure",
        cookie.http_only && "HttpOnly",
        cookie.same_site && `SameSite=${cookie.same_site}`,
        cookie.partition_key && `only in ${cookie.partition_key}`,
      ];
      const details = attributes.filter(Boolean).join(", ");
      return { kind: "Cookie", name, site: `${domain}${path}`, details, size, expires, value };
    }),
    ...origins.flatMap(({ origin: site, local_storage, indexed_db }) => [
      ...local_storage.map(({ key, size_bytes: size, value }): Entry => {
        return { kind: "localStorage", name: key, site, size, value };
      }),
      ...indexed_db.map(({ name, object_stores }): Entry => {
        const stores = object_stores.map(({ name, records }) => `${name}: ${count(records, "record")}`);
        return { kind: "IndexedDB", name, site, details: stores.join(", ") };
      }),
    ]),
  ];
}

/** A number and its noun, such as `1 cookie` or `3 cookies`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString()} ${noun}${number === 1 ? "" : "s"}`;
}
