import { describe, expect, it } from "vitest";
import { readInChunks } from "../../src/browser/files/chunks.ts";

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
    ["a piece exactly", [[1, 2, 3]], [[1, 2, 3]]],
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
  ])("cuts %s", async (_, chunks, pieces) => {
    const cut: number[][] = [];
    for await (const piece of readInChunks(toLazyStream(...chunks), 3)) cut.push([...piece]);
    expect(cut).toEqual(pieces);
  });

  it("cancels a stream that is not wanted to its end", async () => {
    let reason: unknown = "not cancelled";
    const endless = new ReadableStream({
      type: "bytes",
      pull: (controller: ReadableByteStreamController) => controller.enqueue(new Uint8Array(4)),
      cancel: (why: unknown) => {
        reason = why;
      },
    });
    for await (const piece of readInChunks(endless, 2)) {
      expect(piece).toHaveLength(2);
      break;
    }
    expect(reason).toBeUndefined();
  });
});
