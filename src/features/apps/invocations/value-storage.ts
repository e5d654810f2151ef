import type { InvocationRow } from "../../../lib/database/schema/apps.ts";
import { readInChunks } from "../../../platform/browser/index.ts";

export const VALUE_KINDS = ["payload", "output"] as const;

export type ValueKind = (typeof VALUE_KINDS)[number];

export const MAX_VALUE_BYTES = 4.5 * 1024 * 1024;

/** R2's own chunks are so small that handling them takes most of the time. */
const CHUNK_BYTES = 256 * 1024;

/** Larger values are in R2. A list reads a hundred rows at once. */
const MAX_INLINE_BYTES = 64 * 1024;

export const VALUES_PREFIX = "invocations/";

export interface StoredValue {
  inRow: string | null;
  inFiles: boolean;
}

interface ValueName {
  organizationId: string;
  invocationId: string;
  kind: ValueKind;
}

export async function storeValue(env: Env, name: ValueName, json: string | undefined): Promise<StoredValue> {
  if (json === undefined) return { inRow: null, inFiles: false };
  const bytes = new TextEncoder().encode(json);
  if (bytes.byteLength <= MAX_INLINE_BYTES) return { inRow: json, inFiles: false };
  await env.FILES.put(valueKey(name), bytes);
  return { inRow: null, inFiles: true };
}

type ValuedRow = Pick<InvocationRow, "id" | "organizationId" | ValueKind | `${ValueKind}InFiles`>;

export async function readValue(env: Env, row: ValuedRow, kind: ValueKind): Promise<string | null> {
  return row[`${kind}InFiles`] ? (await readObject(env, row, kind)).text() : row[kind];
}

export async function* readLargeValue(
  env: Env,
  row: ValuedRow,
  kind: ValueKind,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const { body } = await readObject(env, row, kind);
  for await (const bytes of readInChunks(body, CHUNK_BYTES)) yield decoder.decode(bytes, { stream: true });
}

/** @throws Error when a value is missing in R2. */
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

export function invocationOfKey(key: string): string | undefined {
  return key.split("/")[2];
}
