import { expect, it } from "vitest";
import { ArchiveError } from "../../../../src/lib/archives/archive-error.ts";
import { ZippedFiles } from "../../../../src/platform/dynamic-workers/runtime/bundling/app-files.ts";
import { readCompilerOptions } from "../../../../src/platform/dynamic-workers/runtime/bundling/compiler-options.ts";
import { buildZip } from "../../../lib/archives/zip-builder.ts";

/** @param contents files by path, or the text of tsconfig.json. */
async function read(contents: string | Record<string, string> = {}) {
  const files = typeof contents === "string" ? { "tsconfig.json": contents } : contents;
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
  return readCompilerOptions(await ZippedFiles.open(buildZip(entries)));
}

function tsconfig(compilerOptions: object, bases?: unknown): string {
  return JSON.stringify({ compilerOptions, extends: bases });
}

it.each([
  ["no file", undefined, {}],
  ["an empty file", "", {}],
  ["invalid JSON", "{ nonsense", {}],
  ["an array", "[]", {}],
  [
    "supported options",
    '{"compilerOptions": {"jsx": "react-jsx", "experimentalDecorators": true}}',
    { jsx: "react-jsx", experimentalDecorators: true },
  ],
  [
    "unsupported options",
    '{"extends": "base", "compilerOptions": {"module": "commonjs", "outDir": "dist"}}',
    {},
  ],
  ["null as options", '{"compilerOptions": null}', {}],
  [
    "comments and trailing commas",
    '{ // one\n "compilerOptions": { /* two\n */ "jsxFactory": "h", }, }',
    { jsxFactory: "h" },
  ],
  [
    "comment and comma characters in strings",
    '{"compilerOptions": {"jsxFactory": "a//b,}", "jsxImportSource": "/*c*/"}}',
    { jsxFactory: "a//b,}", jsxImportSource: "/*c*/" },
  ],
  ["an unterminated comment", '{"compilerOptions": {"jsx": "react"}} /* /* /*', { jsx: "react" }],
  ["an unterminated string", '{"compilerOptions": {"jsx": "react', {}],
  ["a string that ends in an escape", '{"compilerOptions": {"jsx": "react\\', {}],
  ["quotes in a string", '{"compilerOptions": {"jsxFactory": "a\\"//b"}}', { jsxFactory: 'a"//b' }],
])("reads a tsconfig.json with %s", async (_, text, options) => {
  expect(await read(text)).toEqual(options);
});

it.each([
  ["es3", { useDefineForClassFields: false }],
  ["ES5", { useDefineForClassFields: false }],
  ["ES6", { useDefineForClassFields: false }],
  ["ES2015", { useDefineForClassFields: false }],
  ["ES2020", { useDefineForClassFields: false }],
  ["es2021", { useDefineForClassFields: false }],
  ["ES2022", {}],
  ["es2030", {}],
  ["ESNext", {}],
  ["nonsense", {}],
  [2020, {}],
])("derives useDefineForClassFields from the target %s", async (target, options) => {
  expect(await read(tsconfig({ target }))).toEqual(options);
});

it("prefers an explicit useDefineForClassFields over the target", async () => {
  const options = { useDefineForClassFields: true };
  expect(await read(tsconfig({ target: "ES2020", ...options }))).toEqual(options);
});

it.each<[string, Record<string, string>, object]>([
  [
    "a file and overrides its options",
    {
      "tsconfig.json": tsconfig({ jsxFactory: "own" }, "./base.json"),
      "base.json": tsconfig({ jsx: "react", jsxFactory: "base" }),
    },
    { jsx: "react", jsxFactory: "own" },
  ],
  [
    "a file without its extension",
    { "tsconfig.json": tsconfig({}, "./base"), "base.json": tsconfig({ jsx: "react" }) },
    { jsx: "react" },
  ],
  [
    "files that extend others relative to themselves",
    {
      "tsconfig.json": tsconfig({}, "./config/base.json"),
      "config/base.json": tsconfig({}, "../shared/base.json"),
      "shared/base.json": tsconfig({ target: "ES2020" }),
    },
    { useDefineForClassFields: false },
  ],
  [
    "several files, the last of which wins",
    {
      "tsconfig.json": tsconfig({}, ["./a.json", "./b.json"]),
      "a.json": tsconfig({ jsx: "react", jsxFactory: "a" }, "./common.json"),
      "b.json": tsconfig({ jsxFactory: "b" }, "./common.json"),
      "common.json": tsconfig({ jsx: "preserve" }),
    },
    { jsx: "preserve", jsxFactory: "b" },
  ],
  [
    "files in circles",
    {
      "tsconfig.json": tsconfig({ jsx: "react" }, "./a.json"),
      "a.json": tsconfig({ jsxFactory: "a" }, ["./a.json", "./tsconfig.json"]),
    },
    { jsx: "react", jsxFactory: "a" },
  ],
  ["a missing file", { "tsconfig.json": tsconfig({ jsx: "react" }, "./none") }, { jsx: "react" }],
  [
    "packages, which are ignored",
    {
      "tsconfig.json": tsconfig({}, ["@tsconfig/node20/tsconfig.json", "base"]),
      "base.json": tsconfig({ jsx: "react" }),
      "node_modules/@tsconfig/node20/tsconfig.json": tsconfig({ jsx: "react" }),
    },
    {},
  ],
  [
    "values that are not paths",
    { "tsconfig.json": tsconfig({ jsx: "react" }, [["./a"], null, 5]) },
    { jsx: "react" },
  ],
])("reads a tsconfig.json that extends %s", async (_, files, options) => {
  expect(await read(files)).toEqual(options);
});

it("rejects too long a chain of tsconfig.json files", async () => {
  const chain = Array.from({ length: 40 }, (_, index) => [`${index}.json`, tsconfig({}, `./${index + 1}`)]);
  const files = { ...Object.fromEntries(chain), "tsconfig.json": tsconfig({}, "./0") };
  await expect(read(files)).rejects.toThrow(ArchiveError);
});

it.each([
  ["comments", "/* "],
  ["strings", '\\"'],
  ["commas", ", "],
])("rejects a tsconfig.json with very many %s", async (_, part) => {
  const text = `"${part.repeat(200_000)}`;
  await expect(read(text)).rejects.toThrow(ArchiveError);
  await expect(read(text.slice(1))).rejects.toThrow("tsconfig.json");
});
