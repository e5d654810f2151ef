import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveError } from "../../../src/lib/archives/archive-error.ts";
import { readZip } from "../../../src/lib/archives/zip-reader.ts";
import { sizeOfLane } from "../../lane.ts";
import { LIMITS, sourceOf, unpack } from "./unpack.ts";
import {
  type BuiltEnd,
  type BuiltEntry,
  buildZip,
  concatenate,
  crc32,
  deflate,
  extraField,
  zip64End,
} from "./zip-builder.ts";

const encode = (text: string) => Uint8Array.from(new TextEncoder().encode(text));

const hex = (text: string) => encode(text).toHex();

const textOf = (content: string) => new TextDecoder().decode(Uint8Array.fromHex(content));

const archiveError = (message: string | RegExp, reason = "malformed") =>
  expect.objectContaining({ name: "ArchiveError", message: expect.stringMatching(message), reason });

const link = (name: string, target: string | Uint8Array): BuiltEntry => ({
  name,
  content: target,
  mode: 0o120777,
});

describe("readZip", () => {
  it("reads files, directories and symlinks with their modes, times and contents", async () => {
    const zip = buildZip([
      { name: "d/", mode: 0o040700 },
      { name: "d/stored", content: "1", mode: 0o106755 },
      { name: "d/deflated", content: "22", packed: await deflate(encode("22")), method: 8, mode: 0o100000 },
      link("d/link", "../d/stored"),
      { name: "empty" },
    ]);
    const modifiedAt = Date.UTC(2024, 4, 6, 7, 8, 10);
    expect(await unpack(zip)).toEqual([
      { path: "d", type: "directory", mode: 0o700, modifiedAt },
      { path: "d/stored", type: "file", mode: 0o755, modifiedAt, content: hex("1") },
      { path: "d/deflated", type: "file", mode: 0, modifiedAt, content: hex("22") },
      { path: "d/link", type: "symlink", mode: 0o777, modifiedAt, target: "../d/stored" },
      { path: "empty", type: "file", mode: 0o644, modifiedAt, content: "" },
    ]);
  });

  it.each<[string, BuiltEntry, object]>([
    ["for the root directory", { name: "./" }, []],
    ["with redundant path segments", { name: "./a//b" }, [{ path: "a/b" }]],
    [
      "for a Windows directory",
      { name: "a\\b\\", host: 0, mode: 0 },
      [{ path: "a/b", type: "directory", mode: 0o755 }],
    ],
    ["for a Windows file", { name: "a\\b", host: 10, mode: 0 }, [{ path: "a/b", type: "file", mode: 0o644 }]],
    ["with a backslash on Unix", { name: "a\\b" }, [{ path: "a\\b" }]],
    ["without a type", { name: "a", mode: 0o600 }, [{ type: "file", mode: 0o600 }]],
    ["with a directory mode", { name: "a", mode: 0o040700 }, [{ path: "a", type: "directory" }]],
    ["in UTF-8 without the flag", { name: "日本", flags: 0 }, [{ path: "日本" }]],
    ["in code page 437", { name: Uint8Array.of(0x81, 0xe1, 0x61), flags: 0 }, [{ path: "üßa" }]],
    [
      "with a Unix timestamp",
      { name: "a", extra: extraField(0x5455, [1, 1], [4, 0xffffffff]) },
      [{ modifiedAt: -1000 }],
    ],
    [
      "with an NTFS timestamp",
      {
        name: "a",
        extra: extraField(0x000a, [4, 0], [2, 1], [2, 24], [8, 116_444_736_015_000_000], [8, 0], [8, 0]),
      },
      [{ modifiedAt: 1500 }],
    ],
    ["with truncated extra fields", { name: "a", extra: Uint8Array.of(1, 0, 99, 0) }, [{ path: "a" }]],
    [
      "with zip64 sizes",
      {
        name: "a",
        content: "1",
        size: 0xffffffff,
        compressedSize: 0xffffffff,
        extra: extraField(1, [8, 1], [8, 1]),
      },
      [{ content: hex("1") }],
    ],
    ["with a zip64 offset", { name: "a", offset: 0xffffffff, extra: extraField(1, [8, 0]) }, [{ path: "a" }]],
  ])("reads an entry %s", async (_, entry, expected) => {
    expect(await unpack(buildZip([entry]))).toMatchObject(expected);
  });

  it.each([
    ["prefers a Unicode path field", "u", "ü"],
    ["ignores a Unicode path field of another name", "v", "u"],
  ])("%s", async (_, other, name) => {
    const [first, second] = encode("ü");
    const field = extraField(0x7075, [1, 1], [4, crc32(encode(other))], [1, first ?? 0], [1, second ?? 0]);
    expect(await unpack(buildZip([{ name: "u", flags: 0, extra: field }]))).toMatchObject([{ path: name }]);
  });

  it.each<[string, BuiltEntry[], BuiltEnd]>([
    ["no entries", [], {}],
    ["a comment", [{ name: "a" }], { comment: "PK\x05\x06 is how an end begins, and this is none" }],
    ["a zip64 end", [{ name: "a" }], { entries: 0xffff, size: 0xffffffff, gap: zip64End(1, 47, 31) }],
  ])("reads a zip with %s", async (_, entries, end) => {
    expect((await unpack(buildZip(entries, end))).map(({ path }) => path)).toEqual(
      entries.map(({ name }) => name),
    );
  });

  it("unpacks stored and deflated content of several chunks", async () => {
    const content = crypto.getRandomValues(new Uint8Array(65536));
    const long = concatenate(content, new Uint8Array(1_000_000), content);
    const zip = buildZip([
      { name: "stored", content: long },
      { name: "deflated", content: long, packed: await deflate(long), method: 8 },
    ]);
    expect(await unpack(zip)).toMatchObject([{ content: long.toHex() }, { content: long.toHex() }]);
  });

  it("returns the content of an entry repeatedly", async () => {
    const [entry] = await readZip(sourceOf(buildZip([{ name: "a", content: "1" }])), LIMITS);
    if (entry?.type !== "file") throw new Error("expected a file");
    expect(await new Response(entry.content()).text()).toBe("1");
    expect(await new Response(entry.content()).text()).toBe("1");
  });
});

