import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { DocumentedService, NEED_REGISTRY } from "../conformance/documentation/documented-service.ts";
import { ROOT } from "../conformance/service-client.ts";

let service: DocumentedService;

beforeAll(async () => {
  service = await DocumentedService.start();
});
afterAll(() => service?.end());

test.each(NEED_REGISTRY)(
  "every code block of %s works with packages from the registry",
  async (page) => {
    await service.runPage(readFileSync(join(ROOT, page), "utf8"), { usesRealNpm: true });
  },
  300_000,
);
