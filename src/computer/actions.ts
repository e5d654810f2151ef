import type { MouseButton } from "./mouse.ts";
import type { Point } from "./mouse-path.ts";

/** {@link file://./keys.ts} lists the key names. */
export type ComputerAction =
  | MoveMouse
  | ClickMouse
  | DragMouse
  | Scroll
  | TypeText
  | PressKey
  | { type: "set_cursor"; hidden: boolean }
  | { type: "sleep"; durationMs: number };

export interface MoveMouse {
  type: "move_mouse";
  to: Point;
  /** Moves along a curve over time, as a hand does. */
  smooth: boolean;
  durationMs?: number;
  holdKeys: string[];
}

export interface ClickMouse {
  type: "click_mouse";
  at: Point;
  button: MouseButton;
  clickType: "click" | "down" | "up";
  count: number;
  holdKeys: string[];
}

export interface DragMouse {
  type: "drag_mouse";
  path: Point[];
  button: MouseButton;
  delayMs: number;
  smooth: boolean;
  durationMs?: number;
  stepsPerSegment: number;
  stepDelayMs: number;
  holdKeys: string[];
}

export interface Scroll {
  type: "scroll";
  at: Point;
  notchesX: number;
  notchesY: number;
  holdKeys: string[];
}

export interface TypeText {
  type: "type_text";
  text: string;
  delayMs: number;
}

export interface PressKey {
  type: "press_key";
  keys: string[];
  /** How long the keys are held together; 0 taps them one by one. */
  durationMs: number;
  holdKeys: string[];
}
