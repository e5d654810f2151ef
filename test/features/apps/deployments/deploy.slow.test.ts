import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { deploymentFileKey } from "../../../../src/features/apps/deployments/files.ts";
import { deploymentSchema } from "../../../../src/features/apps/deployments/schema.ts";
import { newClient } from "../../../api.ts";
import { buildZip } from "../../../lib/archives/zip-builder.ts";
import {
  type AppSources,
  appSource,
  deploy,
  deployAndWait,
  deploymentForm,
  isSettled,
  postDeployment,
  readEventsUntil,
  waitUntilSettled,
} from "./deployments.ts";

const client = await newClient();

async function filesOf(id: string): Promise<string[]> {
  const prefix = deploymentFileKey(client.organizationId, id, "source").replace(/[^/]*$/, "");
  const { objects } = await env.FILES.list({ prefix });
  return objects.map(({ key }) => key.slice(prefix.length));
}

it("reports each step of a deployment, and its apps before the last step", async () => {
  const { id, status } = await deploy(client, { "index.ts": appSource("steps", "go") });
  expect(status).toBe("queued");
  const events = await readEventsUntil(client, id, isSettled);
  const steps = events.map((event) => {
    if (event.event === "deployment_state") return event.deployment.status;
    return event.event === "log" ? event.message.split(" ")[0] : event.event;
  });
  expect(steps).toEqual(["queued", "in_progress", "Bundling", "Loading", "app_version_summary", "running"]);
  expect(events).toContainEqual(
    expect.objectContaining({ app_name: "steps", version: "latest", actions: [{ name: "go" }] }),
  );
  const body = (await client.get(`/deployments/${id}`)).read(deploymentSchema);
  expect(events.at(-1)).toMatchObject({ deployment: body });
  expect(await filesOf(id)).toEqual(["bundle.js", "bundle.js.map"]);
});

describe("deploys an app", () => {
  const cases: Record<string, AppSources> = {
    "with several files": {
      "index.ts": `import { name } from "./lib/name";\n${appSource("several").replace('"several"', "name")}`,
      "lib/name.ts": 'export const name: string = "several";',
    },
    "whose sources import compiled file names": {
      "index.ts": `import { name } from "./name.js";\n${appSource("x").replace('"x"', "name")}`,
      "name.ts": 'export enum Name { app = "named" }\nexport const name: string = Name.app;',
    },
    "in JavaScript": {
      "index.ts": 'import "./app.mjs";',
      "app.mjs": appSource("x").replace(": { invocation_id: string }", ""),
    },
    "with JSON data": {
      "index.ts": `import { name } from "./data.json";\n${appSource("x").replace('"x"', "name")}`,
      "data.json": '{"name": "data"}',
    },
    "with its own package": {
      "index.ts": `import naming from "naming";\n${appSource("x").replace('"x"', "naming.name")}`,
      "package.json":
        '{"dependencies": {"naming": "^1.0.0", "playwright-core": "*"}, "devDependencies": {"none": "*"}}',
      "node_modules/naming/package.json": '{"name": "naming", "version": "1.0.0", "main": "lib"}',
      "node_modules/naming/lib/index.js":
        'const { join } = require("path"); try { require("optional") } catch {} exports.name = join("a", "b");',
      "node_modules/naming/lib/index.d.ts": "nonsense",
      "node_modules/naming/lib/index.js.map": "nonsense",
    },
    "with provided packages in preference to its own": {
      "index.ts": `import { chromium } from "playwright-core";\n${appSource("x").replace('"x"', "chromium.name()")}`,
      "node_modules/@onkernel/sdk/index.js": "throw new Error('not this one')",
      "node_modules/playwright-core/index.js": "throw new Error('not this one')",
    },
    "that is exported and uses another copy of the SDK": {
      "index.ts":
        'export default { name: "exported", actions: new Map([["run", { name: "run", handler() {} }]]) };',
    },
    "with JSX and decorators configured in tsconfig.json": {
      "index.tsx": "",
      "index.ts": `import { name } from "./name.tsx";\n${appSource("x").replace('"x"', "name")}`,
      "name.tsx":
        "const h = (tag: string) => tag; function d(c: unknown) { return c as never; }\n@d class A {}\nexport const name = <jsx />;",
      "tsconfig.json":
        '{"compilerOptions": {"jsx": "react", "jsxFactory": "h", "experimentalDecorators": true, } }',
    },
    "with assigned class fields configured in tsconfig.json": {
      "index.ts": `class Name { full = this.given.trim(); constructor(private given: string) {} }
${appSource("x").replace('"x"', 'new Name("assigned").full')}`,
      "tsconfig.json": '{"extends": "./tsconfig.base.json"}',
      "tsconfig.base.json": '{"compilerOptions": {"target": "ES2020"}}',
    },
    "without its optional modules": {
      "index.ts": `try { await import("optional"); } catch {}
try { require("optional"); } catch {}
try { require.resolve("optional"); } catch {}
try { await import("playwright-core/lib/none"); } catch {}
await import("optional").catch(() => {});
import "packed";
${appSource("optional")}`,
      "node_modules/packed/index.js":
        "exports.find = () => [require.resolve('optional'), require('optional'), require.resolve('./index.js')];",
    },
  };
  it.each(Object.entries(cases))("%s", async (_, sources) => {
    const deployment = await deployAndWait(client, sources);
    expect(deployment.status_reason).toBeUndefined();
    expect(deployment.status).toBe("running");
  });

  it("with variables available on load, whose values are not returned", async () => {
    const source = `if (process.env.TOKEN !== "se%cret 1") throw new Error("no token");\n${appSource("env")}`;
    const deployment = await deployAndWait(
      client,
      { "index.ts": source },
      { "env_vars[TOKEN]": "se%cret 1" },
    );
    expect(deployment).toMatchObject({ status: "running", env_vars: { TOKEN: "" } });
    expect((await client.get("/apps?app_name=env")).json).toMatchObject([{ env_vars: { TOKEN: "" } }]);
    const { results } = await env.DB.prepare("SELECT * FROM deployments WHERE id = ?")
      .bind(deployment.id)
      .all();
    expect(JSON.stringify(results)).not.toContain("se%cret");
  });
});

