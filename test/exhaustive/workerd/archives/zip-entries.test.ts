import { expect, it } from "vitest";
import type { ArchiveEntry } from "../../../../src/lib/archives/archive-entry.ts";
import { writeZip } from "../../../../src/lib/archives/zip-writer.ts";
import { LIMITS, unpack } from "../../../lib/archives/unpack.ts";

const COUNT = 70_000;

it("writes a zip with more than 65,535 entries", async () => {
  async function* entries(): AsyncGenerator<ArchiveEntry, void, undefined> {
    for (let index = 0; index < COUNT; index++) {
      yield { path: `d${index}`, type: "directory", mode: 0o755, modifiedAt: Date.UTC(2024, 4, 6) };
    }
  }
  const zip = new Uint8Array(await new Response(writeZip(entries())).arrayBuffer());
  const unpacked = await unpack(zip, { ...LIMITS, entries: 100_000 });
  expect(unpacked).toHaveLength(COUNT);
  expect(unpacked.at(-1)).toMatchObject({ path: `d${COUNT - 1}` });
}, 120_000);
