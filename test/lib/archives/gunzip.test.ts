import { GunzipError, gunzip } from "durable-machine/gunzip";
import { expect, it } from "vitest";
import { newCheckedFetch } from "../../../src/platform/dynamic-workers/runtime/bundling/checked-registry.ts";
import { compress, gzipBomb, MEBIBYTE } from "./bombs.ts";

const LIMIT = 48 * MEBIBYTE;

async function lengthOf(content: Iterable<Uint8Array>, maxBytes: number): Promise<number> {
  let length = 0;
  for await (const chunk of gunzip(content, maxBytes)) length += chunk.length;
  return length;
}

it("unpacks all members of a file, up to exactly the limit", async () => {
  const [one, two] = [
    await compress(new Uint8Array(MEBIBYTE), "gzip"),
    await compress(Uint8Array.of(1), "gzip"),
  ];
  expect(await lengthOf([one, two], MEBIBYTE + 1)).toBe(MEBIBYTE + 1);
  await expect(lengthOf([one, two], MEBIBYTE)).rejects.toEqual(new GunzipError("too_large"));
});

it("stops a bomb at the limit, however it is cut into pieces", async () => {
  const bomb = await gzipBomb();
  const pieces = Array.from({ length: 64 }, (_, index) =>
    bomb.subarray((index * bomb.length) / 64, ((index + 1) * bomb.length) / 64),
  );
  for (const content of [[bomb], pieces]) {
    const startedAt = Date.now();
    await expect(lengthOf(content, LIMIT)).rejects.toEqual(new GunzipError("too_large"));
    expect(Date.now() - startedAt).toBeLessThan(3000);
  }
});

it("unpacks no more of a bomb than is read", async () => {
  const bomb = await gzipBomb();
  let given = 0;
  const content = (function* () {
    for (let start = 0; start < bomb.length; start += 1024) {
      given += 1;
      yield bomb.subarray(start, start + 1024);
    }
  })();
  const chunks = gunzip(content, LIMIT);
  const { value } = await chunks.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(value?.length).toBeLessThanOrEqual(64 * 1024);
  expect(given).toBeLessThan(200);
  await chunks.return();
});

it.each([
  ["truncated content", (bytes: Uint8Array) => bytes.subarray(0, -9)],
  ["content that is not gzip", () => new Uint8Array(100)],
  ["nothing", () => new Uint8Array()],
])("rejects %s", async (_, damage) => {
  const packed = await compress(new Uint8Array(1000), "gzip");
  await expect(lengthOf([damage(packed)], LIMIT)).rejects.toEqual(new GunzipError("damaged"));
});

it("keeps an npm package from unpacking to 2,000 MiB", async () => {
  const tarball = await gzipBomb();
  const shasum = new Uint8Array(await crypto.subtle.digest("SHA-1", tarball)).toHex();
  const registry = newCheckedFetch(async (input) =>
    new URL(new Request(input).url).pathname === "/bomb"
      ? Response.json({
          versions: { "1.0.0": { dist: { tarball: "https://registry.test/bomb.tgz", shasum } } },
        })
      : new Response(tarball),
  );
  await registry("https://registry.test/bomb");
  const startedAt = Date.now();
  await expect(registry("https://registry.test/bomb.tgz")).rejects.toThrow("unpacks to more than");
  expect(Date.now() - startedAt).toBeLessThan(3000);
});
