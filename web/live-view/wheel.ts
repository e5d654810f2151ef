export interface WheelAmount {
  deltaX: number;
  deltaY: number;
  deltaMode: number;
}

/** CSS pixels per line: Chrome scrolls 100 pixels per notch of three lines. */
const LINE = 100 / 3;
const MAX_DELTA = 100_000;

export function wheelPixels(event: WheelAmount, pageHeight: number): { deltaX: number; deltaY: number } {
  const unit = [1, LINE, pageHeight][event.deltaMode] ?? 1;
  return { deltaX: limited(event.deltaX * unit), deltaY: limited(event.deltaY * unit) };
}

function limited(pixels: number): number {
  return Math.min(Math.max(pixels, -MAX_DELTA), MAX_DELTA);
}
