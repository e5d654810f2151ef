import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  deleteValues,
  readValue,
  storeValue,
  VALUE_KINDS,
} from "../../../../src/features/apps/invocations/value-storage.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { invocationRow } from "./invocations.ts";

const MAX_INLINE_BYTES = 64 * 1024;

function newName() {
  return { organizationId: newIdentifier(), invocationId: newIdentifier() };
}

async function keysOf({ organizationId, invocationId }: ReturnType<typeof newName>): Promise<string[]> {
  const prefix = `invocations/${organizationId}/${invocationId}/`;
  return (await env.FILES.list({ prefix })).objects.map(({ key }) => key.slice(prefix.length));
}

describe.each(VALUE_KINDS)("invocation %s", (kind) => {
  it.each([
    ["small", '{"a": "ä"}', false],
    ["empty text", '""', false],
    ["64 KiB of ASCII", `"${"x".repeat(MAX_INLINE_BYTES - 2)}"`, false],
    ["64 KiB and a byte", `"${"x".repeat(MAX_INLINE_BYTES - 1)}"`, true],
    ["over 64 KiB in UTF-8", `"${"語".repeat(MAX_INLINE_BYTES / 3)}"`, true],
    ["4 MiB", `"${"x\\n😀".repeat(600_000)}"`, true],
  ])("can be stored and read: %s", async (_, json, inFiles) => {
    const name = newName();
    const stored = await storeValue(env, { ...name, kind }, json);
    expect(stored.inFiles).toBe(inFiles);
    expect(stored.inRow === null).toBe(inFiles);
    expect(await keysOf(name)).toEqual(inFiles ? [`${kind}.json`] : []);
    const { organizationId, invocationId: id } = name;
    const row = {
      ...invocationRow({ organizationId, id }),
      [kind]: stored.inRow,
      [`${kind}InFiles`]: inFiles,
    };
    // A matcher would print megabytes on failure.
    expect((await readValue(env, row, kind)) === json).toBe(true);
    await deleteValues(env, name);
    expect(await keysOf(name)).toEqual([]);
  });

  it("is null when absent", async () => {
    expect(await readValue(env, invocationRow({ organizationId: "organization" }), kind)).toBeNull();
  });

  it("cannot be read when missing in R2", async () => {
    const row = invocationRow({ organizationId: "organization", payloadInFiles: true, outputInFiles: true });
    await expect(readValue(env, row, kind)).rejects.toThrow(`${row.id}/${kind}.json is not in R2`);
  });
});

it("deletes all values of one invocation only", async () => {
  const [name, other] = [newName(), newName()];
  const large = `"${"x".repeat(MAX_INLINE_BYTES)}"`;
  for (const kind of VALUE_KINDS) await storeValue(env, { ...name, kind }, large);
  await storeValue(env, { ...other, organizationId: name.organizationId, kind: "payload" }, large);
  await deleteValues(env, name);
  expect(await keysOf(name)).toEqual([]);
  expect(await keysOf({ ...other, organizationId: name.organizationId })).toEqual(["payload.json"]);
});
