import { expect, test } from "vitest";
import { z } from "zod";
import { useService } from "./use-service.ts";

const MAX_SESSIONS = 5;
const REQUESTS = 60;

const createdSchema = z.object({ session_id: z.string() });

const service = await useService({ settings: { MAX_CONCURRENT_SESSIONS: String(MAX_SESSIONS) } });

function create(body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${service.baseURL}/browsers`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

async function waitForNoBrowsers(): Promise<void> {
  await expect.poll(() => service.browsers(), { timeout: 30_000 }).toEqual([]);
}

test("of 60 concurrent creates exactly 5 succeed, and deleting them frees their slots", async () => {
  const kernel = service.kernel();
  const responses = await Promise.all(Array.from({ length: REQUESTS }, () => create({})));
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_SESSIONS);
  expect(statuses.filter((status) => status === 429)).toHaveLength(REQUESTS - MAX_SESSIONS);

  const successful = responses.filter(({ ok }) => ok);
  const created = await Promise.all(
    successful.map(async (response) => createdSchema.parse(await response.json())),
  );
  const ids = created.map(({ session_id }) => session_id).sort();
  const listed = await Array.fromAsync(kernel.browsers.list());
  expect(listed.map(({ session_id }) => session_id).sort()).toEqual(ids);
  expect(service.browsers()).toHaveLength(MAX_SESSIONS);

  await Promise.all(ids.map((id) => kernel.browsers.deleteByID(id)));
  await waitForNoBrowsers();
  expect((await create({ name: "place-is-free" })).status).toBe(200);
  await kernel.browsers.deleteByID("place-is-free");
});

test("of concurrent creates with the same name exactly one succeeds", async () => {
  const responses = await Promise.all(Array.from({ length: MAX_SESSIONS }, () => create({ name: "wanted" })));
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 409, 409, 409, 409]);
  await service.kernel().browsers.deleteByID("wanted");
});

test("a session created by a client that disconnected ends after its timeout", async () => {
  await waitForNoBrowsers();
  const since = service.log.mark();
  const disconnect = new AbortController();
  const aborted = create({ name: "abandoned", timeout_seconds: 10 }, disconnect.signal).catch(
    (error) => error,
  );
  await service.waitForBrowserLaunch();
  disconnect.abort();
  expect(await aborted).toMatchObject({ name: "AbortError" });

  await expect
    .poll(
      async () => {
        const started = service.log.events({ event: "session_started" }, since).length;
        const ended = service.log.events({ event: "session_ended" }, since).length;
        return started === ended ? service.browsers() : "the session has not ended";
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
  expect(await Array.fromAsync(service.kernel().browsers.list())).toEqual([]);
  expect((await create({ name: "abandoned" })).status).toBe(200);
  await service.kernel().browsers.deleteByID("abandoned");
});
