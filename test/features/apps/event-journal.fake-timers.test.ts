import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { EventJournal } from "../../../src/features/apps/event-journal.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";

function withJournal<R>(
  work: (journal: EventJournal<{ name: string }>, storage: DurableObjectStorage) => Promise<R>,
) {
  return runInDurableObject(env.DEPLOYMENT.getByName(newIdentifier()), (_, { storage }) =>
    work(new EventJournal(storage), storage),
  );
}

it("delivers past and new events and lines in order until it ends", async () => {
  await withJournal(async (journal) => {
    journal.record({ name: "first" }, 1);
    journal.log([{ at: 2, text: "second" }]);
    const reader = journal.read();
    expect(await reader.next()).toEqual({ type: "event", at: 1, event: { name: "first" } });
    expect(await reader.next()).toEqual({ type: "line", at: 2, text: "second" });
    const third = reader.next();
    journal.record({ name: "third" }, 3);
    journal.record({ name: "fourth" }, 4);
    journal.end();
    expect(await third).toMatchObject({ at: 3 });
    expect(await reader.next()).toMatchObject({ at: 4 });
    expect(await reader.next()).toBeUndefined();
  });
});

it("persists across restarts of the object", async () => {
  await withJournal(async (journal, storage) => {
    journal.record({ name: "kept" }, 1);
    const restarted = new EventJournal(storage);
    expect(await restarted.read().next()).toEqual({ type: "event", at: 1, event: { name: "kept" } });
  });
});

it("sends a heartbeat to an idle reader", async () => {
  await withJournal(async (journal) => {
    journal.record({ name: "only" }, 1);
    const reader = journal.read();
    await reader.next();
    vi.useFakeTimers();
    const next = reader.next();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await next).toMatchObject({ type: "heartbeat" });
    reader.close();
  });
});

it("releases a waiting reader that is closed", async () => {
  await withJournal(async (journal) => {
    journal.record({ name: "only" }, 1);
    const reader = journal.read();
    await reader.next();
    const next = reader.next();
    reader.close();
    expect(await next).toBeUndefined();
    expect(await reader.next()).toBeUndefined();
  });
});

it("deletes lines before a time and returns the time of the oldest one left", async () => {
  await withJournal(async (journal) => {
    journal.record({ name: "kept" }, 1);
    journal.log([
      { at: 1, text: "old" },
      { at: 5, text: "young" },
    ]);
    expect(journal.deleteLinesBefore(5)).toBe(5);
    expect(journal.deleteLinesBefore(6)).toBeUndefined();
    journal.log([{ at: 7, text: "new" }]);
    journal.end();
    const reader = journal.read();
    expect([await reader.next(), await reader.next(), await reader.next()]).toMatchObject([
      { event: { name: "kept" } },
      { text: "… 2 earlier lines are not kept" },
      { text: "new" },
    ]);
  });
});

it("starts reading at a time and reports no later lines as deleted", async () => {
  await withJournal(async (journal) => {
    journal.record({ name: "before" }, 1);
    // Two sources, each in its own order.
    journal.log([
      { at: 2, text: "early" },
      { at: 6, text: "first" },
    ]);
    journal.log([
      { at: 4, text: "of another batch" },
      { at: 7, text: "last" },
    ]);
    journal.end();
    const reader = journal.read(5);
    const entries: unknown[] = [];
    for (let entry = await reader.next(); entry !== undefined; entry = await reader.next())
      entries.push(entry);
    expect(entries).toEqual([
      { type: "line", at: 6, text: "first" },
      { type: "line", at: 4, text: "of another batch" },
      { type: "line", at: 7, text: "last" },
    ]);
  });
});

it("waits when nothing has happened since that time", async () => {
  await withJournal(async (journal) => {
    journal.record({ name: "before" }, 1);
    const reader = journal.read(5);
    const next = reader.next();
    journal.record({ name: "after" }, 6);
    expect(await next).toMatchObject({ at: 6 });
    reader.close();
  });
});
