import type { Dialog, Tab } from "../browser/index.ts";
import type { DialogLayout, Rectangle } from "../page-scripts/drawing.ts";
import { type Key, textUnder } from "./keys.ts";
import { LineField } from "./line-field.ts";

const WIDTH = 448;
const HEIGHT = 232;
const PADDING = 24;
const BUTTON = { width: 84, height: 36 };

/** Whether something is typed into a dialog. */
export function hasField(kind: Dialog["kind"]): boolean {
  return kind === "prompt" || kind === "file";
}

/** The parts of a dialog on a page of that width: always in the same places, however long its message is. */
export function layOutDialog(pageWidth: number, kind: Dialog["kind"]): DialogLayout {
  const width = Math.min(WIDTH, pageWidth);
  const x = Math.round((pageWidth - width) / 2);
  const inner = { x: x + PADDING, width: width - 2 * PADDING };
  const right = inner.x + inner.width;
  const buttonTop = HEIGHT - PADDING - BUTTON.height;
  const first = { x: right - BUTTON.width, y: buttonTop, ...BUTTON };
  const second = { ...first, x: first.x - BUTTON.width - 8 };
  return {
    box: { x, y: 0, width, height: HEIGHT },
    title: { ...inner, y: 20, height: 24 },
    message: { ...inner, y: 52, height: hasField(kind) ? 60 : 108 },
    ...(hasField(kind) ? { field: { ...inner, y: 118, height: 36 } } : {}),
    ...(kind === "alert" ? { accept: first } : { accept: second, dismiss: first }),
  };
}

/** What a dialog's buttons say. */
export function labelButtons(kind: Dialog["kind"]): { accept: string; dismiss: string } {
  if (kind === "beforeunload") return { accept: "Leave", dismiss: "Cancel" };
  return { accept: kind === "file" ? "Open" : "OK", dismiss: "Cancel" };
}

const fields = new WeakMap<Dialog, LineField>();

/** What is typed into a dialog so far. */
export function dialogField(dialog: Dialog): LineField {
  const field = fields.get(dialog) ?? new LineField(dialog.defaultText);
  fields.set(dialog, field);
  return field;
}

/** Answers a tab's open dialog with what was typed into it. */
export async function answerDialog(tab: Tab, accept: boolean): Promise<void> {
  const { dialog } = tab;
  if (dialog === undefined) return;
  const text = accept && hasField(dialog.kind) ? dialogField(dialog).text : undefined;
  await tab.answerDialog(accept, text);
}

/** What a key does to an open dialog: Return and Escape answer it, others edit what is typed. */
export async function pressInDialog(tab: Tab, key: Key, modifiers: number): Promise<void> {
  if (key.key === "Enter") await answerDialog(tab, true);
  else if (key.key === "Escape") await answerDialog(tab, false);
  else if (tab.dialog !== undefined && hasField(tab.dialog.kind))
    dialogField(tab.dialog).press(key, modifiers, textUnder(key, modifiers));
}

/** What a click does while a dialog is open: only its buttons can be clicked. */
export async function clickInDialog(tab: Tab, pageWidth: number, x: number, y: number): Promise<void> {
  if (tab.dialog === undefined) return;
  const { accept, dismiss } = layOutDialog(pageWidth, tab.dialog.kind);
  if (contains(accept, x, y)) await answerDialog(tab, true);
  else if (dismiss !== undefined && contains(dismiss, x, y)) await answerDialog(tab, false);
}

function contains(rectangle: Rectangle, x: number, y: number): boolean {
  const { x: left, y: top, width, height } = rectangle;
  return x >= left && x < left + width && y >= top && y < top + height;
}
