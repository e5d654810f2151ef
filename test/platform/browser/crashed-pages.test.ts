import { expect, it } from "vitest";
import { CrashedPages } from "../../../src/platform/browser/relay/crashed-pages.ts";
import { inspectCommand } from "../../../src/platform/browser/relay/intercepted-methods.ts";

const GESTURE = '{"id":1,"method":"Input.synthesizeTapGesture","params":{"x":1,"y":1},"sessionId":"A"}';

it("refuses gestures in a crashed page until it is reloaded", () => {
  const pages = new CrashedPages();
  const inspect = (frame: string) => inspectCommand(frame, undefined, (sessionId) => pages.has(sessionId));
  expect(inspect(GESTURE)).toHaveProperty("frame");
  pages.handleFrame('{"method":"Inspector.targetCrashed","params":{},"sessionId":"A"}');
  expect(inspect(GESTURE)).toMatchObject({ id: 1, sessionId: "A", interception: { action: "refuse" } });
  expect(inspect(GESTURE.replace('"A"', '"B"'))).toHaveProperty("frame");
  pages.handleFrame('{"method":"Inspector.targetReloadedAfterCrash","params":{},"sessionId":"A"}');
  expect(inspect(GESTURE)).toHaveProperty("frame");
});

it("tracks the page that a connection is to", () => {
  const pages = new CrashedPages();
  pages.handleFrame('{"method":"Inspector.targetCrashed","params":{}}');
  expect(pages.has(undefined)).toBe(true);
  expect(pages.has("A")).toBe(false);
});

it("ignores similar text from a page", () => {
  const pages = new CrashedPages();
  pages.handleFrame(
    '{"id":1,"result":{"value":"{\\"method\\":\\"Inspector.targetCrashed\\"}"},"sessionId":"A"}',
  );
  expect(pages.has("A")).toBe(false);
});
