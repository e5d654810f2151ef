import { api, readPage, type Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

export type Pool = Schemas["BrowserPool"];

const COLUMNS: Column<Pool>[] = [
  { title: "State", cell: PoolState },
  { title: "Browsers", cell: PoolFill },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function PoolList() {
  return (
    <ResourceList
      title="Pools"
      noun="pool"
      href="/console/pools"
      about="A pool launches browsers in advance, so that sessions start within milliseconds."
      advice="Create one to acquire browsers that are already running."
      action={
        <ButtonLink kind="primary" href="/console/pools/new">
          New pool
        </ButtonLink>
      }
      load={(query, signal) => readPage(api.GET("/browser_pools", { params: { query }, signal }))}
      columns={COLUMNS}
      refreshMs={5000}
    />
  );
}

/** How a pool's filling goes, in a word. */
export function PoolState({ available_count, acquired_count, last_error, browser_pool_config }: Pool) {
  const { size, fill_rate_per_minute } = browser_pool_config;
  if (available_count + acquired_count >= size) return <Badge tone="good">Full</Badge>;
  if (last_error !== undefined) return <Badge tone="bad">Failing</Badge>;
  return fill_rate_per_minute === 0 ? <Badge>Paused</Badge> : <Badge tone="info">Filling</Badge>;
}

/** How many browsers of a pool are idle, leased and missing. */
export function PoolFill({ available_count: available, acquired_count: leased, browser_pool_config }: Pool) {
  const { size } = browser_pool_config;
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
