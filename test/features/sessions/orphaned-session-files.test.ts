import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sweepSessions } from "../../../src/features/sessions/lifecycle/sweep.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { BrowserBroker } from "../../../src/platform/broker/index.ts";
import { insertEndedRow } from "../../records.ts";

// The brokers would check the sessions of all files.
beforeEach(() => void vi.spyOn(BrowserBroker.prototype, "reconcile").mockResolvedValue());
afterEach(() => vi.restoreAllMocks());

const HOUR_MS = 3_600_000;

/** The first minute of an hour in which the files are old enough. */
const FULL_HOUR = Math.ceil(Date.now() / HOUR_MS + 1) * HOUR_MS;

let kept: string[];
let orphaned: string[];

const keysOf = (id: string) => [`telemetry/o/${id}.jsonl.gz`, `evidence/o/${id}.jpg`];

/** Sessions of other tests may still store files. */
const storedKeys = async () => {
  const { objects } = await env.FILES.list();
  return objects
    .map(({ key }) => key)
    .filter((key) => key.includes("/o/"))
    .sort();
};

beforeEach(async () => {
  const { id } = await insertEndedRow({ organizationId: "o" });
  kept = [...keysOf(id), "telemetry/o/foreign", "other/o/x.jpg"].sort();
  orphaned = keysOf(newIdentifier());
  await env.FILES.delete(await storedKeys());
  for (const key of [...kept, ...orphaned]) await env.FILES.put(key, "content");
});

it("events and screenshots go when their session is not listed any more", async () => {
  await sweepSessions(env, FULL_HOUR);
  expect(await storedKeys()).toEqual(kept);
});

it.each([
  ["in another minute", FULL_HOUR + 60_000],
  ["while they are new", Math.floor(Date.now() / HOUR_MS) * HOUR_MS],
])("they stay %s", async (_, now) => {
  await sweepSessions(env, now);
  expect(await storedKeys()).toEqual([...kept, ...orphaned].sort());
});