it("follows symlinks inside the zip and ignores others", async () => {
  const entries = [
    {
      name: "src/index.ts",
      content: `import { name } from "./lib/name";\n${appSource("x").replace('"x"', "name")}`,
    },
    { name: "common/name.ts", content: 'export const name = "linked";' },
    { name: "index.ts", content: "src/index.ts", mode: 0o120777 },
    { name: "src/lib", content: "../common", mode: 0o120777 },
    { name: ".venv/bin/python", content: "/usr/bin/python3", mode: 0o120777 },
    { name: ".cache", content: "../../.cache", mode: 0o120777 },
  ];
  const answer = await postDeployment(client, deploymentForm(buildZip(entries)));
  const { id } = answer.read(deploymentSchema);
  expect(await waitUntilSettled(client, id)).toMatchObject({ status: "running" });
  expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "linked" }]);
});

describe("the default import of a compiled CommonJS module", () => {
  const compiled = {
    "node_modules/compiled/package.json": "{}",
    "node_modules/compiled/index.js": `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.name = "all";`,
  };
  const importing =
    'import compiled from "compiled";\nexport const name = compiled ? compiled.name : "default";';
  const index = `import { name } from "imported";\n${appSource("x").replace('"x"', "name")}`;
  const toFile = (path: string) => index.replace("imported", path);
  it.each<[string, string, AppSources]>([
    ["its default in a CommonJS file", "default", { "index.ts": toFile("./a"), "a.ts": importing }],
    [
      "the whole module in a module by extension",
      "all",
      { "index.ts": toFile("./a.mjs"), "a.mts": importing },
    ],
    [
      "the whole module in a module by package type",
      "all",
      { "index.ts": toFile("./a.js"), "a.ts": importing, "package.json": '{"type": "module"}' },
    ],
    [
      "its default in a CommonJS package",
      "default",
      {
        "index.ts": index,
        "package.json": '{"type": "module"}',
        "node_modules/imported/package.json": "{}",
        "node_modules/imported/index.js": importing,
      },
    ],
    [
      "the whole module in an ESM package",
      "all",
      {
        "index.ts": index,
        "node_modules/imported/package.json": '{"type": "module"}',
        "node_modules/imported/index.js": importing,
      },
    ],
  ])("is %s", async (_, name, sources) => {
    const { id, status_reason } = await deployAndWait(client, { ...compiled, ...sources });
    expect(status_reason).toBeUndefined();
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: name }]);
  });
});

