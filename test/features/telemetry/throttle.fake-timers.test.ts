import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Throttle } from "../../../src/features/telemetry/observers/throttle.ts";

beforeEach(() => void vi.useFakeTimers());

function open() {
  const dropped: number[] = [];
  const throttle = new Throttle((count) => dropped.push(count));
  onTestFinished(() => throttle.close());
  const addSource = () => {
    const source = {
      enable: vi.fn(async () => undefined),
      disable: vi.fn(async () => undefined),
      drop: vi.fn(() => ({ end: () => undefined })),
    };
    const maySend = throttle.add(source);
    /** @returns how many of the events were recorded. */
    const send = (count: number) =>
      Array.from({ length: count }, () => throttle.admit(source)).filter(Boolean).length;
    return { ...source, maySend, send };
  };
  return { throttle, dropped, addSource };
}

describe("Throttle", () => {
  it("stops a source that floods, for the rest of the second", () => {
    const { addSource, dropped } = open();
    const source = addSource();
    expect(source.send(999)).toBe(200);
    expect(source.disable).not.toHaveBeenCalled();
    expect(source.send(100)).toBe(0);
    expect(source.disable).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1000);
    expect(source.enable).toHaveBeenCalledOnce();
    expect(dropped).toEqual([899]);
    expect(source.send(1)).toBe(1);
  });

  it("pauses a source for longer each time that it floods again", () => {
    const { addSource } = open();
    const source = addSource();
    const pauses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      source.enable.mockClear();
      source.send(1000);
      let seconds = 0;
      for (; source.enable.mock.calls.length === 0; seconds += 1) vi.advanceTimersByTime(1000);
      pauses.push(seconds);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 8]);
    vi.advanceTimersByTime(1000);
    source.enable.mockClear();
    source.send(1000);
    vi.advanceTimersByTime(1000);
    expect(source.enable).toHaveBeenCalledOnce();
  });

  it("records those that do not flood beside one that does", () => {
    const { addSource } = open();
    const [quiet, loud] = [addSource(), addSource()];
    expect(quiet.send(1)).toBe(1);
    expect(loud.send(900)).toBe(199);
    expect(quiet.send(50)).toBe(19);
    expect(loud.disable).toHaveBeenCalledOnce();
    expect(quiet.disable).not.toHaveBeenCalled();
  });

  it("shares what a session may receive between the sources that flood it", () => {
    const { addSource } = open();
    const sources = [addSource(), addSource(), addSource(), addSource()];
    for (const source of sources) source.send(1);
    for (const source of sources) source.send(249);
    for (const source of sources) expect(source.disable).toHaveBeenCalledOnce();
  });

  it("shares what an isolate may receive between the sessions that flood it", () => {
    const [one, other] = [open(), open()];
    const [ofOne, ofOther] = [one.addSource(), other.addSource()];
    ofOne.send(1000);
    ofOther.send(1000);
    vi.advanceTimersByTime(1000);
    for (const source of [ofOne, ofOther]) {
      source.disable.mockClear();
      source.send(500);
      expect(source.disable).toHaveBeenCalledOnce();
    }
    vi.advanceTimersByTime(3000);
    ofOne.disable.mockClear();
    ofOne.send(999);
    expect(ofOne.disable).not.toHaveBeenCalled();
  });

  it("lets sources that come in a flood wait", () => {
    const { addSource } = open();
    for (let count = 0; count < 1000; count += 1) addSource().send(1);
    const late = addSource();
    expect(late.maySend).toBe(false);
    vi.advanceTimersByTime(1000);
    expect(late.enable).toHaveBeenCalledOnce();
    expect(addSource().maySend).toBe(true);
  });
});
