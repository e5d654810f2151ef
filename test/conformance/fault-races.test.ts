import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { Service } from "./service.ts";

const PLACES = 5;
const CALLS = 60;

const createdSchema = z.object({ session_id: z.string() });

let service: Service;

beforeAll(async () => {
  service = await Service.start({ settings: { MAX_CONCURRENT_SESSIONS: String(PLACES) } });
});
afterAll(() => service.end());

function create(body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${service.baseURL}/browsers`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

async function untilNoBrowserIsLeft(): Promise<void> {
  await expect.poll(() => service.browsers(), { timeout: 30_000 }).toEqual([]);
}

test("60 creates racing for 5 places: exactly 5 succeed, and every place is free again after", async () => {
  const kernel = service.kernel();
  const responses = await Promise.all(Array.from({ length: CALLS }, () => create({})));
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(PLACES);
  expect(statuses.filter((status) => status === 429)).toHaveLength(CALLS - PLACES);

  const successful = responses.filter(({ ok }) => ok);
  const created = await Promise.all(
    successful.map(async (response) => createdSchema.parse(await response.json())),
  );
  const ids = created.map(({ session_id }) => session_id).sort();
  const listed = await Array.fromAsync(kernel.browsers.list());
  expect(listed.map(({ session_id }) => session_id).sort()).toEqual(ids);
  expect(service.browsers()).toHaveLength(PLACES);

  await Promise.all(ids.map((id) => kernel.browsers.deleteByID(id)));
  await untilNoBrowserIsLeft();
  expect((await create({ name: "place-is-free" })).status).toBe(200);
  await kernel.browsers.deleteByID("place-is-free");
});

test("racing creates of one name: exactly one succeeds", async () => {
  const responses = await Promise.all(Array.from({ length: PLACES }, () => create({ name: "wanted" })));
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 409, 409, 409, 409]);
  await service.kernel().browsers.deleteByID("wanted");
});

test("a client that leaves during its create leaves nothing that outlives its time-out", async () => {
  await untilNoBrowserIsLeft();
  const since = service.log.mark();
  const leaving = new AbortController();
  const left = create({ name: "abandoned", timeout_seconds: 10 }, leaving.signal).catch((error) => error);
  await service.untilBrowserLaunches();
  leaving.abort();
  expect(await left).toMatchObject({ name: "AbortError" });

  await expect
    .poll(
      async () => {
        const started = service.log.events({ event: "session_started" }, since).length;
        const ended = service.log.events({ event: "session_ended" }, since).length;
        return started === ended ? service.browsers() : "its session lives";
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
  expect(await Array.fromAsync(service.kernel().browsers.list())).toEqual([]);
  expect((await create({ name: "abandoned" })).status).toBe(200);
  await service.kernel().browsers.deleteByID("abandoned");
});
