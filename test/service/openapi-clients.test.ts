import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import openapiTS from "openapi-typescript";
import { expect, test } from "vitest";
import { packageFolder, ROOT } from "../../scripts/local/paths.ts";
import { SharedService } from "../conformance/shared-service.ts";

const service = await SharedService.use();
const source = await (await fetch(`${service.baseURL}/openapi.json`)).text();

test("the OpenAPI document passes the linter", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: {
      "operation-description": "error",
      "no-invalid-media-type-examples": "error",
      "no-invalid-schema-examples": "error",
    },
  });
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
});

/** Code that uses a generated client. */
const CALLS = `
import type { operations, paths } from "./api.ts";

type Body<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  requestBody?: { content: { "application/json": infer Body } };
} ? Body : never;

export const session: Body<"/browsers", "post"> = {};
export const pool: Body<"/browser_pools", "post"> = { size: 1 };
export const change: Body<"/browser_pools/{id_or_name}", "patch"> = { size: 2 };
export const click: Body<"/browsers/{id}/computer/click_mouse", "post"> = { x: 1, y: 2 };
export const keys: Body<"/browsers/{id}/computer/press_key", "post"> = { keys: ["a"] };
export const text: Body<"/browsers/{id}/computer/type", "post"> = { text: "a" };
export const run: Body<"/browsers/{id}/process/exec", "post"> = { command: "ls" };
export const invocation: Body<"/invocations", "post"> = { app_name: "a", action_name: "b", version: "latest" };
export const region: Body<"/browsers/{id}/computer/screenshot", "post"> = {};

type Created = operations["createBrowserSession"]["responses"][200]["content"]["application/json"];
export const id = (created: Created): string => created.session_id;

// @ts-expect-error: required
export const nothing: Body<"/browsers/{id}/computer/click_mouse", "post"> = { x: 1 };
`;

const run = promisify(execFile);

/** With its defaults, version 7 demands fields of components that have a default. It needs TypeScript 5. */
async function generateWithVersion7(folder: string): Promise<void> {
  const packages = join(ROOT, "test/openapi-typescript-7/node_modules");
  writeFileSync(join(folder, "openapi.json"), source);
  const cli = join(packages, "openapi-typescript/bin/cli.js");
  await run(process.execPath, [cli, join(folder, "openapi.json"), "-o", join(folder, "api.ts")]);
}

test.each([
  ["6", async (folder: string) => writeFileSync(join(folder, "api.ts"), await openapiTS(JSON.parse(source)))],
  ["7", generateWithVersion7],
])("a client of openapi-typescript %s accepts valid request bodies", async (_, generate) => {
  const folder = mkdtempSync(join(ROOT, ".wrangler", "client-"));
  try {
    await generate(folder);
    writeFileSync(join(folder, "calls.ts"), CALLS);
    const compilerOptions = { noEmit: true, strict: true, target: "esnext", module: "nodenext", types: [] };
    const options = {
      ...compilerOptions,
      allowImportingTsExtensions: true,
      exactOptionalPropertyTypes: true,
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["calls.ts"] }),
    );
    const tsc = join(packageFolder("typescript"), "bin", "tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch((error) => error);
    expect(stdout).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
