import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DocumentedService, NEED_REGISTRY } from "./documentation/documented-service.ts";
import { ROOT } from "./service-client.ts";

const PAGES = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).filter(
  (page) => !NEED_REGISTRY.includes(page),
);

let service: DocumentedService;

beforeAll(async () => {
  service = await DocumentedService.start();
});
afterAll(() => service?.end());

describe("every code block works as pasted", () => {
  test.each(PAGES)("%s", async (page) => {
    await service.runPage(readFileSync(join(ROOT, page), "utf8"));
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
    await expect(service.runPage(page)).rejects.toThrow();
  });

  test("a session that stays open", async () => {
    const page =
      '```sh\ncurl -X POST $KERNEL_BASE_URL/browsers -H "authorization: Bearer $KERNEL_API_KEY"\n```';
    await expect(service.runPage(page)).rejects.toThrow("the page ends its sessions");
  });
});
