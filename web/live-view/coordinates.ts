export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Area extends Size {
  left: number;
  top: number;
}

/** Points beside the picture map to the nearest edge. */
export function toPagePoint(clientX: number, clientY: number, area: Area, page: Size): Point {
  return {
    x: toPage(clientX - area.left, area.width, page.width),
    y: toPage(clientY - area.top, area.height, page.height),
  };
}

function toPage(offset: number, drawn: number, length: number): number {
  if (drawn <= 0) return 0;
  const tenths = Math.round((offset / drawn) * length * 10) / 10;
  return Math.min(Math.max(tenths, 0), Math.max(length - 1, 0));
}
