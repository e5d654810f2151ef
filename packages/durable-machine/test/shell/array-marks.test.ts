import { expect, it } from "vitest";
import { ARRAY_MARKS, markArrays, unmarkArrays } from "../../src/shell/array-marks.ts";

const { open, close, newline } = ARRAY_MARKS;

it.each([
  { text: "local a=(x)", marked: `local a=${open} x ${close}` },
  {
    text: 'f() { local -a a=("$@") b=(); }',
    marked: `f() { local -a a=${open} "$@" ${close} b=${open}  ${close}; }`,
  },
  { text: "export a+=($(f \"(\" ')') ${x%)})", marked: `export a+=${open} $(f "(" ')') \${x%)} ${close}` },
  { text: "declare a=(\n'x\ny')", marked: `declare a=${open}  ${newline} 'x\ny' ${close}` },
])("marks the arrays of $text", ({ text, marked }) => {
  expect(markArrays(text)).toBe(marked);
  expect(unmarkArrays(marked)).toBe(text);
});

it.each([
  "a=(x)",
  "echo local 'a=(x)'",
  "# local a=(",
  "local a=(x # one\n)",
  "local a=(x",
  'local a="(x)"',
  "localize a=(x)",
])("leaves %s as it is", (text) => {
  expect(markArrays(text)).toBe(text);
});
