import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { servePages } from "./computer-pages.ts";
import { SharedService } from "./shared-service.ts";

const service = await SharedService.use();

const PAGES = {
  "/": `<!doctype html><title>Shop</title><script>
    (async () => {
      document.title = await (await fetch("/price?currency=eur")).text();
      await fetch("/order", { method: "POST", headers: { "content-type": "text/plain" }, body: "one" });
      await fetch("/old").catch(() => {});
      await fetch("/missing");
      document.body.dataset.state = "done";
    })();
  </script>`,
  "/price": "12 EUR",
  "/order": "ordered",
  "/old": "",
};

/** The schemas of HAR 1.2 that the format's validators use. */
function harValidator() {
  const require = createRequire(import.meta.url);
  const names = z.record(z.string(), z.unknown()).parse(require("har-schema"));
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });
  ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
  for (const schema of Object.values(names)) ajv.addSchema(z.record(z.string(), z.unknown()).parse(schema));
  const validate = ajv.getSchema("har.json#");
  if (validate === undefined) throw new Error("har-schema has no schema of a whole file");
  return { validate, errors: () => ajv.errorsText(validate.errors) };
}

test("a session's requests are a HAR file, which a browser plays back", async () => {
  const site = await servePages({
    ...PAGES,
    "/old": (response) => response.writeHead(302, { location: "/price" }).end(),
  });
  const kernel = service.kernel();
  const network = { enabled: true, bodies: true };
  const { session_id: id, cdp_ws_url } = await kernel.browsers.create({
    telemetry: { enabled: true, browser: { network } },
  });
  const browser = await chromium.connectOverCDP(cdp_ws_url);
  const page = browser.contexts()[0]?.pages()[0];
  await page?.goto(site.origin);
  await page?.waitForSelector("[data-state=done]", { state: "attached" });
  await browser.close();
  await site[Symbol.asyncDispose]();

  const read = async () => await (await service.send("GET", `/browsers/${id}/har`)).text();
  await expect.poll(read).toContain("/missing");
  await kernel.browsers.deleteByID(id);
  // Also from the archive of the ended session.
  const file = await read();
  const har: unknown = JSON.parse(file);
  const { validate, errors } = harValidator();
  expect(validate(har), errors()).toBe(true);
  const { log } = z
    .object({
      log: z.object({
        entries: z.array(
          z.object({
            request: z.object({ method: z.string(), url: z.string(), postData: z.unknown().optional() }),
            response: z.object({ status: z.number() }),
          }),
        ),
      }),
    })
    .parse(har);
  const requests = log.entries.map(({ request, response }) => [
    request.method,
    request.url.slice(site.origin.length),
    response.status,
  ]);
  expect(requests).toEqual(
    expect.arrayContaining([
      ["GET", "/", 200],
      ["GET", "/price?currency=eur", 200],
      ["POST", "/order", 200],
      ["GET", "/old", 302],
      ["GET", "/missing", 404],
    ]),
  );

  const folder = mkdtempSync(join(tmpdir(), "har-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "session.har");
  writeFileSync(path, file);
  const player = await kernel.browsers.create();
  const viewer = await chromium.connectOverCDP(player.cdp_ws_url);
  const context = await viewer.newContext();
  await context.routeFromHAR(path, { notFound: "abort" });
  const replayed = await context.newPage();
  await replayed.goto(site.origin);
  await replayed.waitForFunction(() => document.title === "12 EUR");
  await viewer.close();
  await kernel.browsers.deleteByID(player.session_id);
});
