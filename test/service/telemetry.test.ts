import { expect, test } from "vitest";
import { SharedService } from "../conformance/shared-service.ts";

const service = await SharedService.use();

test("the Kernel SDK lists and follows the events of a session", async () => {
  const { apiKey } = await service.createOrganization();
  const kernel = service.kernel({ apiKey });
  const console = { browser: { console: { enabled: true } } };
  const { session_id: id, telemetry } = await kernel.browsers.create({ telemetry: console });
  expect(telemetry?.browser).toMatchObject({ console: { enabled: true }, control: { enabled: true } });

  const stream = await kernel.browsers.telemetry.stream(id, { replay: "all" });
  const followed: string[] = [];
  const following = (async () => {
    for await (const { event } of stream) followed.push(event.type);
  })();
  const code = `await page.goto("data:text/html,<title>a page</title>"); await page.evaluate(() => console.log("said", 1));`;
  await kernel.browsers.playwright.execute(id, { code });
  await expect.poll(() => followed).toContain("console_log");
  await kernel.browsers.deleteByID(id);
  await following;
  expect(followed.at(0)).toBe("session_started");
  expect(followed.at(-1)).toBe("session_ended");

  const listed = await Array.fromAsync(kernel.browsers.telemetry.events(id, { limit: 2 }));
  expect(listed.map(({ event }) => event.type)).toEqual(followed);
  const query = { category: ["console" as const], order: "desc" };
  const messages = await Array.fromAsync(kernel.browsers.telemetry.events(id, query));
  expect(messages.map(({ event }) => event)).toMatchObject([
    { category: "console", type: "console_log", data: { text: "said", args: ["said", "1"] } },
  ]);
  // Chromium reports a new title late; until then, the address is the title.
  expect(await kernel.browsers.retrieve(id, { include_deleted: true })).toMatchObject({
    evidence: { tabs: [{ title: expect.stringContaining("a page") }] },
  });
});

test("the Kernel SDK streams the logs of files and of the browser", async () => {
  const kernel = service.kernel();
  const { session_id: id } = await kernel.browsers.create();
  const { logs, fs, process, playwright } = kernel.browsers;
  const path = "/tmp/build.log";
  await fs.writeFile(id, Buffer.from("first\nsecond\n"), { path });
  const whole = await Array.fromAsync(await logs.stream(id, { source: "path", path, follow: false }));
  expect(whole).toMatchObject(["first", "second"].map((message) => ({ event: "log", message })));
  expect(Date.parse(whole[0]?.timestamp ?? "")).toBeGreaterThan(Date.now() - 60_000);

  const file = await logs.stream(id, { source: "path", path });
  const browser = await logs.stream(id, { source: "supervisor", supervisor_process: "chromium" });
  const messages: string[] = [];
  const following = [file, browser].map(async (stream) => {
    for await (const { message } of stream) messages.push(message);
  });
  await process.exec(id, { command: "bash", args: ["-c", `echo third >> ${path}`], as_root: true });
  await expect.poll(() => messages).toEqual(["third"]);
  await playwright.execute(id, { code: `await page.evaluate(() => console.warn("said", 1));` });
  await expect.poll(() => messages).toEqual(["third", "[warning] said 1"]);
  await kernel.browsers.deleteByID(id);
  await Promise.all(following);
  await expect(logs.stream(id, { source: "path", path })).rejects.toMatchObject({ status: 404 });
});
