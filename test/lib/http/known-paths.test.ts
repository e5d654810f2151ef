import { expect, it } from "vitest";
import { KnownPaths } from "../../../src/lib/http/known-paths.ts";

const PATHS = new KnownPaths([
  { method: "ALL", path: "/*" },
  { method: "GET", path: "/things" },
  { method: "POST", path: "/things" },
  { method: "DELETE", path: "/things/:id" },
  { method: "GET", path: "/things/:id/parts/:part{[0-9]+}" },
]);

it.each([
  ["/things", ["GET", "HEAD", "POST"]],
  ["/things/7", ["DELETE"]],
  ["/things/7/parts/1", ["GET", "HEAD"]],
  ["/things/7/parts/x", []],
  ["/other", []],
])("%s allows %j", (path, methods) => {
  expect(PATHS.methodsOf(path)).toEqual(methods);
});