describe("readZip with zips of other tools", () => {
  it.each([
    [
      "zip -r -y",
      "UEsDBAoAAAAAAAU5pliDFtyMAQAAAAEAAAAHABwALmhpZGRlblVUCQAD2YE4Zv0bAWt1eAsAAQQAAAAABAAAAAB4UEsDBAoAAAAAAAU5plgAAAAAAAAAAAAAAAAEABwAc3ViL1VUCQAD2YE4Zv0bAWt1eAsAAQQAAAAABAAAAABQSwMECgAAAAAAhyJ1XYhab+cIAAAACAAAAAgAHABzdWIvbGlua1VUCQAD/RsBa/0bAWt1eAsAAQQAAAAABAAAAAAuLi9hLnR4dFBLAwQKAAAAAAAFOaZYHZ37BAoAAAAKAAAABwAcAHN1Yi9ydW5VVAkAA9mBOGb9GwFrdXgLAAEEAAAAAAQAAAAAIyEvYmluL3NoClBLAwQUAAAACAAFOaZYAIhZCwsAAAAYAAAABQAcAGEudHh0VVQJAAPZgThm/RsBa3V4CwABBAAAAAAEAAAAAMtIzcnJV8hAJ7kAUEsDBAoAAAAAAAU5plg+am3yAQAAAAEAAAARABwAbmHDr3ZlIOaXpeacrC50eHRVVAkAA9mBOGb9GwFrdXgLAAEEAAAAAAQAAAAAdVBLAQIeAwoAAAAAAAU5pliDFtyMAQAAAAEAAAAHABgAAAAAAAEAAACkgQAAAAAuaGlkZGVuVVQFAAPZgThmdXgLAAEEAAAAAAQAAAAAUEsBAh4DCgAAAAAABTmmWAAAAAAAAAAAAAAAAAQAGAAAAAAAAAAQAMBBQgAAAHN1Yi9VVAUAA9mBOGZ1eAsAAQQAAAAABAAAAABQSwECHgMKAAAAAACHInVdiFpv5wgAAAAIAAAACAAYAAAAAAAAAAAA/6GAAAAAc3ViL2xpbmtVVAUAA/0bAWt1eAsAAQQAAAAABAAAAABQSwECHgMKAAAAAAAFOaZYHZ37BAoAAAAKAAAABwAYAAAAAAABAAAA7YHKAAAAc3ViL3J1blVUBQAD2YE4ZnV4CwABBAAAAAAEAAAAAFBLAQIeAxQAAAAIAAU5plgAiFkLCwAAABgAAAAFABgAAAAAAAEAAACggRUBAABhLnR4dFVUBQAD2YE4ZnV4CwABBAAAAAAEAAAAAFBLAQIeAwoAAAAAAAU5plg+am3yAQAAAAEAAAARABgAAAAAAAEAAACkgV8BAABuYcOvdmUg5pel5pysLnR4dFVUBQAD2YE4ZnV4CwABBAAAAAAEAAAAAFBLBQYAAAAABgAGANQBAACrAQAAAAA=",
      [
        [".hidden", "file", 0o644, "x"],
        ["sub", "directory", 0o700, undefined],
        ["sub/link", "symlink", 0o777, "../a.txt"],
        ["sub/run", "file", 0o755, "#!/bin/sh\n"],
        ["a.txt", "file", 0o640, "hello hello hello hello\n"],
        ["naïve 日本.txt", "file", 0o644, "u"],
      ],
    ],
    [
      "zip -fz (zip64)",
      "UEsDBC0AAAAIAAU5plgAiFkL//////////8HABQAdC9hLnR4dAEAEAAYAAAAAAAAAAsAAAAAAAAAy0jNyclXyEAnuQBQSwECHgMtAAAACAAFOaZYAIhZCwsAAAD/////BwAMAAAAAAABAAAAoIEAAAAAdC9hLnR4dAEACAAYAAAAAAAAAFBLBgYsAAAAAAAAAB4DLQAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAABBAAAAAAAAAEQAAAAAAAAAUEsGBwAAAACFAAAAAAAAAAEAAABQSwUGAAAAAAEAAQBBAAAA/////wAA",
      [["t/a.txt", "file", 0o640, "hello hello hello hello\n"]],
    ],
    [
      "Python zipfile (streamed)",
      "UEsDBBQACAAAAAU5plgAAAAAAAAAAAAAAAACAAAAZC9QSwcIAAAAAAAAAAAAAAAAUEsDBC0ACAAAAAU5plgAAAAA//////////8HABQAZC9zLnR4dAEAEAAAAAAAAAAAAAAAAAAAAAAAc3RyZWFtZWQgc3RyZWFtZWQgc3RyZWFtZWQgc3RyZWFtZWQgc3RyZWFtZWQgUEsHCAyNUqUtAAAAAAAAAC0AAAAAAAAAUEsBAhQDFAAIAAAABTmmWAAAAAAAAAAAAAAAAAIAAAAAAAAAAAAAAIABAAAAAGQvUEsBAi0DLQAIAAAABTmmWAyNUqUtAAAALQAAAAcAAAAAAAAAAAAAAIABMAAAAGQvcy50eHRQSwUGAAAAAAIAAgBlAAAArgAAAAAA",
      [
        ["d", "directory", 0o600, undefined],
        ["d/s.txt", "file", 0o600, "streamed ".repeat(5)],
      ],
    ],
  ])("reads the output of %s", async (_, base64, expected) => {
    const unpacked = await unpack(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
    const found = unpacked.map((entry) => {
      const content = "content" in entry ? textOf(entry.content) : undefined;
      return [entry.path, entry.type, entry.mode, "target" in entry ? entry.target : content];
    });
    expect(found).toEqual(expected);
  });
});

describe("readZip with invalid zips", () => {
  it.each<[string, BuiltEntry[], string]>([
    ["an absolute path", [{ name: "a" }, { name: "/etc/passwd" }], '"/etc/passwd" is an absolute path'],
    ["a path that leads out", [{ name: "a/../../b" }], "leads out of the destination"],
    ["a directory that leads out", [{ name: "../" }], "leads out"],
    ["backslashes that lead out", [{ name: "..\\a" }], "leads out"],
    ["Windows backslashes that lead out", [{ name: "a\\..\\..\\b", host: 0 }], "leads out"],
    ["a drive", [{ name: "C:\\a", host: 0 }], "absolute"],
    ["a NUL", [{ name: "a\0/../b" }], "NUL"],
    ["an empty name", [{ name: "" }], "is not a file name"],
    ["a file named like the root directory", [{ name: "." }], "is not a file name"],
    ["a name that is not UTF-8", [{ name: Uint8Array.of(0xff) }], "not UTF-8"],
    ["a symlink to an absolute path", [link("a", "/etc")], "symlink to an absolute path"],
    ["a symlink that leads out", [link("a/b", "../../c")], "leads out"],
    ["a symlink through another possible symlink", [link("a", "b/../../c")], "leads out"],
    ["a symlink without a target", [link("a", "")], "invalid path"],
    ["a symlink with a long target", [link("a", "x".repeat(5000))], "invalid path"],
    ["a symlink with a trailing slash", [link("a/", "b")], "is a symlink with the name of a directory"],
    ["a file below a symlink", [link("a", "b"), { name: "a/c" }], "which is not a directory"],
    ["a file below a file", [{ name: "a/c" }, { name: "a" }], "which is not a directory"],
    ["a duplicate name", [{ name: "a" }, { name: "./a" }], "twice"],
    ["a device", [{ name: "a", mode: 0o020666 }], "special file"],
    ["a pipe", [{ name: "a", mode: 0o010666 }], "special file"],
    ["a directory with content", [{ name: "a/", content: "1" }], "directory with content"],
    ["encryption", [{ name: "a", flags: 0x0801 }], "encrypted"],
    ["strong encryption", [{ name: "a", flags: 0x0840 }], "encrypted"],
    ["bzip2", [{ name: "a", method: 12 }], "unsupported compression method: 12"],
    ["deflate64", [{ name: "a", method: 9 }], "unsupported compression method: 9"],
    ["two sizes for stored content", [{ name: "a", content: "1", size: 2 }], "two sizes"],
    [
      "content that reaches into the directory",
      [{ name: "a", compressedSize: 40, size: 40 }],
      "not where it says",
    ],
    ["an entry beyond the end", [{ name: "a", offset: 1000 }], "points past its end"],
    ["an entry at the wrong offset", [{ name: "a", content: "1234", offset: 1 }], "not where it says"],
    ["missing zip64 sizes", [{ name: "a", size: 0xffffffff }], "directory cannot be read"],
    [
      "an impossible size",
      [{ name: "a", size: 0xffffffff, extra: extraField(1, [4, 0], [4, 0x80000000]) }],
      "impossible size",
    ],
    [
      "an entry inside another",
      [
        { name: "a", content: buildZip([{ name: "b" }]) },
        { name: "b", offset: 31, isReference: true },
      ],
      '"b" overlaps another entry',
    ],
    [
      "two entries sharing content",
      [
        { name: "a", content: "1" },
        { name: "b", content: "1", offset: 0, isReference: true },
      ],
      "overlaps another entry",
    ],
  ])("rejects %s", async (_, entries, message) => {
    await expect(unpack(buildZip(entries))).rejects.toEqual(archiveError(message));
  });

  const longEnd = zip64End(2, 94, 62);
  longEnd[4] = 45;
  it.each<[string, BuiltEnd, string]>([
    ["too low an entry count", { entries: 1 }, "more entries than it declares"],
    ["too high an entry count", { entries: 3 }, "directory cannot be read"],
    ["a wrong directory offset", { offset: 1 }, "directory is not where its end says"],
    ["too large a directory size", { size: 1000 }, "directory is not where its end says"],
    ["data after its directory", { gap: Uint8Array.of(0) }, "directory is not where its end says"],
    ["several disks", { disk: 1 }, "one part of several"],
    ["a zip64 end beyond the file", { gap: zip64End(2, 94, 1_000_000) }, "points past its end"],
    ["too long a zip64 end", { gap: longEnd }, "its end is not where it says"],
    ["a zip64 end at the wrong offset", { gap: zip64End(2, 94, 3) }, "its end is not where it says"],
  ])("rejects %s", async (_, end, message) => {
    await expect(unpack(buildZip([{ name: "a" }, { name: "b" }], end))).rejects.toEqual(
      archiveError(message),
    );
  });

  const zip = buildZip([{ name: "a", content: "123" }]);
  it.each([
    ["an empty file", new Uint8Array(), "not a zip"],
    ["text", encode("hello ".repeat(100)), "not a zip"],
    ["a truncated zip", zip.subarray(0, 60), "cut off"],
    ["a zip without its last byte", zip.subarray(0, -1), "cut off"],
    ["a zip with trailing data", concatenate(zip, Uint8Array.of(0)), "followed by something else"],
    ["a zip with leading data", concatenate(Uint8Array.of(0), zip), "directory is not where its end says"],
  ])("rejects %s", async (_, bytes, message) => {
    await expect(unpack(bytes)).rejects.toEqual(archiveError(message));
  });

  it("skips unsafe symlinks on request", async () => {
    const outside = [link("a", "/etc"), link("b", "../c"), link("c", ""), link("d", "x".repeat(5000))];
    const zip = buildZip([...outside, link("e", "f"), { name: "f" }, { name: "a/below" }]);
    const entries = await readZip(sourceOf(zip), LIMITS, { skipsUnsafeSymlinks: true });
    expect(entries.map(({ path }) => path)).toEqual(["e", "f", "a/below"]);
  });

  it("rejects a zip over its limits before unpacking it", async () => {
    const entries = [
      { name: "a", content: "12" },
      { name: "b", content: "34" },
    ];
    expect(await unpack(buildZip(entries), { totalSize: 4, entries: 2 })).toHaveLength(2);
    await expect(readZip(sourceOf(buildZip(entries)), { totalSize: 3, entries: 2 })).rejects.toEqual(
      archiveError("the zip holds 4 bytes, of 3 allowed", "too_large"),
    );
    await expect(readZip(sourceOf(buildZip(entries)), { totalSize: 4, entries: 1 })).rejects.toEqual(
      archiveError("the zip has 2 entries, of 1 allowed", "too_large"),
    );
  });
});

describe("readZip with content that contradicts the directory", () => {
  const bomb = new Uint8Array(50 * 1024 * 1024);

  it("never yields more than the declared size", async () => {
    const zip = buildZip([{ name: "a", content: "", packed: await deflate(bomb), method: 8, size: 100_000 }]);
    const [entry] = await readZip(sourceOf(zip), LIMITS);
    if (entry?.type !== "file") throw new Error("expected a file");
    let length = 0;
    const read = async () => {
      for await (const chunk of entry.content()) length += chunk.length;
    };
    await expect(read()).rejects.toEqual(archiveError('content of "a" is not what its directory says'));
    expect(length).toBeLessThanOrEqual(100_000);
  });

  const beginning = Array.from({ length: 30_000 }, (_, index) =>
    String.fromCharCode(33 + ((index * index * 7) % 89)),
  ).join("");
  type Text = (end: string) => Uint8Array<ArrayBuffer>;
  /** What is packed where the directory says that there is a deflated "12". */
  const cases: [string, (text: Text) => Promise<Partial<BuiltEntry>>][] = [
    ["less content", async (text) => ({ packed: await deflate(text("1")) })],
    ["more content", async (text) => ({ packed: await deflate(text("123")) })],
    ["other content", async (text) => ({ packed: await deflate(text("13")) })],
    ["other stored content", async (text) => ({ packed: text("13"), method: 0 })],
    [
      "less content with its own checksum",
      async (text) => ({ packed: await deflate(text("1")), checksum: crc32(text("1")) }),
    ],
    ["content that is not deflated", async () => ({ packed: Uint8Array.of(255, 255) })],
    ["truncated content", async (text) => ({ packed: (await deflate(text("12"))).subarray(0, -2) })],
    ["no deflated content", async () => ({ packed: new Uint8Array() })],
  ];

  it.each(cases)("rejects %s", async (_, make) => {
    const entry = { name: "a", content: encode("12"), method: 8, ...(await make(encode)) };
    await expect(unpack(buildZip([entry]))).rejects.toEqual(archiveError("damaged"));
    const symlink = buildZip([{ ...entry, mode: 0o120777 }]);
    await expect(readZip(sourceOf(symlink), LIMITS)).rejects.toEqual(archiveError("damaged"));
  });

  it.each(cases)("rejects %s in a large file", async (_, make) => {
    const text = (end: string) => encode(beginning + end);
    const entry = { name: "a", content: text("12"), method: 8, ...(await make(text)) };
    await expect(unpack(buildZip([entry]))).rejects.toEqual(archiveError("damaged"));
  });

  it("propagates errors of the source", async () => {
    const content = crypto.getRandomValues(new Uint8Array(60_000));
    const zip = buildZip([{ name: "a", content, packed: await deflate(content), method: 8 }]);
    const source = sourceOf(zip);
    const [entry] = await readZip(source, LIMITS);
    source.read = () => {
      throw new Error("read failed");
    };
    if (entry?.type !== "file") throw new Error("expected a file");
    await expect(new Response(entry.content()).arrayBuffer()).rejects.toThrow("read failed");
  });
});

describe("readZip with arbitrary zips", () => {
  const names = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc
      .array(fc.constantFrom("..", "..", ".", "", "a", "a", "b", "\\", "..\\", "C:", "\0"), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.join("/")),
  );
  const entries = fc.array(
    fc.record({
      name: names,
      content: fc.oneof(names, fc.uint8Array({ maxLength: 40 })),
      mode: fc.constantFrom(0, 0o100644, 0o040755, 0o120777, 0o120777, 0o020600),
      host: fc.constantFrom(0, 3, 10, 19),
      flags: fc.constantFrom(0, 0x0800),
    }),
    { maxLength: 6 },
  );

  const requireInside = (unpacked: Awaited<ReturnType<typeof unpack>>) => {
    const symlinks = new Map(
      unpacked.flatMap((entry) => ("target" in entry ? [[entry.path, entry.target]] : [])),
    );
    for (const { path } of unpacked) {
      expect(path).not.toMatch(/^\/|(^|\/)\.{0,2}(\/|$)|\0/);
      expect(leavesDestination(path, symlinks)).toBe(false);
      const names = path.split("/");
      for (const depth of names.keys()) {
        expect(symlinks.has(names.slice(0, depth).join("/"))).toBe(false);
      }
    }
  };

  it("never returns a path outside, and fails only with an ArchiveError", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(entries, async (built) => {
        const result = await unpack(buildZip(built)).catch((error: unknown) => error);
        if (!Array.isArray(result)) {
          expect(result).toBeInstanceOf(ArchiveError);
          return;
        }
        accepted += 1;
        requireInside(result);
      }),
      { numRuns: sizeOfLane(200, 1000) },
    );
    expect(accepted).toBeGreaterThan(sizeOfLane(10, 100));
  });

  it("reads a damaged zip or fails with an ArchiveError", async () => {
    const packed = await deflate(encode("deflated ".repeat(20)));
    const whole = buildZip([
      { name: "d/" },
      {
        name: "d/a",
        content: "deflated ".repeat(20),
        packed,
        method: 8,
        extra: extraField(0x5455, [1, 1], [4, 1]),
      },
      link("d/link", "a"),
      { name: "b", content: "stored", size: 0xffffffff, extra: extraField(1, [8, 6]) },
    ]);
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(20), fc.nat(20), async (changes, cutStart, cutEnd) => {
        const damaged = whole.slice();
        for (const [at, byte] of changes) damaged[at] = byte;
        const cut = damaged.subarray(cutStart > 15 ? cutStart : 0, cutEnd > 15 ? -cutEnd : undefined);
        const result = await unpack(cut).catch((error: unknown) => error);
        if (Array.isArray(result)) requireInside(result);
        else expect(result).toBeInstanceOf(ArchiveError);
      }),
      { numRuns: sizeOfLane(300, 1500) },
    );
  });
});

/** Follows symlinks as a file system does. */
function leavesDestination(path: string, symlinks: ReadonlyMap<string, string>): boolean {
  const at: string[] = [];
  const names = path.split("/");
  for (let steps = 0; steps < 100; steps++) {
    const name = names.shift();
    if (name === undefined) return false;
    if (name === "..") {
      if (at.pop() === undefined) return true;
    } else if (name !== "" && name !== ".") {
      at.push(name);
      const target = symlinks.get(at.join("/"));
      if (target?.startsWith("/")) return true;
      if (target !== undefined) at.pop();
      names.unshift(...(target?.split("/") ?? []));
    }
  }
  return false;
}
