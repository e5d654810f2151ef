import type { DialogLayout } from "../../platform/page-scripts/drawing.ts";

export type DialogKind = "alert" | "confirm" | "prompt" | "beforeunload" | "file";

const WIDTH = 448;
const HEIGHT = 232;
const PADDING = 24;
const BUTTON = { width: 84, height: 36 };

export function hasField(kind: DialogKind): boolean {
  return kind === "prompt" || kind === "file";
}

export function layOutDialog(pageWidth: number, kind: DialogKind): DialogLayout {
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

export function labelButtons(kind: DialogKind): { accept: string; dismiss: string } {
  if (kind === "beforeunload") return { accept: "Leave", dismiss: "Cancel" };
  return { accept: kind === "file" ? "Open" : "OK", dismiss: "Cancel" };
}
