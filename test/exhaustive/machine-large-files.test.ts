import { createHash, randomFillSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { beforeAll, describe, expect, test } from "vitest";
import { useService } from "../conformance/use-service.ts";

const MEBIBYTE = 1024 * 1024;
const LARGE_BYTES = 200 * MEBIBYTE;
const MAX_GROWTH_BYTES = 64 * MEBIBYTE;
const TIMEOUT_MS = 600_000;

let id: string;

const service = await useService({ settings: { FILE_QUOTA_MEBIBYTES: "450" } });
const kernel = service.kernel();

beforeAll(async () => {
  ({ session_id: id } = await kernel.browsers.create({ timeout_seconds: 3600, headless: true }));
});

async function readFile(path: string): Promise<Buffer> {
  return Buffer.from(await (await kernel.browsers.fs.readFile(id, { path })).arrayBuffer());
}

/** Streams random content, which cannot be compressed, and computes its checksum. */
function randomContent(size: number) {
  const hash = createHash("sha256");
  async function* chunks() {
    for (let left = size; left > 0; left -= MEBIBYTE) {
      const chunk = randomFillSync(Buffer.alloc(Math.min(left, MEBIBYTE)));
      hash.update(chunk);
      yield chunk;
    }
  }
  return { stream: Readable.from(chunks()), digest: () => hash.digest("hex") };
}

describe("large files", () => {
  // The first large files grow the process permanently.
  beforeAll(async () => {
    for (let round = 0; round < 4; round += 1) {
      await put("write_file?path=/tmp/warm", randomContent(50 * MEBIBYTE).stream);
      await readFile("/tmp/warm");
    }
    await kernel.browsers.fs.deleteFile(id, { path: "/tmp/warm" });
  }, TIMEOUT_MS);

  test("transfers 200 MiB within a memory limit", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const content = randomContent(LARGE_BYTES);
    await expectLittleGrowth(async () => {
      await put("write_file?path=/tmp/large", content.stream);
      const response = await kernel.browsers.fs.readFile(id, { path: "/tmp/large" });
      expect(response.headers.get("content-length")).toBe(String(LARGE_BYTES));
      expect(await digestOf(response)).toBe(content.digest());
    });
  });

  test("uploads 200 MiB as a form within a memory limit", { timeout: TIMEOUT_MS }, async () => {
    const content = randomContent(LARGE_BYTES);
    async function* form() {
      yield Buffer.from(
        '--edge\r\ncontent-disposition: form-data; name="files[0][file]"; filename="x"\r\n\r\n',
      );
      yield* content.stream;
      yield Buffer.from(
        '\r\n--edge\r\ncontent-disposition: form-data; name="files[0][dest_path]"\r\n\r\n/tmp/large\r\n--edge--\r\n',
      );
    }
    const options = { method: "POST", type: "multipart/form-data; boundary=edge" };
    await expectLittleGrowth(async () => {
      expect(await put("upload", Readable.from(form()), options)).toBe(201);
    });
    const response = await kernel.browsers.fs.readFile(id, { path: "/tmp/large" });
    expect(await digestOf(response)).toBe(content.digest());
  });

  test("rejects a file over the quota with 413 and keeps the old one", { timeout: TIMEOUT_MS }, async () => {
    await kernel.browsers.fs.writeFile(id, Buffer.from("old"), { path: "/tmp/small" });
    expect(await put("write_file?path=/tmp/small", randomContent(300 * MEBIBYTE).stream)).toBe(413);
    expect(await readFile("/tmp/small")).toEqual(Buffer.from("old"));
    await kernel.browsers.fs.deleteFile(id, { path: "/tmp/large" });
    expect(await put("write_file?path=/tmp/fits", randomContent(300 * MEBIBYTE).stream)).toBe(201);
    await kernel.browsers.fs.deleteFile(id, { path: "/tmp/fits" });
  });
});

/** Expects that some work lets the workerd processes grow little. */
async function expectLittleGrowth(work: () => Promise<void>): Promise<void> {
  const before = residentBytes();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentBytes());
  }, 200);
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  console.log(`grew by ${((peak - before) / MEBIBYTE).toFixed(1)} MiB`);
  expect(peak - before).toBeLessThan(MAX_GROWTH_BYTES);
}

/** @returns the memory of the workerd processes. */
function residentBytes(): number {
  const servers = service
    .processes()
    .filter(({ command }) => /workerd/.test(command) && /serve/.test(command));
  return servers.reduce((sum, { pid }) => sum + residentBytesOf(pid), 0);
}

function residentBytesOf(pid: number): number {
  const pages = /^\d+ (\d+)/.exec(readFileSync(`/proc/${pid}/statm`, "utf8"))?.[1];
  return Number(pages ?? 0) * 4096;
}

/** Uploads a stream. @returns the response status. */
async function put(
  path: string,
  body: Readable,
  { method = "PUT", type = "application/octet-stream" } = {},
): Promise<number | undefined> {
  const upload = request(`${service.baseURL}/browsers/${id}/fs/${path}`, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": type },
  });
  const responded = once(upload, "response");
  // The service may close the connection after rejecting the upload.
  upload.on("error", () => {});
  body.pipe(upload);
  const [response] = await responded;
  body.destroy();
  response.resume();
  return response.statusCode;
}

async function digestOf(response: Response): Promise<string> {
  const hash = createHash("sha256");
  if (response.body === null) throw new Error("no body");
  for await (const chunk of response.body as ReadableStream<Uint8Array>) hash.update(chunk);
  return hash.digest("hex");
}
