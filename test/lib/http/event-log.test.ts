import { describe, expect, it } from "vitest";
import { EventLog, type EventReader } from "../../../src/lib/http/event-log.ts";

const newLog = (capacity: number) => new EventLog<string>({ capacity, sizeOf: (text) => text.length });

async function readAll(reader: EventReader<string>): Promise<string> {
  const events: string[] = [];
  for (let event = await reader.next(); event !== undefined; event = await reader.next()) events.push(event);
  return events.join("");
}

/** Reports whether a promise settles on microtasks alone. */
async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  const settled = { value: promise === undefined };
  void promise?.then(() => {
    settled.value = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  return settled.value;
}

describe("EventLog", () => {
  it("repeats buffered events to every reader, then streams new ones", async () => {
    const log = newLog(10);
    log.append("a");
    const early = readAll(log.read());
    log.append("b");
    const late = readAll(log.read());
    log.append("c");
    log.end();
    expect(await Promise.all([early, late, readAll(log.read())])).toEqual(["abc", "abc", "abc"]);
  });

  it("drops the oldest events without readers and never blocks the writer", async () => {
    const log = newLog(3);
    for (const letter of "abcdefg") expect(log.append(letter)).toSatisfy(() => true);
    log.end();
    expect(await readAll(log.read())).toBe("efg");
  });

  it("keeps a single event larger than its capacity", async () => {
    const log = newLog(3);
    log.append("a");
    log.append("very large");
    log.end();
    expect(await readAll(log.read())).toBe("very large");
  });

  it("makes the writer wait for a slow reader and drops nothing unread", async () => {
    const log = newLog(3);
    const reader = log.read();
    for (const letter of "abc") expect(log.append(letter)).toBeUndefined();
    const waiting = log.append("d");
    expect(await isSettled(waiting)).toBe(false);
    expect(await reader.next()).toBe("a");
    expect(await isSettled(waiting)).toBe(true);
    log.end();
    expect(await readAll(reader)).toBe("bcd");
  });

  it("drops unread events when the writer cannot wait", async () => {
    const log = new EventLog<string>({ capacity: 2, sizeOf: () => 1, dropsUnread: true });
    const reader = log.read();
    for (const event of ["a", "b", "c", "d"]) log.append(event);
    expect([await reader.next(), await reader.next()]).toEqual(["c", "d"]);
    log.append("e");
    expect(await reader.next()).toBe("e");
  });

  it("tells a reader how many events it has missed", async () => {
    const log = new EventLog<string>({
      capacity: 2,
      sizeOf: () => 1,
      dropsUnread: true,
      describeMissed: (count) => `${count} missed`,
    });
    const reader = log.read();
    for (const event of ["a", "b", "c", "d"]) log.append(event);
    log.end();
    expect(await readAll(reader)).toBe("2 missedcd");
  });

  it("has readers of new events only, and knows whether it has readers", async () => {
    const log = newLog(9);
    for (const letter of "ab") log.append(letter);
    expect(log.isRead).toBe(false);
    const reader = log.read({ onlyNew: true });
    expect(log.isRead).toBe(true);
    log.append("c");
    expect(await reader.next()).toBe("c");
    reader.close();
    expect(log.isRead).toBe(false);
  });

  it("resumes the writer when the slow reader closes", async () => {
    const log = newLog(1);
    const reader = log.read();
    log.append("a");
    const waiting = log.append("b");
    expect(await isSettled(waiting)).toBe(false);
    reader.close();
    expect(await isSettled(waiting)).toBe(true);
  });

  it("resumes the writer when the log ends", async () => {
    const log = newLog(1);
    log.read();
    log.append("a");
    const waiting = log.append("b");
    log.end();
    expect(await isSettled(waiting)).toBe(true);
  });

  it("ends a waiting reader when it is closed", async () => {
    const log = newLog(1);
    const reader = log.read();
    const next = reader.next();
    reader.close();
    expect(await next).toBeUndefined();
  });

  it("ignores events after its end", async () => {
    const log = newLog(9);
    log.append("a");
    log.end();
    log.append("b");
    expect(await readAll(log.read())).toBe("a");
  });
});
