import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiPages } from "../../scripts/docs/api-pages.ts";
import { readOpenAPIDocument } from "../../scripts/docs/openapi.ts";
import { readSDKMethods, sdkSamples } from "../../scripts/docs/sdk-samples.ts";
import { ROOT, TOOL_FOLDER } from "../../scripts/local/paths.ts";

const methods = readSDKMethods(readFileSync(join(ROOT, "docs", "compatibility.md"), "utf8"));

test("the samples of all operations fit the types of the SDK", async () => {
  const pages = apiPages(await readOpenAPIDocument(), methods);
  const samples = pages.flatMap(({ markdown }) =>
    [...markdown.matchAll(/```ts\nimport.*\n\n([^`]+)```/g)].map(([, code]) => `{\n${code}}\n`),
  );
  expect(samples.length).toBeGreaterThan(120);
  // Within the project, so that the SDK is found.
  mkdirSync(TOOL_FOLDER, { recursive: true });
  const folder = mkdtempSync(join(TOOL_FOLDER, "samples-"));
  try {
    const file = join(folder, "samples.ts");
    writeFileSync(file, `import Kernel from "@onkernel/sdk";\n${samples.join("")}`);
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--target", "esnext"];
    const compiler = join(ROOT, "node_modules", ".bin", "tsc");
    execFileSync(compiler, [...options, "--module", "nodenext", file], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

test.each([
  [
    { method: "GET", path: "/browsers/{id}/fs/watch/{watch_id}/events", query: {} },
    'kernel.browsers.fs.watch.events("the-watch-id", {\n  id: "the-id"\n})',
    'kernel.browsers.fs.watch.events("the-watch-id", id="the-id")',
  ],
  [
    { method: "POST", path: "/org/api_keys", query: {}, body: { name: "ci", project_id: null } },
    'kernel.apiKeys.create({\n  name: "ci",\n  project_id: null\n})',
    'kernel.api_keys.create(name="ci", project_id=None)',
  ],
  [
    { method: "DELETE", path: "/browsers/{id_or_name}", query: {} },
    'kernel.browsers.deleteByID("my-name")',
    'kernel.browsers.delete_by_id("my-name")',
  ],
  [
    {
      method: "POST",
      path: "/browsers/{id}/handoffs",
      query: {},
      body: { instructions: "Log in", pause_agent: true },
    },
    'kernel.post("/browsers/the-id/handoffs", {\n  body: {\n    instructions: "Log in",\n    pause_agent: true\n  }\n})',
    'kernel.post("/browsers/the-id/handoffs", cast_to=object, body={\n    "instructions": "Log in",\n    "pause_agent": True,\n})',
  ],
])("writes %j for both SDKs", (call, script, python) => {
  const samples = sdkSamples(call, methods);
  expect(samples).toContain(`await ${script};`);
  expect(samples).toContain(`answer = ${python}\n`);
});
