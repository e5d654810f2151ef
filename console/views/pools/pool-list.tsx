import { api, readPage } from "../../api/client.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { formatViewport, type Pool } from "./pool.ts";
import { PoolFill, PoolState } from "./pool-fill.tsx";

const COLUMNS: Column<Pool>[] = [
  { title: "State", cell: (pool) => <PoolState pool={pool} /> },
  { title: "Browsers", cell: (pool) => <PoolFill pool={pool} /> },
  { title: "Viewport", cell: (pool) => formatViewport(pool.browser_pool_config.viewport), isMinor: true },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function PoolList() {
  return (
    <ResourceList
      title="Pools"
      noun="pool"
      href="/console/pools"
      about="A pool launches browsers in advance, so that a session begins within milliseconds."
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
