import { createHash } from "node:crypto";
import type { NewEntry } from "./entry.ts";

/** The end of a chain: the number and hash of its last entry. */
export interface Link {
  sequence: number;
  hash: string;
}

/** Length of `,"hash":"<64 digits>"}`. */
const SUFFIX_LENGTH = 75;

export function emptyChain(organizationId: string): Link {
  return { sequence: 0, hash: sha256(organizationId) };
}

/**
 * Continues a chain by one entry.
 *
 * @returns the entry as a line of JSON. Its last field is `hash`: the SHA-256 of the hash before, a line
 * break, and the line
 *   without `hash`.
 */
export function appendLine(end: Link, entry: NewEntry): { line: string; end: Link } {
  const sequence = end.sequence + 1;
  const body = JSON.stringify({ ...entry, sequence });
  const hash = sha256(`${end.hash}\n${body}`);
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, end: { sequence, hash } };
}

/** @returns the end of the chain after the lines, or before the first line that does not continue it. */
export function followChain(start: Link, lines: readonly string[]): Link {
  let end = start;
  for (const line of lines) {
    const sequence = end.sequence + 1;
    const body = `${line.slice(0, -SUFFIX_LENGTH)}}`;
    const hash = sha256(`${end.hash}\n${body}`);
    if (!body.endsWith(`,"sequence":${sequence}}`) || !line.endsWith(`,"hash":"${hash}"}`)) break;
    end = { sequence, hash };
  }
  return end;
}

function sha256(text: string): string {
  const hash = createHash("sha256");
  hash.update(new TextEncoder().encode(text));
  return hash.digest("hex");
}
