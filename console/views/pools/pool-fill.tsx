import { Badge } from "../../ui/badge.tsx";
import { type Pool, stateOf } from "./pool.ts";

export function PoolState({ pool }: { pool: Pool }) {
  const { tone, text } = stateOf(pool);
  return <Badge tone={tone}>{text}</Badge>;
}

/** How many browsers of a pool are idle, leased and missing. */
export function PoolFill({ pool }: { pool: Pool }) {
  const { available_count: available, acquired_count: leased } = pool;
  const { size } = pool.browser_pool_config;
  // A pool that was made smaller has more browsers until the leased ones are released.
  const width = Math.max(size, available + leased);
  return (
    <div class="pool-fill">
      <p class="meter-text">
        <span>
          <strong>{available}</strong> available, <strong>{leased}</strong> leased
        </span>
        <span>of {size}</span>
      </p>
      <svg class="meter-bar" viewBox={`0 0 ${width} 1`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="is-track" width={width} height="1" />
        <rect class="is-leased" width={leased} height="1" />
        <rect class="is-available" x={leased} width={available} height="1" />
      </svg>
    </div>
  );
}
