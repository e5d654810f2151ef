import { describe, expect, it } from "vitest";
import { matching, toCommand } from "../../../web/console/app/shortcuts.ts";

const PLAIN = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

describe("toCommand", () => {
  it.each([
    [{ key: "k", ctrlKey: true }, "palette"],
    [{ key: "K", metaKey: true }, "palette"],
    [{ key: "k" }, undefined],
    [{ key: "k", ctrlKey: true, shiftKey: true }, undefined],
    [{ key: "k", ctrlKey: true, altKey: true }, undefined],
    [{ key: "/" }, "search"],
    [{ key: "/", shiftKey: true }, "search"],
    [{ key: "/", ctrlKey: true }, undefined],
    [{ key: "?", shiftKey: true }, "keys"],
    [{ key: "?", altKey: true }, undefined],
    [{ key: "k", ctrlKey: true, metaKey: true }, undefined],
    [{ key: "a" }, undefined],
  ])("makes %j %j", (press, expected) => {
    expect(toCommand({ ...PLAIN, ...press })).toBe(expected);
  });
});

describe("matching", () => {
  const pools = { href: "/pools", label: "Pools", kind: "Page", detail: "Browsers" };
  const newPool = { href: "/pools/new", label: "New pool", kind: "Action" };
  const session = { href: "/sessions/1", label: "checkout", kind: "Session", detail: "o4h8w2" };
  const entries = [pools, newPool, session];

  it.each([
    ["", [], [pools, newPool, session]],
    ["", [session], [session, pools, newPool]],
    ["POOL", [], [pools, newPool]],
    ["pool", [newPool, session], [newPool, pools]],
    ["pool  new", [], [newPool]],
    ["o4h8", [], [session]],
    ["browsers", [], [pools]],
    ["nothing", [session], []],
  ])("finds for %j, with %j as recent, %j", (text, recent, expected) => {
    expect(matching(entries, recent, text)).toEqual(expected);
  });
});
