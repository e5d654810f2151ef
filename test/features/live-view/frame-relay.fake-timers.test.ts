import { beforeEach, describe, expect, it, vi } from "vitest";
import { encodeFrame, type FrameReceiver, FrameRelay } from "../../../src/features/live-view/frame-relay.ts";
import type { ScreencastFrame } from "../../../src/platform/browser/tabs/screencast.ts";

/** A viewer that is not ready again until `Cast.draw` is called. */
class Receiver implements FrameReceiver {
  readonly received: number[] = [];
  isReady = true;

  receiveFrame(number: number): void {
    this.received.push(number);
    this.isReady = false;
  }
}

const FRAME: ScreencastFrame = { data: "AAAA", pageWidth: 800, pageHeight: 600 };

/** A browser's screencast through a relay of 10 frames per second. */
class Cast {
  readonly receivers: Receiver[];
  readonly relay: FrameRelay;
  /** Times of the acknowledgements, in milliseconds since the start. */
  readonly acknowledged: number[] = [];
  missed = 0;
  readonly #startedAt = Date.now();

  constructor(...receivers: Receiver[]) {
    this.receivers = receivers;
    this.relay = new FrameRelay(this.receivers, 10, () => {
      this.missed += 1;
    });
  }

  frame(): void {
    this.relay.handleFrame(FRAME, () => this.acknowledged.push(Date.now() - this.#startedAt));
  }

  draw(receiver: Receiver): void {
    receiver.isReady = true;
    this.relay.pump();
  }
}

describe("FrameRelay", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: 1_000_000 });
  });

  it("sends each frame once to all ready receivers", () => {
    const cast = new Cast(new Receiver(), new Receiver());
    cast.frame();
    cast.relay.pump();
    cast.relay.pump();
    for (const { received } of cast.receivers) expect(received).toEqual([1]);
  });

  it("skips frames for slow receivers and sends them the latest", () => {
    const [quick, slow] = [new Receiver(), new Receiver()];
    const cast = new Cast(quick, slow);
    for (let frame = 1; frame <= 5; frame += 1) {
      cast.frame();
      cast.draw(quick);
      vi.advanceTimersByTime(100);
    }
    expect(quick.received).toEqual([1, 2, 3, 4, 5]);
    expect(slow.received).toEqual([1]);
    cast.draw(slow);
    expect(slow.received).toEqual([1, 5]);
  });

  it("acknowledges no faster than the refresh rate", () => {
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

  it("acknowledges one frame ahead of the fastest receiver", () => {
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
    expect(quick.received).toEqual([1, 2]);
    expect(never.received).toEqual([1]);
  });

  it("acknowledges immediately when the last acknowledgement was long ago", () => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    cast.frame();
    vi.advanceTimersByTime(5000);
    cast.draw(receiver);
    cast.frame();
    vi.advanceTimersByTime(0);
    expect(cast.acknowledged).toEqual([0, 5000]);
  });

  it("applies a changed refresh rate", () => {
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

  it("acknowledges nothing without receivers and resumes with the next one", () => {
    const cast = new Cast();
    cast.frame();
    vi.advanceTimersByTime(1000);
    expect(cast.acknowledged).toEqual([]);
    const receiver = new Receiver();
    cast.receivers.push(receiver);
    cast.relay.pump();
    vi.advanceTimersByTime(0);
    expect(receiver.received).toEqual([1]);
    expect(cast.acknowledged).toEqual([1000]);
  });

  it("sends the current frame to new receivers", () => {
    const cast = new Cast(new Receiver());
    cast.frame();
    vi.advanceTimersByTime(1000);
    const late = new Receiver();
    cast.receivers.push(late);
    cast.relay.pump();
    expect(late.received).toEqual([1]);
  });

  it.each([
    [2, 0],
    [3, 1],
    [8, 1],
  ])("after %i unacknowledged frames reports %i missed", (frames, missed) => {
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

  it("reports a missed frame once, when the browser becomes idle", () => {
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

  it("drops pending frames and acknowledgements on reset", () => {
    const receiver = new Receiver();
    const cast = new Cast(receiver);
    cast.frame();
    cast.frame();
    cast.relay.reset();
    cast.draw(receiver);
    vi.advanceTimersByTime(1000);
    expect(cast.acknowledged).toEqual([]);
    expect(receiver.received).toEqual([1]);
    cast.frame();
    vi.advanceTimersByTime(0);
    expect(receiver.received).toEqual([1, 3]);
    expect(cast.acknowledged).toEqual([1000]);
  });
});

describe("encodeFrame", () => {
  const picture = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 37 + 250) % 256);

  it.each([0, 1, 2, 3, 4, 5, 6, 3000, 3001, 3002])(
    "appends the %i bytes of the picture to the header",
    (length) => {
      const bytes = picture(length);
      const message = encodeFrame(1, { data: bytes.toBase64(), pageWidth: 1, pageHeight: 1 });
      expect(message).toHaveLength(8 + length);
      expect(message.subarray(8)).toEqual(bytes);
    },
  );

  it("writes number, width and height to the header, big-endian", () => {
    const message = encodeFrame(0x01020304, { data: "", pageWidth: 2560, pageHeight: 1440 });
    expect([...message]).toEqual([1, 2, 3, 4, 0x0a, 0x00, 0x05, 0xa0]);
    const largest = encodeFrame(0xffffffff, { data: "", pageWidth: 65_535, pageHeight: 1 });
    expect([...largest]).toEqual([255, 255, 255, 255, 255, 255, 0, 1]);
  });
});
