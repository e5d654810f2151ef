import { expect, it } from "vitest";
import { ArchiveError } from "../../../src/archives/archive-error.ts";
import { readCompilerOptions } from "../../../src/dynamic-workers/runtime/bundling/compiler-options.ts";

it.each([
  ["nothing", undefined, {}],
  ["an empty file", "", {}],
  ["what is no JSON", "{ nonsense", {}],
  ["no object", "[]", {}],
  [
    "what is heeded",
    '{"compilerOptions": {"jsx": "react-jsx", "experimentalDecorators": true}}',
    { jsx: "react-jsx", experimentalDecorators: true },
  ],
  ["what is not", '{"extends": "./base.json", "compilerOptions": {"target": "es5", "outDir": "dist"}}', {}],
  [
    "comments and trailing commas",
    '{ // one\n "compilerOptions": { /* two\n */ "jsxFactory": "h", }, }',
    { jsxFactory: "h" },
  ],
  [
    "what looks like them in texts",
    '{"compilerOptions": {"jsxFactory": "a//b,}", "jsxImportSource": "/*c*/"}}',
    { jsxFactory: "a//b,}", jsxImportSource: "/*c*/" },
  ],
  ["a comment that does not end", '{"compilerOptions": {"jsx": "react"}} /* /* /*', { jsx: "react" }],
  ["a text that does not end", '{"compilerOptions": {"jsx": "react', {}],
  ["a text that ends in an escape", '{"compilerOptions": {"jsx": "react\\', {}],
  ["quotes in a text", '{"compilerOptions": {"jsxFactory": "a\\"//b"}}', { jsxFactory: 'a"//b' }],
])("reads of a tsconfig.json with %s", (_, text, options) => {
  expect(readCompilerOptions(text)).toEqual(options);
});

it.each([
  ["comments", "/* "],
  ["texts", '\\"'],
  ["commas", ", "],
])("refuses a tsconfig.json of many %s at once, however they end", (_, part) => {
  const tsconfig = `"${part.repeat(200_000)}`;
  expect(() => readCompilerOptions(tsconfig)).toThrow(ArchiveError);
  expect(() => readCompilerOptions(tsconfig.slice(1))).toThrow("tsconfig.json");
});
