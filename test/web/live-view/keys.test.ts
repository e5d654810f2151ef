import { describe, expect, it } from "vitest";
import { viewerMessageSchema } from "../../../src/features/live-view/protocol.ts";
import {
  completesLeaveChord,
  isAddressShortcut,
  isComposed,
  isPasteShortcut,
  type KeyState,
  remoteKey,
  remoteModifiers,
} from "../../../web/live-view/keys.ts";

const ALT = 1;
const CONTROL = 2;
const META = 4;
const SHIFT = 8;

const PLAIN = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
const ctrlKey = { ctrlKey: true };
const metaKey = { metaKey: true };
const altKey = { altKey: true };
const shiftKey = { shiftKey: true };

function keyState({
  hasAltGraph = false,
  ...state
}: Partial<KeyState> & { hasAltGraph?: boolean }): KeyState {
  const rest = { key: "a", code: "KeyA", keyCode: 65, location: 0, repeat: false, isComposing: false };
  return { ...PLAIN, ...rest, getModifierState: (name) => hasAltGraph && name === "AltGraph", ...state };
}

describe("remoteModifiers", () => {
  it.each([
    [{}, false, 0],
    [{ ...altKey, ...shiftKey }, false, ALT | SHIFT],
    [ctrlKey, false, CONTROL],
    [metaKey, false, META],
    [metaKey, true, CONTROL],
    [ctrlKey, true, CONTROL],
    [{ ...metaKey, ...shiftKey }, true, CONTROL | SHIFT],
  ])("maps %j, on a Mac: %j, to %i", (state, isMac, bits) => {
    expect(remoteModifiers({ ...PLAIN, ...state }, isMac)).toBe(bits);
  });
});

describe("remoteKey", () => {
  it("creates a valid key message", () => {
    const message = remoteKey(keyState({ key: "A", ...shiftKey, repeat: true }), "down", false);
    expect(viewerMessageSchema.parse(message)).toEqual({
      type: "key",
      action: "down",
      key: "A",
      code: "KeyA",
      keyCode: 65,
      location: 0,
      repeat: true,
      modifiers: SHIFT,
    });
  });

  it("maps Command on a Mac to Control", () => {
    const command = keyState({ key: "Meta", code: "MetaRight", keyCode: 93, location: 2, ...metaKey });
    expect(remoteKey(command, "down", true)).toMatchObject({
      key: "Control",
      code: "ControlRight",
      keyCode: 17,
    });
    expect(remoteKey(command, "down", false)).toMatchObject({ key: "Meta", code: "MetaRight", keyCode: 93 });
    expect(remoteKey(keyState({ key: "c", ...metaKey }), "down", true)).toMatchObject({ modifiers: CONTROL });
  });

  it.each([
    ["AltGr", { key: "@", ...altKey, ...ctrlKey, hasAltGraph: true }, false, 0],
    ["AltGr and Shift", { key: "¿", ...altKey, ...ctrlKey, ...shiftKey, hasAltGraph: true }, false, SHIFT],
    ["Option", { key: "ø", ...altKey }, true, 0],
    ["Alt of a shortcut", { key: "d", ...altKey }, false, ALT],
    ["Control and Alt of a shortcut", { key: "d", ...altKey, ...ctrlKey }, false, ALT | CONTROL],
    ["Option and Command of a shortcut", { key: "∂", ...altKey, ...metaKey }, true, ALT | CONTROL],
    ["Option with a key that is not a character", { key: "ArrowLeft", ...altKey }, true, ALT],
  ])("omits modifiers that only produce the character: %s", (_, state, isMac, modifiers) => {
    expect(remoteKey(keyState(state), "down", isMac).modifiers).toBe(modifiers);
  });
});

describe("isComposed", () => {
  it.each([
    [{ key: "a" }, false],
    [{ key: "Enter" }, false],
    [{ key: "Enter", isComposing: true }, true],
    [{ key: "Dead" }, true],
    [{ key: "Process", keyCode: 229 }, true],
    [{ key: "Unidentified", keyCode: 0 }, true],
    [{ key: "a", keyCode: 229 }, true],
  ])("for %j is %j", (state, composed) => {
    expect(isComposed(keyState(state))).toBe(composed);
  });
});

describe("shortcuts of the page", () => {
  const v = { key: "v", code: "KeyV", keyCode: 86 };

  it.each([
    [{ ...v, ...ctrlKey }, false, true],
    [{ ...v, ...ctrlKey, ...shiftKey }, false, true],
    // Cyrillic layout
    [{ ...v, key: "м", ...ctrlKey }, false, true],
    [{ ...v, ...metaKey }, true, true],
    [{ ...v, ...ctrlKey }, true, false],
    [{ ...v, ...metaKey }, false, false],
    [{ ...v, ...ctrlKey, ...altKey }, false, false],
    [v, false, false],
    [{ key: "Insert", keyCode: 45, ...shiftKey }, false, true],
    [{ key: "Insert", keyCode: 45, ...ctrlKey }, false, false],
  ])("%j, on a Mac: %j, pastes: %j", (state, isMac, pastes) => {
    expect(isPasteShortcut(keyState(state), isMac)).toBe(pastes);
  });

  it("focus the address with Control or Command and L", () => {
    const l = { key: "l", keyCode: 76 };
    expect(isAddressShortcut(keyState({ ...l, ...ctrlKey }), false)).toBe(true);
    expect(isAddressShortcut(keyState({ ...l, ...metaKey }), true)).toBe(true);
    expect(isAddressShortcut(keyState({ ...l, ...ctrlKey, ...shiftKey }), false)).toBe(false);
    expect(isAddressShortcut(keyState(l), false)).toBe(false);
  });

  it.each([
    [{ key: "Shift", ...ctrlKey, ...altKey, ...shiftKey }, true],
    [{ key: "Control", ...ctrlKey, ...altKey, ...shiftKey }, true],
    [{ key: "Shift", ...ctrlKey, ...shiftKey }, false],
    [{ key: "x", ...ctrlKey, ...altKey, ...shiftKey }, false],
    [{ key: "Shift", ...ctrlKey, ...altKey, ...shiftKey, hasAltGraph: true }, false],
  ])("%j completes the leave chord: %j", (state, leaves) => {
    expect(completesLeaveChord(keyState(state))).toBe(leaves);
  });
});
