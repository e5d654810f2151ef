export type { ComputerAction } from "./actions.ts";
export { Computer, type Cursor } from "./computer.ts";
export { drawingOfDialog } from "./dialog-box.ts";
export { InvalidInputError, PageUnresponsiveError } from "./errors.ts";
export { Keyboard, type KeyTarget } from "./keyboard.ts";
export { type Key, MODIFIER, resolveKey } from "./keys.ts";
export type { MouseButton } from "./mouse.ts";
export type { Point } from "./mouse-path.ts";
export type { PageInput } from "./page-input.ts";
