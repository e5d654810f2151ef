import { describe, expect, it } from "vitest";
import { readInChunks } from "../../../src/platform/browser/files/chunks.ts";

function toLazyStream(...chunks: number[][]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    start(controller) {
      for (const chunk of chunks.filter(({ length }) => length > 0)) {
        controller.enqueue(new Uint8Array(chunk));
      }
      controller.close();
    },
  });
}

describe("readInChunks", () => {
  it.each<[string, number[][], number[][]]>([
    ["nothing", [], []],
    ["less than a piece", [[1], [2]], [[1, 2]]],
    ["exactly one piece", [[1, 2, 3]], [[1, 2, 3]]],
    ["chunks larger than pieces", [[1, 2, 3, 4, 5, 6, 7]], [[1, 2, 3], [4, 5, 6], [7]]],
    [
      "chunks across pieces",
      [
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
      ],
      [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8],
      ],
    ],
  ])("splits %s", async (_, chunks, pieces) => {
    const received: number[][] = [];
    for await (const piece of readInChunks(toLazyStream(...chunks), 3)) received.push([...piece]);
    expect(received).toEqual(pieces);
  });

  it("cancels the stream when its reader stops early", async () => {
    let reason: unknown = "not cancelled";
    const endless = new ReadableStream({
      type: "bytes",
      pull: (controller: ReadableByteStreamController) => controller.enqueue(new Uint8Array(4)),
      cancel: (given: unknown) => {
        reason = given;
      },
    });
    for await (const piece of readInChunks(endless, 2)) {
      expect(piece).toHaveLength(2);
      break;
    }
    expect(reason).toBeUndefined();
  });
});
