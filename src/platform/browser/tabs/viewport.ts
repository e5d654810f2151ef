/** `width` and `height` are in CSS pixels, `refreshRate` is in live view frames per second. */
export interface Viewport {
  width: number;
  height: number;
  refreshRate: number;
}

export const VIEWPORTS: readonly Viewport[] = [
  { width: 2560, height: 1440, refreshRate: 10 },
  { width: 1920, height: 1080, refreshRate: 25 },
  { width: 1920, height: 1200, refreshRate: 25 },
  { width: 1440, height: 900, refreshRate: 25 },
  { width: 1024, height: 768, refreshRate: 60 },
  { width: 1200, height: 800, refreshRate: 60 },
];

export const DEFAULT_VIEWPORT: Viewport = { width: 1920, height: 1080, refreshRate: 25 };

export function findViewport(width: number, height: number, refreshRate?: number): Viewport | undefined {
  return VIEWPORTS.find(
    (viewport) =>
      viewport.width === width &&
      viewport.height === height &&
      (refreshRate === undefined || viewport.refreshRate === refreshRate),
  );
}

const MIN_SIDE = 200;
const MAX_SIDE = 4096;

/** Any size within sane bounds. */
export function findAnyViewport(
  width: number,
  height: number,
  refreshRate = findViewport(width, height)?.refreshRate ?? DEFAULT_VIEWPORT.refreshRate,
): Viewport | undefined {
  const isSane = [width, height].every((side) => side >= MIN_SIDE && side <= MAX_SIDE);
  return isSane && refreshRate >= 1 && refreshRate <= 60 ? { width, height, refreshRate } : undefined;
}

export const ANY_VIEWPORT = `width and height from ${MIN_SIDE} to ${MAX_SIDE}, refresh_rate from 1 to 60`;

export const VIEWPORT_LIST = VIEWPORTS.map(
  ({ width, height, refreshRate }) => `${width}x${height}@${refreshRate}`,
).join(", ");
