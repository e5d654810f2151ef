import { describe, expect, it } from "vitest";
import { StartQueue } from "../../../../src/features/apps/invocations/start-queue.ts";
import { pause } from "../../../../src/lib/common/concurrency.ts";

describe("StartQueue", () => {
  it("starts the next when the previous one has ended", async () => {
    const queue = new StartQueue();
    const order: string[] = [];
    const first = await queue.enter();
    const second = queue.enter().then((start) => {
      order.push("second");
      return start;
    });
    await pause(0);
    order.push("first ended");
    first.endSoon();
    (await second).end();
    (await queue.enter()).end();
    expect(order).toEqual(["first ended", "second"]);
  });

  it("does not wait forever for a start that never ends", async () => {
    const queue = new StartQueue();
    await queue.enter();
    await queue.enter();
    await queue.enter();
  });
});
