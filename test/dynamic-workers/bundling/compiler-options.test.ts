import { expect, it } from "vitest";
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
])("reads of a tsconfig.json with %s", (_, text, options) => {
  expect(readCompilerOptions(text)).toEqual(options);
});
