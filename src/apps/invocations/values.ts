import { piecesOf } from "../../browser/index.ts";
import type { InvocationRow } from "../../database/schema/apps.ts";

/** What an invocation takes and gives: JSON, which may be large. */
export const VALUE_KINDS = ["payload", "output"] as const;

export type ValueKind = (typeof VALUE_KINDS)[number];

/** What a payload or an output may have at most, in bytes of UTF-8. */
export const MAX_VALUE_BYTES = 4.5 * 1024 * 1024;

/** What is read of a large one at a time: the platform's own pieces are so small that they take most of the work. */
const CHUNK_BYTES = 256 * 1024;

/** What a row holds of each; rows of lists are read a hundred at once. */
const MAX_INLINE_BYTES = 64 * 1024;

/** Where all large values are in R2. */
export const VALUES_PREFIX = "invocations/";

/** Where a value is: in its row, in R2, or nowhere because there is none. */
export interface StoredValue {
  inRow: string | null;
  inFiles: boolean;
}

interface ValueName {
  organizationId: string;
  invocationId: string;
  kind: ValueKind;
}

/** Keeps a value: a large one in R2, all others in what becomes of the row. Storing it again replaces it. */
export async function storeValue(env: Env, name: ValueName, json: string): Promise<StoredValue> {
  const bytes = new TextEncoder().encode(json);
  if (bytes.byteLength <= MAX_INLINE_BYTES) return { inRow: json, inFiles: false };
  await env.FILES.put(valueKey(name), bytes);
  return { inRow: null, inFiles: true };
}

type ValuedRow = Pick<InvocationRow, "id" | "organizationId" | ValueKind | `${ValueKind}InFiles`>;

/** The payload or the output of an invocation as JSON; null: there is none. */
export async function readValue(env: Env, row: ValuedRow, kind: ValueKind): Promise<string | null> {
  return row[`${kind}InFiles`] ? (await readObject(env, row, kind)).text() : row[kind];
}

/** As {@link readValue}, of one that is in R2, piece by piece. */
export async function* readLargeValue(
  env: Env,
  row: ValuedRow,
  kind: ValueKind,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const { body } = await readObject(env, row, kind);
  for await (const bytes of piecesOf(body, CHUNK_BYTES)) yield decoder.decode(bytes, { stream: true });
}

/** @throws Error where a large value of an invocation is not there. */
export async function requireLargeValues(env: Env, row: ValuedRow): Promise<void> {
  for (const kind of VALUE_KINDS) {
    if (!row[`${kind}InFiles`]) continue;
    const key = keyOfRow(row, kind);
    if ((await env.FILES.head(key)) === null) throw new Error(`${key} is not in R2`);
  }
}

async function readObject(env: Env, row: ValuedRow, kind: ValueKind): Promise<R2ObjectBody> {
  const key = keyOfRow(row, kind);
  const object = await env.FILES.get(key);
  if (object === null) throw new Error(`${key} is not in R2`);
  return object;
}

/** Removes from R2 what is there of an invocation's values, if anything. */
export async function deleteValues(
  env: Env,
  { organizationId, invocationId }: { organizationId: string; invocationId: string },
): Promise<void> {
  await env.FILES.delete(VALUE_KINDS.map((kind) => valueKey({ organizationId, invocationId, kind })));
}

function keyOfRow({ organizationId, id: invocationId }: ValuedRow, kind: ValueKind): string {
  return valueKey({ organizationId, invocationId, kind });
}

function valueKey({ organizationId, invocationId, kind }: ValueName): string {
  return `${VALUES_PREFIX}${organizationId}/${invocationId}/${kind}.json`;
}

/** The invocation whose value has this key. */
export function invocationOfKey(key: string): string | undefined {
  return key.split("/")[2];
}
