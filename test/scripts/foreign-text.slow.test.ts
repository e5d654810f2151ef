import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { parse } from "acorn";
import { simple } from "acorn-walk";
import { expect, it } from "vitest";
import { redactURL } from "../../src/features/telemetry/redact.ts";
import { readPartHeaders } from "../../src/lib/http/multipart-headers.ts";
import { attacksOn } from "./attack-strings.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const MAX_MS = 50;
const TIMEOUT_MS = 2000;

/** Length of the longest repetition. Quadratic time is far above the limit, even on a fast machine. */
const LENGTH = 64 * 1024;

/** They run in web pages, whose owner can always stop them. */
const IN_PAGES = /^src\/platform\/page-scripts\//;

/** Files that compose regular expressions, with what keeps these linear. */
const COMPOSED: Record<string, string> = {
  "packages/browser-account/src/paths.ts": "parts of fixed length",
  "packages/durable-machine/src/shell/awk-numbers.ts": "a name between constants and single classes",
  "packages/durable-machine/src/shell/bundled-arguments.ts":
    "constants, as below; arguments of a command are bounded",
  "packages/durable-machine/src/shell/commands/checksums.ts": "a fixed number of digits, then one repetition",
  "packages/durable-machine/src/shell/commands/glob.ts": "stars become lookaheads, which do not backtrack",
  "packages/durable-machine/src/shell/commands/line-commands.ts":
    "it matches any text, so it never backtracks",
  "packages/durable-machine/src/shell/commands/parse-date.ts": "words and fixed numbers of digits",
  "packages/durable-machine/src/shell/commands/tr.ts": "single characters and classes",
  "packages/durable-machine/src/shell/commands/xargs.ts": "a copy of a literal",
  "packages/durable-machine/src/shell/transforms/array-declarations.ts":
    "constants; the script's length is bounded",
  "src/lib/http/parse-since.ts": "repeats a literal that ends with a unit",
};

// In a context of its own, which can be stopped while an expression runs.
const MEASURE = new Script(`(() => {
  for (const attack of attacks) {
    const { start, pump, end } = attack;
    const text = start + pump.repeat(Math.ceil(length / pump.length)) + end;
    let ms = Infinity;
    // Other programs may delay one attempt.
    for (let attempt = 0; attempt < 3 && ms > maxMs; attempt += 1) {
      const startedAt = now();
      text.replace(expression, "");
      ms = now() - startedAt;
    }
    if (ms > maxMs) return ms.toFixed() + " ms for " + JSON.stringify(attack);
  }
})()`);

/** @returns undefined if all attacks take little time. */
function measure(expression: RegExp): string | undefined {
  const now = () => performance.now();
  const attacks = attacksOn(expression);
  const context = createContext({ attacks, expression, length: LENGTH, maxMs: MAX_MS, now });
  try {
    return MEASURE.runInContext(context, { timeout: TIMEOUT_MS });
  } catch (error) {
    return String(error);
  }
}

function sourceFiles(): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "src", "packages/*/src/*"];
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !IN_PAGES.test(file));
}

function expressionsOf(file: string): { literals: RegExp[]; composes: boolean } {
  const literals: RegExp[] = [];
  let composes = false;
  const onCall = ({ callee }: { callee: { type: string; name?: string } }) => {
    composes ||= callee.type === "Identifier" && callee.name === "RegExp";
  };
  const code = stripTypeScriptTypes(readFileSync(join(ROOT, file), "utf8"));
  simple(parse(code, { ecmaVersion: "latest", sourceType: "module" }), {
    Literal({ regex }) {
      if (regex) literals.push(new RegExp(regex.pattern, regex.flags));
    },
    NewExpression: onCall,
    CallExpression: onCall,
  });
  return { literals, composes };
}

it("take linear time for any text", { timeout: 240_000 }, () => {
  const measured = new Map<string, string | undefined>();
  const slow: string[] = [];
  const composing: string[] = [];
  for (const file of sourceFiles()) {
    const { literals, composes } = expressionsOf(file);
    if (composes) composing.push(file);
    for (const expression of literals) {
      const key = String(expression);
      if (!measured.has(key)) measured.set(key, measure(expression));
      const result = measured.get(key);
      if (result !== undefined) slow.push(`${file}: ${key} takes ${result}`);
    }
  }
  expect(measured.size).toBeGreaterThan(300);
  expect(slow).toEqual([]);
  expect(composing.toSorted()).toEqual(Object.keys(COMPOSED).toSorted());
});

it.each([
  /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n\0]*?)[ \t]*$/,
  /^([!#$%&'*+.^_`|~\dA-Za-z-]+):[ \t]*(.*?)[ \t]*$/,
  /^(x-(amz|goog)-.*|.*(token|session|otp|auth).*|sig|key|code)$/i,
  /\/+$/,
  /[^/]*$/,
  /^(a+)+$/,
])("are found if they are not linear: %s", (expression) => {
  expect(measure(expression)).toBeDefined();
});

it.each<[string, () => unknown]>([
  ["a header of a form's part", () => readPartHeaders(`\r\na:${" ".repeat(16_000)}\0`, 1)],
  ["the names of parameters", () => redactURL(`https://example.com/?N${"otp".repeat(2600)}%0A=1`)],
])("read %s at once", async (_, read) => {
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const startedAt = performance.now();
    await Promise.try(read).catch(() => undefined);
    times.push(performance.now() - startedAt);
  }
  // The fastest one, because the first compiles the code and any may be interrupted.
  expect(Math.min(...times)).toBeLessThan(MAX_MS);
});

const DECOMPRESSION =
  /DecompressionStream\(|create(Gunzip|Inflate\w*|Unzip|BrotliDecompress)\(|\b(gunzip|inflate|inflateRaw|unzip|brotliDecompress)Sync\(/;

it("only the bounded helpers decompress", () => {
  const files = sourceFiles().filter((file) => DECOMPRESSION.test(readFileSync(join(ROOT, file), "utf8")));
  expect(files.toSorted()).toEqual([
    "packages/durable-machine/src/gunzip.ts",
    "src/lib/archives/raw-deflate.ts",
    "src/lib/archives/zip-content.ts",
  ]);
});
