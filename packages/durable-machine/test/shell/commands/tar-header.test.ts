import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../../src/shell/commands/byte-source.ts";
import { isExcluded, safeName, stripParts } from "../../../src/shell/commands/tar/member-names.ts";
import {
  BLOCK_LENGTH,
  isZeroBlock,
  paddingOf,
  readHeader,
  readPaxRecords,
  type TarMember,
  withPaxRecords,
  writeHeader,
} from "../../../src/shell/commands/tar/tar-header.ts";
import { TarFormatError, TarReader } from "../../../src/shell/commands/tar/tar-reader.ts";

const FILE: TarMember = {
  name: "a/f",
  type: "file",
  mode: 0o644,
  uid: 1000,
  gid: 1000,
  userName: "kernel",
  groupName: "kernel",
  size: 3,
  modifiedAt: 1_577_934_245_000,
  target: "",
};

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => [...piece]));
}

const name = fc.string({ unit: fc.constantFrom("a", "é", "/", ".", " "), minLength: 1, maxLength: 300 });

describe("a header", () => {
  it("is read as it was written", () => {
    const [block = new Uint8Array(0)] = writeHeader(FILE);
    expect(block.length).toBe(BLOCK_LENGTH);
    expect(readHeader(block)).toEqual({ ...FILE, letter: "0" });
  });

  it("has long names and large numbers in the members before it, and in binary", async () => {
    const member = fc.record({
      name: name.map((text) => `${text.replace(/\/+$/, "")}x`),
      target: name,
      mode: fc.nat({ max: 0o7777 }),
      uid: fc.nat({ max: 2 ** 32 - 2 }),
      gid: fc.nat({ max: 2 ** 32 - 2 }),
      modifiedAt: fc.nat({ max: 4_000_000_000 }).map((seconds) => seconds * 1000),
    });
    await fc.assert(
      fc.asyncProperty(member, async (fields) => {
        const written: TarMember = { ...FILE, ...fields, type: "symlink", size: 0 };
        const reader = new TarReader(bytesSource(concatenate(writeHeader(written))));
        expect(await reader.next()).toEqual(written);
        expect(await reader.next()).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  it("with one wrong bit is none", () => {
    const [block = new Uint8Array(0)] = writeHeader(FILE);
    fc.assert(
      fc.property(fc.nat({ max: 130 }), (index) => {
        const damaged = Uint8Array.from(block);
        damaged[index] = (damaged[index] ?? 0) ^ 1;
        expect(readHeader(damaged)).toBeUndefined();
      }),
    );
  });

  it("takes what pax records say of it", () => {
    const records = readPaxRecords(new TextEncoder().encode("12 path=b/c\n20 mtime=1000.25\n\n9 size=7\n"));
    expect(records.get("path")).toBe("b/c");
    const told = new Map([...records, ["size", "7"], ["mtime", "1000.25"], ["uid", "5"], ["uname", "x"]]);
    expect(withPaxRecords(FILE, told)).toMatchObject({
      name: "b/c",
      size: 7,
      modifiedAt: 1_000_250,
      uid: 5,
      userName: "x",
    });
  });

  it("pads content to whole blocks", () => {
    expect([0, 1, 511, 512, 513].map(paddingOf)).toEqual([0, 511, 1, 0, 511]);
    expect(isZeroBlock(new Uint8Array(512))).toBe(true);
  });
});

describe("an archive", () => {
  it("of anything at all ends, or is refused for what it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), fc.boolean(), async (bytes, hasHeader) => {
        const [block = new Uint8Array(0)] = writeHeader({ ...FILE, size: bytes[0] ?? 0 });
        const reader = new TarReader(bytesSource(hasHeader ? concatenate([block, bytes]) : bytes));
        try {
          while ((await reader.next()) !== undefined) while ((await reader.read(100)).length > 0);
        } catch (error) {
          expect(error).toBeInstanceOf(TarFormatError);
        }
      }),
    );
  });

  it("gives each member its own content", async () => {
    const content = new TextEncoder().encode("abc");
    const padding = new Uint8Array(paddingOf(3));
    const one = concatenate([...writeHeader(FILE), content, padding]);
    const reader = new TarReader(bytesSource(concatenate([one, one, new Uint8Array(1024)])));
    await reader.next();
    expect(await reader.read(2)).toEqual(content.subarray(0, 2));
    // What is not read is skipped.
    expect(await reader.next()).toMatchObject({ name: "a/f" });
    expect(await reader.read(10)).toEqual(content);
    expect(await reader.read(10)).toHaveLength(0);
    expect(await reader.next()).toBeUndefined();
    expect(reader.position).toBe(2 * one.length);
  });
});

describe("a member's name", () => {
  it.each([
    ["a/b", "", "a/b"],
    ["/a/b", "/", "a/b"],
    ["//a", "//", "a"],
    ["../a", "../", "a"],
    ["a/../b", "a/../", "b"],
    ["a/../../b/../c", "a/../../b/../", "c"],
    ["..", "..", ""],
    ["/..", "/..", ""],
    ["a..b/c", "", "a..b/c"],
    ["..a/b", "", "..a/b"],
    ["./a", "", "./a"],
  ])("%j loses %j and is %j", (given, prefix, rest) => {
    expect(safeName(given)).toEqual({ prefix, rest });
  });

  it("never leads out of where it is put", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("..", "/", "a", "."), maxLength: 12 }), (given) => {
        const { rest } = safeName(given);
        expect(rest.startsWith("/")).toBe(false);
        expect(rest.split("/")).not.toContain("..");
      }),
    );
  });

  it.each([
    ["a/b/c", 0, "a/b/c"],
    ["a/b/c", 1, "b/c"],
    ["a/b/", 1, "b/"],
    ["a/b/", 2, undefined],
    ["a", 1, undefined],
  ])("%j without %d parts is %j", (given, count, left) => {
    expect(stripParts(given, count)).toBe(left);
  });

  it.each([
    ["a/b/g", ["b"], true],
    ["a/b/g", ["*.tar", "g"], true],
    ["a/b/g", ["a/b"], true],
    ["a/b/g", ["b/g"], true],
    ["a/bc/g", ["b"], false],
    ["x.tar", ["*.tar"], true],
    ["a/b", [], false],
  ])("%j is left out by %j: %s", (given, patterns, excluded) => {
    expect(isExcluded(given, patterns)).toBe(excluded);
  });
});
