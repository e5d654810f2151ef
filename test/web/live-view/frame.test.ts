import { describe, expect, it } from "vitest";
import { readFrame } from "../../../web/live-view/frame.ts";

describe("readFrame", () => {
  it("reads number, size and picture", () => {
    const message = Uint8Array.of(0x80, 0, 0, 1, 0x05, 0x00, 0x03, 0x20, 0xff, 0xd8).buffer;
    const frame = readFrame(message);
    expect(frame).toMatchObject({ number: 0x8000_0001, page: { width: 1280, height: 800 } });
    expect(new Uint8Array(frame?.picture ?? new ArrayBuffer(0))).toEqual(Uint8Array.of(0xff, 0xd8));
  });

  it.each([0, 7, 8])("ignores a message of %i bytes", (length) => {
    expect(readFrame(new ArrayBuffer(length))).toBeUndefined();
  });
});
