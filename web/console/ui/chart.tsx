export interface Bar {
  /** What the bar stands for, such as an hour. */
  label: string;
  value: number;
  /** On the axis, where the first and last bars, and often one between, are named. Default: the label. */
  tick?: string;
  /** Marks it as a failure: it has the full height, so that it is seen whatever its value. */
  isBad?: boolean;
}

interface BarChartProps {
  title: string;
  bars: readonly Bar[];
  tone?: "info" | "bad";
  /** Text for a value, such as `3 sessions`. */
  describe: (value: number) => string;
  /** Beside the title, in place of the sum. */
  summary?: string;
}

const WIDTH = 240;
const HEIGHT = 80;
const GAP = 2;
const MIN_BARS = 24;

/** Ends of an axis up to 10. The half of those above 1 is as round. */
const ROUND = [1, 2, 4, 6, 8, 10];

/** Longer names do not fit beside a third one. */
const MAX_TICK_LENGTH = 12;

/** A small bar chart with axes, whose values a table repeats for screen readers. */
export function BarChart({ title, bars, tone = "info", describe, summary }: BarChartProps) {
  const highest = roundUp(Math.max(0, ...bars.map(({ value, isBad }) => (isBad ? 0 : value))) || 1);
  const halves = highest === 1 ? [highest, 0] : [highest, highest / 2, 0];
  const step = WIDTH / Math.max(MIN_BARS, bars.length);
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <strong>{summary ?? describe(total)}</strong>
      </figcaption>
      <div class="plot" aria-hidden="true">
        <div class="axis is-values">
          {halves.map((value) => (
            <span key={value}>{describe(value)}</span>
          ))}
        </div>
        <svg
          class={`bars is-${tone}`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={halves.map((value) => `M0 ${HEIGHT - (value / highest) * HEIGHT}H${WIDTH}`).join("")} />
          {bars.map(({ label, value, isBad }, index) => {
            const height = isBad ? HEIGHT : value === 0 ? 1 : Math.max(3, (value / highest) * HEIGHT);
            return (
              <rect
                key={label}
                class={isBad ? "is-failed" : value === 0 ? "is-zero" : undefined}
                x={index * step}
                y={HEIGHT - height}
                width={Math.max(1, step - GAP)}
                height={height}
              >
                <title>{`${label}: ${describe(value)}${isBad ? ", failed" : ""}`}</title>
              </rect>
            );
          })}
        </svg>
        <div class="axis is-bars" style={{ width: `${((bars.length * step) / WIDTH) * 100}%` }}>
          {selectTicks(bars).map((tick) => (
            <span key={tick}>{tick}</span>
          ))}
        </div>
      </div>
      <table class="unseen">
        <caption>{title}</caption>
        <tbody>
          {bars.map(({ label, value, isBad }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{isBad ? `${describe(value)}, failed` : describe(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function roundUp(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value));
  return (ROUND.find((round) => round * size >= value) ?? 10) * size;
}

function selectTicks(bars: readonly Bar[]): string[] {
  const chosen = [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)];
  const ticks = chosen.flatMap((bar) => bar?.tick ?? bar?.label ?? []);
  const isTight = ticks.some((tick) => tick.length > MAX_TICK_LENGTH);
  return [...new Set(isTight ? ticks.filter((_, index) => index !== 1) : ticks)];
}

interface MeterProps {
  label: string;
  value: number;
  limit: number;
  format?: (value: number) => string;
}

/** How much of a limit is used. */
export function Meter({ label, value, limit, format = String }: MeterProps) {
  const part = limit === 0 ? 1 : Math.min(1, value / limit);
  const tone = part >= 0.9 ? "bad" : part >= 0.7 ? "warn" : "info";
  return (
    <div class="meter">
      <p class="meter-text">
        <span>{label}</span>
        <span>
          <strong>{format(value)}</strong> of {format(limit)}
        </span>
      </p>
      <svg class={`meter-bar is-${tone}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="is-track" width="100" height="4" />
        <rect width={part * 100} height="4" />
      </svg>
    </div>
  );
}
