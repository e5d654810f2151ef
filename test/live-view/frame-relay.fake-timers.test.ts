import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ScreencastFrame } from "../../src/browser/tabs/screencast.ts";
import { encodeFrame, type FrameReceiver, FrameRelay } from "../../src/live-view/frame-relay.ts";

/** Somebody who looks, and draws a frame only when told to. */
class Receiver implements FrameReceiver {
  readonly given: number[] = [];
  isReady = true;

  receiveFrame(number: number): void {
    this.given.push(number);
    this.isReady = false;
  }
}

const FRAME: ScreencastFrame = { data: "AAAA", pageWidth: 800, pageHeight: 600 };

/** A browser that casts, over a relay of 10 frames per second. */
class Cast {
  readonly receivers: Receiver[];
  readonly relay: FrameRelay;
  /** When each acknowledgement came, in milliseconds from the beginning. */
  readonly acknowledged: number[] = [];
  /** How often the relay wanted the screencast begun anew. */
  missed = 0;
  readonly #begun = Date.now();

  constructor(...receivers: Receiver[]) {
    this.receivers = receivers;
    this.relay = new FrameRelay(this.receivers, 10, () => {
      this.missed += 1;
    });
  }

  frame(): void {
    this.relay.handleFrame(FRAME, () => this.acknowledged.push(Date.now() - this.#begun));
  }

  /** The receiver has drawn what it was given. */
  draw(receiver: Receiver): void {
    receiver.isReady = true;
    this.relay.pump();
  }
}

describe("a frame relay", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("gives each frame once to all who are ready", () => {
    const cast = new Cast(new Receiver(), new Receiver());
    cast.frame();
    cast.relay.pump();
    cast.relay.pump();
    for (const { given } of cast.receivers) expect(given).toEqual([1]);
  });

  it("lets who is slow miss frames, and gives them the latest then", () => {
    const [quick, slow] = [new Receiver(), new Receiver()];
    const cast = new Cast(quick, slow);
    for (let frame = 1; frame <= 5; frame += 1) {
      cast.frame();
      cast.draw(quick);
      vi.advanceTimersByTime(100);
    }
    expect(quick.given).toEqual([1, 2, 3, 4, 5]);
    expect(slow.given).toEqual([1]);
    cast.draw(slow);
    expect(slow.given).toEqual([1, 5]);
  });

  it("acknowledges no faster than the refresh rate, however fast frames are drawn", () => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    for (let time = 0; time < 1000; time += 10) {
      cast.frame();
      cast.draw(receiver);
      vi.advanceTimersByTime(10);
    }
    expect(cast.acknowledged.length).toBeGreaterThan(8);
    expect(cast.acknowledged.length).toBeLessThanOrEqual(11);
    for (const [index, at] of cast.acknowledged.entries()) {
      expect(at - (cast.acknowledged[index - 1] ?? -100)).toBeGreaterThanOrEqual(100);
    }
  });

  it("acknowledges no faster than the fastest draws, with one frame ahead", () => {
    const [quick, never] = [new Receiver(), new Receiver()];
    const cast = new Cast(quick, never);
    cast.frame();
    vi.advanceTimersByTime(1000);
    expect(cast.acknowledged).toHaveLength(1);
    cast.frame();
    vi.advanceTimersByTime(10_000);
    expect(cast.acknowledged).toHaveLength(1);
    cast.draw(quick);
    vi.advanceTimersByTime(100);
    expect(cast.acknowledged).toHaveLength(2);
    expect(quick.given).toEqual([1, 2]);
    expect(never.given).toEqual([1]);
  });

  it("acknowledges at once when the last acknowledgement is long past", () => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    cast.frame();
    vi.advanceTimersByTime(5000);
    cast.draw(receiver);
    cast.frame();
    vi.advanceTimersByTime(0);
    expect(cast.acknowledged).toEqual([0, 5000]);
  });

  it("follows a change of the refresh rate", () => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    cast.relay.refreshRate = 50;
    for (let time = 0; time < 200; time += 5) {
      cast.frame();
      cast.draw(receiver);
      vi.advanceTimersByTime(5);
    }
    expect(cast.acknowledged.slice(0, 4)).toEqual([0, 20, 40, 60]);
  });

  it("acknowledges nothing while nobody looks, and goes on with who comes", () => {
    const cast = new Cast();
    cast.frame();
    vi.advanceTimersByTime(1000);
    expect(cast.acknowledged).toEqual([]);
    const receiver = new Receiver();
    cast.receivers.push(receiver);
    cast.relay.pump();
    vi.advanceTimersByTime(0);
    expect(receiver.given).toEqual([1]);
    expect(cast.acknowledged).toEqual([1000]);
  });

  it("shows who comes late the frame that the others see", () => {
    const cast = new Cast(new Receiver());
    cast.frame();
    vi.advanceTimersByTime(1000);
    const late = new Receiver();
    cast.receivers.push(late);
    cast.relay.pump();
    expect(late.given).toEqual([1]);
  });

  it.each([
    [2, 0],
    [3, 1],
    [8, 1],
  ])("takes the last of %i frames that nobody was ready for %i times for missed", (frames, missed) => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    cast.frame();
    vi.advanceTimersByTime(1000);
    for (let frame = 0; frame < frames; frame += 1) cast.frame();
    expect(cast.missed).toBe(0);
    for (let drawn = 0; drawn < frames; drawn += 1) {
      cast.draw(receiver);
      vi.advanceTimersByTime(100);
    }
    expect(cast.acknowledged).toHaveLength(1 + frames);
    expect(cast.missed).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(cast.missed).toBe(missed);
  });

  it("takes the last of many frames for missed once the browser is quiet, and no sooner", () => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    for (let frame = 0; frame < 20; frame += 1) {
      cast.frame();
      cast.draw(receiver);
      vi.advanceTimersByTime(100);
    }
    expect(cast.missed).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(cast.missed).toBe(1);
    cast.frame();
    cast.draw(receiver);
    vi.advanceTimersByTime(1000);
    expect(cast.missed).toBe(1);
  });

  it("forgets on reset what it was to show and to acknowledge", () => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    cast.frame();
    cast.frame();
    cast.relay.reset();
    cast.draw(receiver);
    vi.advanceTimersByTime(1000);
    expect(cast.acknowledged).toEqual([]);
    expect(receiver.given).toEqual([1]);
    cast.frame();
    vi.advanceTimersByTime(0);
    expect(receiver.given).toEqual([1, 3]);
    expect(cast.acknowledged).toEqual([1000]);
  });
});

describe("encodeFrame", () => {
  const picture = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 37 + 250) % 256);

  it.each([0, 1, 2, 3, 4, 5, 6, 3000, 3001, 3002])(
    "has the %i bytes of the picture behind the header",
    (length) => {
      const bytes = picture(length);
      const message = encodeFrame(1, { data: bytes.toBase64(), pageWidth: 1, pageHeight: 1 });
      expect(message).toHaveLength(8 + length);
      expect(message.subarray(8)).toEqual(bytes);
    },
  );

  it("tells number, width and height in the header, big-endian", () => {
    const message = encodeFrame(0x01020304, { data: "", pageWidth: 2560, pageHeight: 1440 });
    expect([...message]).toEqual([1, 2, 3, 4, 0x0a, 0x00, 0x05, 0xa0]);
    const largest = encodeFrame(0xffffffff, { data: "", pageWidth: 65_535, pageHeight: 1 });
    expect([...largest]).toEqual([255, 255, 255, 255, 255, 255, 0, 1]);
  });
});
