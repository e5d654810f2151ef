import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { MachineFiles } from "durable-machine";
import { expect, it } from "vitest";
import { openMachine } from "../../../src/features/machine/open-machine.ts";
import { unzipInto } from "../../../src/features/machine/unzip.ts";
import { readSettings } from "../../../src/lib/common/settings.ts";
import { buildZip } from "../../lib/archives/zip-builder.ts";

const COUNT = 600;

function counting(files: MachineFiles): { files: MachineFiles; calls: () => number } {
  let calls = 0;
  const counted = new Proxy(files, {
    get(target, name) {
      calls += 1;
      return Reflect.get(target, name);
    },
  });
  return { files: counted, calls: () => calls };
}

it("unpacks many small files in few steps each, with their modes and contents", async () => {
  await runInDurableObject(env.SESSION_MACHINE.getByName("unzip"), async (_, { storage }) => {
    const machine = await openMachine(env, storage, readSettings(env));
    const entries = Array.from({ length: COUNT }, (_, index) => ({
      name: `folder${index % 10}/file${index}`,
      content: index === 0 ? "content" : "",
    }));
    await machine.files.write("/tmp/a.zip", new Blob([buildZip(entries)]).stream());
    const { files, calls } = counting(machine.files);
    await unzipInto(files, "/tmp/a.zip", "/tmp/unpacked");
    // Three or four: the position of each in the zip, what is there, and the file.
    expect(calls() / COUNT).toBeLessThan(5);
    expect(await files.list("/tmp/unpacked/folder3")).toHaveLength(COUNT / 10);
    expect(await new Response((await files.read("/tmp/unpacked/folder0/file0")).body).text()).toBe("content");
    const { mode, modifiedAt } = await files.status("/tmp/unpacked/folder0/file10");
    expect(mode & 0o7000).toBe(0);
    expect(modifiedAt).toBeLessThan(Date.now() + 1);
    await machine.close();
  });
});
