import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { BarChart } from "../../ui/chart.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import { Empty } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import type { ProxyCheck } from "./proxy.ts";
import { ProxyStatus } from "./proxy-list.tsx";

const FIRST_ROWS = 10;
const SLOTS = 48;

const COLUMNS: Column<ProxyCheck>[] = [
  { title: "Began", cell: ({ checked_at }) => <Time at={checked_at} /> },
  { title: "Result", cell: ({ status }) => <ProxyStatus status={status} /> },
  { title: "Duration", cell: ({ duration_ms }) => formatDuration(duration_ms), isNumber: true },
  { title: "Egress IP", cell: ({ ip_address }) => ip_address ?? <span class="dim">–</span> },
];

/** Health over time. @param checks newest first. */
export function ProxyChecks({ checks }: { checks: readonly ProxyCheck[] }) {
  const [isLong, setLong] = useState(false);
  if (checks.length === 0) {
    return <Empty title="No checks yet">Berth checks a proxy when it is created, and then regularly.</Empty>;
  }
  const failures = checks.filter(({ status }) => status === "unavailable").length;
  return (
    <>
      <BarChart
        title={`Duration of the last ${checks.length} checks, oldest first`}
        summary={failures === 0 ? "None failed" : `${failures} failed (full red bars)`}
        slots={SLOTS}
        bars={checks.toReversed().map(({ checked_at, status, duration_ms }) => ({
          label: formatExact(Date.parse(checked_at)),
          value: duration_ms,
          isBad: status === "unavailable",
        }))}
        describe={formatDuration}
      />
      <Table
        caption="Latest checks"
        columns={COLUMNS}
        rows={isLong ? checks : checks.slice(0, FIRST_ROWS)}
        idOf={(check) => check.id}
      />
      {checks.length > FIRST_ROWS && (
        <div>
          <Button onClick={() => setLong(!isLong)}>
            {isLong ? "Show fewer" : `Show all ${checks.length}`}
          </Button>
        </div>
      )}
    </>
  );
}
