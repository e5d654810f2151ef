import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { prepareBrowser } from "../../scripts/local/browser.ts";
import { type CodeBlock, readCodeBlocks } from "./documentation/code-blocks.ts";
import { ExampleSite } from "./documentation/example-site.ts";
import { PageRun } from "./documentation/page-runner.ts";
import { Service } from "./service.ts";
import { ROOT } from "./service-client.ts";

/** They install packages that this project does not have; test/exhaustive/recipes.test.ts runs them. */
const NEED_REGISTRY = ["stagehand", "crawlee", "mcp", "playwright-test"].map(
  (name) => `docs/recipes/${name}.md`,
);

const PAGES = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT })].filter(
  (page) => !NEED_REGISTRY.includes(page),
);

let site: ExampleSite;
let service: Service;

beforeAll(async () => {
  const { executable } = await prepareBrowser(new AbortController().signal);
  site = await ExampleSite.start(executable);
  service = await Service.start({ settings: { CHROME_PATH: site.chromePath } });
});
afterAll(async () => {
  await service?.end();
  site?.end();
});

async function runPage(blocks: readonly CodeBlock[]): Promise<void> {
  const { apiKey } = await service.createOrganization();
  const kernel = service.kernel({ apiKey });
  const run = new PageRun(blocks, {
    env: { KERNEL_BASE_URL: service.baseURL, KERNEL_API_KEY: apiKey, ADMIN_TOKEN: service.adminToken },
  });
  try {
    const skipped = await run.run();
    if (skipped.length > 0) console.warn(`Not run: ${skipped.join("; ")}`);
  } finally {
    run.end();
  }
  expect(await Array.fromAsync(kernel.browsers.list()), "the page ends its sessions").toEqual([]);
}

describe("every code block works as pasted", () => {
  test.each(PAGES)("%s", async (page) => {
    await runPage(readCodeBlocks(readFileSync(join(ROOT, page), "utf8")));
  });
});

describe("a code block that does not work fails its page", () => {
  test.each([
    ["a command", "```sh\nfalse\n```"],
    [
      "a request",
      '```sh\ncurl $KERNEL_BASE_URL/browsers/none -H "authorization: Bearer $KERNEL_API_KEY"\n```',
    ],
    ["an undefined variable", "```sh\necho $NOT_SET\n```"],
    ["a program", '```js\n// a.mjs\nthrow new Error("no");\n```'],
    ["a program without a name", "```js\n1;\n```"],
    ["an unknown package", "```sh\nnpm install no-such-package-anywhere\n```"],
    ["an unknown language", "```rust\n```"],
    ["invalid JSON", "```json\n{\n```"],
  ])("%s", async (_, page) => {
    await expect(runPage(readCodeBlocks(page))).rejects.toThrow();
  });

  test("a session that stays open", async () => {
    const page =
      '```sh\ncurl -X POST $KERNEL_BASE_URL/browsers -H "authorization: Bearer $KERNEL_API_KEY"\n```';
    await expect(runPage(readCodeBlocks(page))).rejects.toThrow("the page ends its sessions");
  });
});
