import { z } from "zod";

const storageSchema = z.object({
  localStorage: z.array(z.tuple([z.string(), z.string()])),
  databases: z.array(
    z.object({
      name: z.string(),
      version: z.number(),
      stores: z.array(z.object({ name: z.string(), records: z.int() })),
    }),
  ),
});

/** The storage of an origin, with the number of records of each object store. */
export type StoredStorage = z.infer<typeof storageSchema>;

/**
 * Reads the storage of an origin as a profile keeps it. The records are counted and not parsed, because
 * together they may need more memory than there is.
 *
 * @throws if the text is not valid.
 */
export function parseStorage(text: string): StoredStorage {
  return storageSchema.parse(JSON.parse(countRecords(text)));
}

/** Replaces each object store's records in the JSON by their number. No other list is named `records`. */
function countRecords(text: string): string {
  const kept: string[] = [];
  let keptUntil = 0;
  let at = text.indexOf('"');
  while (at !== -1) {
    let end = endOfString(text, at);
    if (text.startsWith('"records":[', at)) {
      const list = measureList(text, end + 2);
      kept.push(text.slice(keptUntil, end + 2), String(list.length));
      end = list.end;
      keptUntil = end + 1;
    }
    at = text.indexOf('"', end + 1);
  }
  return kept.join("") + text.slice(keptUntil);
}

/** @returns the number of items of the JSON array that begins at `start`, and where it ends. */
function measureList(text: string, start: number): { length: number; end: number } {
  let depth = 0;
  let commas = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "," && depth === 1) commas += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return { length: at === start + 1 ? 0 : commas + 1, end: at };
    }
  }
  throw new Error("The list has no end");
}

/** @returns where the quote is that ends the string. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  throw new Error("The string has no end");
}
