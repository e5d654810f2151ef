export type Point = readonly [x: number, y: number];

const STEPS_PER_SECOND = 60;

const SPEED = 1.5;
const MIN_DELAY_MS = 50;
const MAX_DELAY_MS = 2000;

const BEND = 0.15;

export function naturalDuration(points: readonly Point[]): number {
  let distance = 0;
  for (const [index, point] of points.entries()) {
    const before = points[index - 1] ?? point;
    distance += Math.hypot(point[0] - before[0], point[1] - before[1]);
  }
  return Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, distance / SPEED));
}

export function smoothSteps(durationMs: number): number {
  return Math.max(2, Math.round((durationMs / 1000) * STEPS_PER_SECOND));
}

/**
 * A Bézier curve that starts and ends slowly, in whole pixels. It excludes the start and includes the end.
 *
 * @param side 1 or -1: the side to which the curve bends.
 */
export function smoothPath(from: Point, to: Point, steps: number, side: 1 | -1): Point[] {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const bend = (share: number): Point => [
    from[0] + dx * share - dy * BEND * side,
    from[1] + dy * share + dx * BEND * side,
  ];
  const controls = [from, bend(0.3), bend(0.7), to] as const;
  return Array.from({ length: steps }, (_, index) => {
    const time = (index + 1) / steps;
    return bezier(controls, time * time * (3 - 2 * time));
  });
}

/** The steps of a smooth move along a route. @param durationMs undefined for a natural speed. */
export function smoothRoute(
  route: readonly Point[],
  durationMs?: number,
): { point: Point; pauseMs: number }[] {
  const total = naturalDuration(route);
  return segmentsOf(route).flatMap(({ from, to }) => {
    const share = route.length === 2 ? 1 : Math.min(1, naturalDuration([from, to]) / total);
    const duration = (durationMs ?? total) * share;
    const steps = smoothSteps(duration);
    return smoothPath(from, to, steps, to[0] < from[0] ? 1 : -1).map((point) => ({
      point,
      pauseMs: duration / steps,
    }));
  });
}

export function straightRoute(route: readonly Point[], stepsPerSegment: number): Point[] {
  return segmentsOf(route).flatMap(({ from, to }) => straightPath(from, to, stepsPerSegment));
}

function segmentsOf(route: readonly Point[]): { from: Point; to: Point }[] {
  return route.slice(1).map((to, index) => ({ from: route[index] ?? to, to }));
}

export function straightPath(from: Point, to: Point, steps: number): Point[] {
  return Array.from({ length: steps }, (_, index) => {
    const share = (index + 1) / steps;
    return [Math.round(from[0] + (to[0] - from[0]) * share), Math.round(from[1] + (to[1] - from[1]) * share)];
  });
}

function bezier(controls: readonly [Point, Point, Point, Point], t: number): Point {
  const u = 1 - t;
  const weights = [u ** 3, 3 * u * u * t, 3 * u * t * t, t ** 3] as const;
  const along = (axis: 0 | 1) =>
    Math.round(controls.reduce((sum, point, index) => sum + point[axis] * (weights[index] ?? 0), 0));
  return [along(0), along(1)];
}
