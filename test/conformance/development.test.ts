import { appendFileSync, copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Service } from "./service.ts";
import { ROOT } from "./service-client.ts";

const SOURCES = [
  ...["src", "packages", "web", "docs", "scripts", "migrations"],
  ...["package.json", "package-lock.json", "wrangler.toml", "tsconfig.json", ".dev.vars"],
];

const BUILD_TIMEOUT_MS = 90_000;

let sources: string;
let service: Service;

beforeAll(async () => {
  sources = mkdtempSync(join(tmpdir(), "dev-"));
  for (const name of SOURCES) {
    const filter = (path: string) => !path.endsWith("node_modules");
    cpSync(join(ROOT, name), join(sources, name), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, "node_modules"), join(sources, "node_modules"));
  service = await Service.start({ sources, switches: ["--reload"] });
});
afterAll(async () => {
  await service?.end();
  rmSync(sources, { recursive: true, force: true });
});

test("npm run dev keeps running after a change that does not build, and starts again after one that does", async () => {
  const entry = join(sources, "src", "index.ts");
  const original = join(sources, "index.ts.original");
  copyFileSync(entry, original);
  const { session_id } = await service.kernel().browsers.create();

  let mark = service.log.mark();
  appendFileSync(entry, "const unfinished = ;");
  await service.log.waitForText(/Unexpected ";"/, { since: mark, withinMs: BUILD_TIMEOUT_MS });
  expect(await service.kernel().browsers.retrieve(session_id)).toMatchObject({ session_id });

  mark = service.log.mark();
  copyFileSync(original, entry);
  appendFileSync(entry, 'console.log("changed sources");');
  await service.log.waitForText(/^Berth has restarted/m, { since: mark, withinMs: BUILD_TIMEOUT_MS });
  await expect
    .poll(() => service.kernel().browsers.retrieve(session_id, { include_deleted: true }))
    .toMatchObject({ end_reason: "browser_lost" });
});
