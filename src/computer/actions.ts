import type { MouseButton } from "./mouse.ts";
import type { Point } from "./mouse-path.ts";

/** One thing done with mouse and keyboard. Keys are names as {@link file://./keys.ts} resolves them. */
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
  /** Along a curve and in some time, as a hand does, instead of at once. */
  smooth: boolean;
  /** Of a smooth movement; by its length when absent. */
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
  /** Between the press and the first move. */
  delayMs: number;
  smooth: boolean;
  /** Of a smooth movement; by its length when absent. */
  durationMs?: number;
  /** These two only of one that is not smooth. */
  stepsPerSegment: number;
  stepDelayMs: number;
  holdKeys: string[];
}

export interface Scroll {
  type: "scroll";
  at: Point;
  /** Notches of the wheel to the right and down. */
  notchesX: number;
  notchesY: number;
  holdKeys: string[];
}

export interface TypeText {
  type: "type_text";
  text: string;
  /** Between characters. */
  delayMs: number;
}

export interface PressKey {
  type: "press_key";
  /** Keys or combinations, "Ctrl+t". */
  keys: string[];
  /** How long all are held together; 0: each is tapped, one after the other. */
  durationMs: number;
  holdKeys: string[];
}
