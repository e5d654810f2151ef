import { describe, expect, it } from "vitest";
import { TouchIds } from "../../../web/live-view/touch-ids.ts";

describe("TouchIds", () => {
  it("numbers fingers from 0 and reuses the numbers of lifted fingers", () => {
    const ids = new TouchIds();
    expect([ids.idOf(-7), ids.idOf(1_234_567_890), ids.idOf(-7)]).toEqual([0, 1, 0]);
    ids.keep([1_234_567_890]);
    expect([ids.idOf(3), ids.idOf(1_234_567_890)]).toEqual([0, 1]);
  });
});