describe("a failed deployment reports", () => {
  const cases: [string, AppSources, string | RegExp][] = [
    [
      "a syntax error",
      { "index.ts": 'import "./lib/a";', "lib/a.ts": "\nconst a = (((" },
      /lib\/a\.ts:2:14: Unexpected end of file/,
    ],
    ["a missing file", { "index.ts": '\n\nimport "./none";' }, 'index.ts:3:8: Could not resolve "./none"'],
    [
      "a missing package",
      { "index.ts": 'import x from "left-pad";\nconsole.log(x);' },
      'index.ts:1:15: Could not resolve "left-pad"',
    ],
    [
      "a subpath of a provided package",
      { "index.ts": 'import x from "@onkernel/sdk/none";\nconsole.log(x);' },
      /index\.ts:1:15: .*provides only the main module of/,
    ],
    [
      "a missing package in a dynamic import",
      { "index.ts": 'const x = await import("left-pad");\nconsole.log(x);' },
      'index.ts:1:24: Could not resolve "left-pad"',
    ],
    [
      "a missing export",
      { "index.ts": 'import { b } from "./lib/a";\nconsole.log(b);', "lib/a.ts": "export const a = 1;" },
      'index.ts:1:10: No matching export in "lib/a.ts" for import "b"',
    ],
    [
      "a missing export of a module by package type",
      {
        "index.ts": 'import { b } from "./lib/a.js";\nconsole.log(b);',
        "lib/a.ts": "export const a = 1;",
        "package.json": '{"type": "module"}',
      },
      'index.ts:1:10: No matching export in "lib/a.ts" for import "b"',
    ],
    [
      "an error on load of a module by package type",
      {
        "index.ts": 'import "./lib/a.js";',
        "lib/a.ts": "interface Long { a: string }\n\nthrow new TypeError('boom');",
        "package.json": '{"type": "module"}',
      },
      /TypeError: boom.*lib\/a\.ts:3:7/s,
    ],
    ["a warning", { "index.ts": "export const a = { b: 1, b: 2 };" }, /index\.ts:1:26: Duplicate key "b"/],
    [
      "an error on load",
      {
        "index.ts": 'import "./lib/a";',
        "lib/a.ts":
          "interface Long { a: string }\n\nfunction fail() {\n  throw new TypeError('boom');\n}\nfail();",
      },
      /TypeError: boom.*lib\/a\.ts:4:9.*lib\/a\.ts:6:1/s,
    ],
    [
      "an error in a file with a hashbang",
      { "index.ts": "#!/usr/bin/env node\n\nexport const a = 1; throw new Error('boom');" },
      /Error: boom.*index\.ts:3:27/s,
    ],
    [
      "a long error, truncated",
      { "index.ts": 'throw new Error("words ".repeat(1_000_000));' },
      /^The app cannot be loaded: Error: (words ){1000,1400}wo?r?d?s?…$/,
    ],
    [
      "a load that never ends",
      { "index.ts": "await new Promise(() => {});" },
      /cannot be loaded|took longer than 10 s/,
    ],
    [
      "an error in chained calls",
      {
        "index.ts": `const fail = (v: number) => {
  throw new Error("boom " + v);
};
[1, 2]
  .map((v) => v + 1)
  .map((v) => fail(v))
  .map((v) => v)
  .filter((v) => v);`,
      },
      /boom 2.*index\.ts:2:9.*index\.ts:6:15.*index\.ts:6:4/s,
    ],
    ["a thrown value that is not an error", { "index.ts": "throw { a: 1 };" }, /cannot be loaded/],
    [
      "a missing module in a computed import",
      { "index.ts": 'const name = "no" + "ne";\nawait import(name);' },
      /No such module "none"/,
    ],
    [
      "an endless loop",
      { "index.ts": "let i = 0;\n\nwhile (true) i++;" },
      /\(an endless loop\?\).*index\.ts:3/s,
    ],
    ["a missing app", { "index.ts": "export default 1;" }, /defines no app/],
    [
      "an app without actions",
      { "index.ts": 'import Kernel from "@onkernel/sdk";\nnew Kernel().app("idle");' },
      /"idle" has no actions/,
    ],
    ["requests on load", { "index.ts": 'await fetch("https://example.com");' }, /cannot be loaded/],
  ];
  it.each(cases)("%s", async (_, sources, reason) => {
    const { id } = await deploy(client, sources);
    const events = await readEventsUntil(client, id, () => false);
    const [error, last] = events.slice(-2);
    expect(last).toMatchObject({ event: "deployment_state", deployment: { status: "failed" } });
    const { status_reason = "" } = (await client.get(`/deployments/${id}`)).read(deploymentSchema);
    if (typeof reason === "string") expect(status_reason).toContain(reason);
    else expect(status_reason).toMatch(reason);
    expect(error).toMatchObject({
      event: "error",
      error: { code: "deployment_failed", message: status_reason },
    });
    expect(status_reason).not.toMatch(/app\.js|app-runner|app-describer|app:\/|module\.mjs|berth-/);
    expect(await filesOf(id)).toEqual([]);
    expect((await client.get(`/apps?query=${id}`)).json).toEqual([]);
  });
});
