/** What of a WheelEvent tells how far it scrolls. */
export interface WheelAmount {
  deltaX: number;
  deltaY: number;
  deltaMode: number;
}

/** CSS pixels of a line: three of them, a usual notch of a wheel, are the 100 pixels that Chrome scrolls. */
const LINE = 100 / 3;
/** As the service has it. */
const LONGEST = 100_000;

/** How far a wheel event scrolls in CSS pixels, whichever unit it counts in. */
export function wheelPixels(event: WheelAmount, pageHeight: number): { deltaX: number; deltaY: number } {
  const unit = [1, LINE, pageHeight][event.deltaMode] ?? 1;
  return { deltaX: limited(event.deltaX * unit), deltaY: limited(event.deltaY * unit) };
}

function limited(pixels: number): number {
  return Math.min(Math.max(pixels, -LONGEST), LONGEST);
}
