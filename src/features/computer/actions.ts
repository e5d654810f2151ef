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

/** Milliseconds that an action takes at least, by its own delays. */
export function shortestDuration(action: ComputerAction): number {
  switch (action.type) {
    case "sleep":
      return action.durationMs;
    case "press_key":
      return action.durationMs;
    case "type_text":
      return action.delayMs * action.text.length;
    case "move_mouse":
      return action.smooth ? (action.durationMs ?? 0) : 0;
    case "drag_mouse": {
      const evenly = (action.path.length - 1) * action.stepsPerSegment * action.stepDelayMs;
      return action.delayMs + (action.smooth ? (action.durationMs ?? 0) : evenly);
    }
    default:
      return 0;
  }
}
