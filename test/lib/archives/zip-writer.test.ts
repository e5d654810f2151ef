import { toLazyStream } from "durable-machine/lazy-stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArchiveEntry, FileEntry } from "../../../src/lib/archives/archive-entry.ts";
import { writeZip } from "../../../src/lib/archives/zip-writer.ts";
import { sizeOfLane } from "../../lane.ts";
import { unpack } from "./unpack.ts";

const MODIFIED_AT = Date.UTC(2024, 4, 6, 7, 8, 9);

function file(
  path: string,
  content: Uint8Array<ArrayBuffer>,
  mode = 0o644,
  modifiedAt = MODIFIED_AT,
): FileEntry {
  return {
    path,
    type: "file",
    mode,
    modifiedAt,
    size: content.length,
    content: () => new Blob([content]).stream(),
  };
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

async function zip(entries: readonly ArchiveEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(writeZip(toAsync(entries))).arrayBuffer());
}

describe("writeZip", () => {
  it("writes files, directories and symlinks that readZip reads", async () => {
    const content = Uint8Array.from(new TextEncoder().encode("hello ".repeat(1000)));
    const bytes = await zip([
      { path: "d", type: "directory", mode: 0o700, modifiedAt: MODIFIED_AT },
      file("d/.hidden", content, 0o600),
      { path: "d/link", type: "symlink", mode: 0o777, modifiedAt: MODIFIED_AT, target: ".hidden" },
      file("日本 ü.txt", new Uint8Array(), 0o755, -1000),
    ]);
    expect(bytes.length).toBeLessThan(1000);
    expect(await unpack(bytes)).toEqual([
      { path: "d", type: "directory", mode: 0o700, modifiedAt: MODIFIED_AT },
      { path: "d/.hidden", type: "file", mode: 0o600, modifiedAt: MODIFIED_AT, content: content.toHex() },
      { path: "d/link", type: "symlink", mode: 0o777, modifiedAt: MODIFIED_AT, target: ".hidden" },
      { path: "日本 ü.txt", type: "file", mode: 0o755, modifiedAt: -1000, content: "" },
    ]);
  });

  it.each([
    [Date.UTC(2200, 0), Date.UTC(2107, 11, 31, 23, 59, 58)],
    [Date.UTC(2050, 0, 1, 0, 0, 2), Date.UTC(2050, 0, 1, 0, 0, 2)],
    [Date.UTC(1979, 0), Date.UTC(1979, 0)],
    [1999, 1000],
  ])("writes the time %d as %d", async (modifiedAt, read) => {
    expect(await unpack(await zip([file("a", new Uint8Array(), 0o644, modifiedAt)]))).toMatchObject([
      { modifiedAt: read },
    ]);
  });

  it("writes an empty zip", async () => {
    expect(await unpack(await zip([]))).toEqual([]);
  });

  it("uses zip64 sizes for a file that may need them", async () => {
    const content = new Uint8Array(100_000);
    const bytes = await zip([{ ...file("a", content), size: 5 * 1024 ** 3 }, file("b", Uint8Array.of(3))]);
    expect(new DataView(bytes.buffer).getUint32(18, true)).toBe(0xffffffff);
    // A zip64 data descriptor has a signature, a checksum and two sizes of 8 bytes.
    const text = bytes.toHex();
    expect(text.indexOf("504b0304", 8) - text.indexOf("504b0708")).toBe(2 * (4 + 4 + 8 + 8));
    expect(await unpack(bytes)).toMatchObject([{ content: content.toHex() }, { content: "03" }]);
  });

  it("compresses content only where that makes it smaller", async () => {
    const method = async (content: Uint8Array<ArrayBuffer>) => {
      const { buffer } = await zip([file("a", content)]);
      return new DataView(buffer).getUint16(8, true);
    };
    expect(await method(new Uint8Array(1000))).toBe(8);
    expect(await method(Uint8Array.of(1, 2, 3))).toBe(0);
    expect(await method(new Uint8Array())).toBe(0);
  });

  it.each([65535, 65536, 65537, 131_072])("writes a file of %d bytes in chunks of any size", async (size) => {
    const content = crypto.getRandomValues(new Uint8Array(65536)).slice(0, size);
    const whole = new Uint8Array(size);
    whole.set(content);
    for (const piece of [1000, 65536, size]) {
      const pieces = () => toLazyStream(toAsync(cut(whole, piece)));
      expect(await unpack(await zip([{ ...file("a", whole), content: pieces }]))).toMatchObject([
        { content: whole.toHex() },
      ]);
    }
  });

  it("applies backpressure to the content", async () => {
    let produced = 0;
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          produced += 65536;
          controller.enqueue(crypto.getRandomValues(new Uint8Array(65536)));
        },
      },
      { highWaterMark: 0 },
    );
    const reader = writeZip(
      toAsync([{ ...file("a", new Uint8Array()), content: () => endless }]),
    ).getReader();
    let received = 0;
    while (received < 5 * 1024 * 1024) {
      received += (await reader.read()).value?.length ?? 0;
      expect(produced - received).toBeLessThan(1024 * 1024);
    }
    await reader.cancel();
  });

  it("starts only when it is read", async () => {
    let started = false;
    async function* entries(): AsyncGenerator<ArchiveEntry, void, undefined> {
      started = true;
      yield file("a", new Uint8Array());
    }
    const stream = writeZip(entries());
    await new Promise((resolve) => setTimeout(resolve));
    expect(started).toBe(false);
    await new Response(stream).arrayBuffer();
    expect(started).toBe(true);
  });

  it("closes the entries and the content when the reader cancels", async () => {
    const contentEnd = Promise.withResolvers<void>();
    const entriesEnd = Promise.withResolvers<void>();
    const content = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(crypto.getRandomValues(new Uint8Array(65536))),
      cancel: () => contentEnd.resolve(),
    });
    async function* entries(): AsyncGenerator<ArchiveEntry, void, undefined> {
      try {
        yield { ...file("a", new Uint8Array()), content: () => content };
      } finally {
        entriesEnd.resolve();
      }
    }
    const reader = writeZip(entries()).getReader();
    await reader.read();
    await reader.cancel();
    await Promise.all([contentEnd.promise, entriesEnd.promise]);
  });

  it.each([
    ["the content", toAsync([{ ...file("a", new Uint8Array()), content: () => failing() }])],
    ["the entries", failingEntries()],
  ])("propagates errors of %s", async (_, entries) => {
    await expect(new Response(writeZip(entries)).arrayBuffer()).rejects.toThrow("read failed");
  });

  it("writes any names, modes, times and contents", async () => {
    const name = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .filter((text) => !/[\0/\\:]|^\.{1,2}$/.test(text) && text.isWellFormed());
    const entry = fc.record({
      path: fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/")),
      mode: fc.nat(0o777),
      modifiedAt: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((seconds) => seconds * 1000),
      content: fc.oneof(
        fc.uint8Array({ maxLength: 100 }),
        fc.nat(200_000).map((length) => new Uint8Array(length)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 5 }),
        async (files) => {
          const paths = files.map(({ path }) => path);
          fc.pre(!paths.some((path) => paths.some((other) => other.startsWith(`${path}/`))));
          const bytes = await zip(
            files.map(({ path, content, mode, modifiedAt }) =>
              file(path, new Uint8Array(content), mode, modifiedAt),
            ),
          );
          expect(await unpack(bytes)).toEqual(
            files.map(({ content, ...given }) => ({ ...given, type: "file", content: content.toHex() })),
          );
        },
      ),
      { numRuns: sizeOfLane(30, 500) },
    );
  });
});

function failing(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("read failed")),
  });
}

async function* failingEntries(): AsyncGenerator<ArchiveEntry, void, undefined> {
  yield file("a", new Uint8Array());
  throw new Error("read failed");
}
