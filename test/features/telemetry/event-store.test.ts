import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { openArchive, writeArchive } from "../../../src/features/telemetry/archive.ts";
import type { Category, NumberedEvent } from "../../../src/features/telemetry/event.ts";
import { type EventQuery, readEventPage } from "../../../src/features/telemetry/event-pages.ts";
import { EventStore } from "../../../src/features/telemetry/event-store.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";

const QUERY: EventQuery = { order: "asc", limit: 100 };

function event(ts: number, { category = "page", text = "" }: { category?: Category; text?: string } = {}) {
  return { category, type: "t", ts, source: { kind: "cdp" as const }, data: { text } };
}

/** Runs work with a store in an object of its own. */
function withStore<T>(
  work: (store: EventStore, reopen: () => EventStore, dropped: number[]) => Promise<T>,
): Promise<T> {
  const stub = env.BROWSER_SESSION.getByName(newIdentifier());
  return runInDurableObject(stub, async (_, { storage }) => {
    const dropped: number[] = [];
    const open = () => new EventStore(storage, (count) => dropped.push(count));
    return work(open(), open, dropped);
  });
}

function numbers(items: readonly NumberedEvent[]): number[] {
  return items.map(({ seq }) => seq);
}

describe("the events of a session", () => {
  it("are numbered, and numbering continues after a restart", async () => {
    await withStore(async (store, reopen) => {
      expect(store.lastSeq).toBe(0);
      expect(store.list()).toEqual([]);
      store.append(event(1));
      store.append(event(2));
      store.flush();
      const reopened = reopen();
      reopened.append(event(3));
      const { items } = await readEventPage(reopened, QUERY);
      expect(items).toEqual([1, 2, 3].map((seq) => ({ seq, event: event(seq) })));
    });
  });

  it.each<[Partial<EventQuery>, number[], number | undefined]>([
    [{}, [1, 2, 3, 4, 5, 6], undefined],
    [{ limit: 4 }, [1, 2, 3, 4], 5],
    [{ limit: 4, cursor: 5 }, [5, 6], undefined],
    [{ order: "desc", limit: 4 }, [6, 5, 4, 3], 2],
    [{ order: "desc", cursor: 2 }, [2, 1], undefined],
    [{ since: 20, until: 50 }, [2, 3, 4], undefined],
    [{ categories: ["console"], limit: 1 }, [2], 4],
    [{ categories: ["console"], limit: 1, order: "desc" }, [6], 4],
    [{ categories: ["network"] }, [], undefined],
    [{ cursor: 99 }, [], undefined],
  ])("are read by %j", async (query, expected, nextCursor) => {
    const read = await withStore(async (store) => {
      for (let number = 1; number <= 6; number++) {
        store.append(event(number * 10, { category: number % 2 === 0 ? "console" : "page" }));
        if (number % 2 === 1) store.flush();
      }
      const page = await readEventPage(store, { ...QUERY, ...query });
      const session = { organizationId: "o", sessionId: newIdentifier() };
      store.end();
      await writeArchive(env.FILES, session, store);
      const archive = await openArchive(env.FILES, session);
      if (archive === undefined) throw new Error("There is no archive");
      return { page, archived: await readEventPage(archive, { ...QUERY, ...query }) };
    });
    expect(numbers(read.page.items)).toEqual(expected);
    expect(read.page.nextCursor).toBe(nextCursor);
    expect(read.archived).toEqual(read.page);
  });

  it("are archived in one compressed file, of which only parts are read", async () => {
    const session = { organizationId: "o", sessionId: newIdentifier() };
    const text = "x".repeat(50_000);
    await withStore(async (store) => {
      for (let number = 1; number <= 20; number++) store.append(event(number, { text }));
      store.end();
      await writeArchive(env.FILES, session, store);
    });
    const file = await env.FILES.get(`telemetry/o/${session.sessionId}.jsonl.gz`);
    expect(file?.size).toBeLessThan(20 * text.length);
    const archive = await openArchive(env.FILES, session);
    expect(archive?.list().length).toBeGreaterThan(2);
    const get = vi.spyOn(env.FILES, "get");
    const page = archive && (await readEventPage(archive, { ...QUERY, limit: 3, cursor: 12 }));
    expect(get.mock.calls.length).toBeLessThan(archive?.list().length ?? 0);
    get.mockRestore();
    expect(numbers(page?.items ?? [])).toEqual([12, 13, 14]);
    expect(await openArchive(env.FILES, { ...session, organizationId: "other" })).toBeUndefined();
  });

  it("are followed from a number on, also by a slow reader, until the session ends", async () => {
    await withStore(async (store) => {
      store.append(event(1));
      store.append(event(2));
      const fromStart = store.follow(0);
      const fromNow = store.follow(store.lastSeq);
      const third = fromNow.next();
      store.append(event(3));
      expect((await third)?.seq).toBe(3);
      store.append(event(4));
      store.end();
      store.append(event(5));
      const seen: number[] = [];
      for (let item = await fromStart.next(); item !== undefined; item = await fromStart.next())
        seen.push(item.seq);
      expect(seen).toEqual([1, 2, 3, 4]);
      expect((await fromNow.next())?.seq).toBe(4);
      expect(await fromNow.next()).toBeUndefined();
    });
  });

  it("end for a reader that is closed", async () => {
    await withStore(async (store) => {
      const reader = store.follow(0);
      const next = reader.next();
      reader.close();
      expect(await next).toBeUndefined();
    });
  });

  it("drop the oldest when there are too many, and count them", async () => {
    await withStore(async (store, _, dropped) => {
      const text = "x".repeat(250_000);
      for (let number = 1; number <= 80; number++) store.append(event(number, { text }));
      store.flush();
      const [first] = store.list();
      const count = dropped.reduce((sum, each) => sum + each, 0);
      expect(count).toBeGreaterThan(10);
      expect(first?.first).toBe(count + 1);
    });
  });
});
