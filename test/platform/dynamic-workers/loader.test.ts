import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { compileScript } from "../../../src/features/playwright/compile-script.ts";
import { nameWorker, toWorkerCode } from "../../../src/platform/dynamic-workers/index.ts";

const codeOf = (js: string, cpuMs = 1000) =>
  toWorkerCode({ mainModule: "a.js", modules: { "a.js": { js } }, outbound: null, cpuMs });

it("names a Worker by its kind, its code and who uses it", async () => {
  const name = await nameWorker("kind", codeOf("1"), "a");
  expect(name).toMatch(/^kind-[0-9a-f]{64}-a$/);
  expect(await nameWorker("kind", codeOf("1"), "a")).toBe(name);
  const others = [
    await nameWorker("kind", codeOf("2"), "a"),
    await nameWorker("kind", codeOf("1", 2000), "a"),
    await nameWorker("kind", codeOf("1"), "b"),
    await nameWorker("other", codeOf("1"), "a"),
  ];
  expect(new Set([name, ...others]).size).toBe(5);
});

it("loads one compiler for each organization, whatever it compiles", async () => {
  const get = vi.spyOn(env.LOADER, "get");
  await compileScript(env, { code: "return 1", organizationId: "a" });
  await compileScript(env, { code: "return 2", organizationId: "a" });
  await compileScript(env, { code: "return 1", organizationId: "b" });
  const names = get.mock.calls.map(([name]) => name ?? "");
  get.mockRestore();
  expect(names[0]).toMatch(/^compiler-[0-9a-f]{64}-a$/);
  expect(names[1]).toBe(names[0]);
  expect(names[2]).toBe(names[0]?.replace(/a$/, "b"));
});
