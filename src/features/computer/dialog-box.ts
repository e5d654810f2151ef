import type { Dialog, Tab } from "../../platform/browser/index.ts";
import type { DialogDrawing, Rectangle } from "../../platform/page-scripts/drawing.ts";
import { hasField, labelButtons, layOutDialog } from "./dialog-layout.ts";
import { type Key, textWithModifiers } from "./keys.ts";
import { LineField } from "./text-field.ts";

/** Any more does not fit into the box. */
const MAX_MESSAGE_LENGTH = 2000;

const fields = new WeakMap<Dialog, LineField>();

export function dialogField(dialog: Dialog): LineField {
  const field = fields.get(dialog) ?? new LineField(dialog.defaultText);
  fields.set(dialog, field);
  return field;
}

async function answerDialog(tab: Tab, accept: boolean): Promise<void> {
  const { dialog } = tab;
  if (dialog === undefined) return;
  const text = accept && hasField(dialog.kind) ? dialogField(dialog).text : undefined;
  await tab.answerDialog(accept, text);
}

export async function pressInDialog(tab: Tab, key: Key, modifiers: number): Promise<void> {
  if (key.key === "Enter") await answerDialog(tab, true);
  else if (key.key === "Escape") await answerDialog(tab, false);
  else if (tab.dialog !== undefined && hasField(tab.dialog.kind))
    dialogField(tab.dialog).press(key, modifiers, textWithModifiers(key, modifiers));
}

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

/** @param pageWidth in CSS pixels. */
export function drawingOfDialog(dialog: Dialog, pageWidth: number): DialogDrawing {
  const layout = layOutDialog(pageWidth, dialog.kind);
  return {
    layout,
    title: titleOf(dialog),
    message: dialog.message.slice(0, MAX_MESSAGE_LENGTH),
    text: hasField(dialog.kind) ? dialogField(dialog).text : "",
    labels: labelButtons(dialog.kind),
  };
}

function titleOf({ kind, url }: Dialog): string {
  if (kind === "beforeunload") return "Leave site?";
  if (kind === "file") return "Open";
  const host = URL.parse(url)?.host;
  return host ? `${host} says` : "This page says";
}
