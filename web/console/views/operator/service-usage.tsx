import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Page } from "../../ui/page.tsx";
import { UsageReport } from "../usage/usage-report.tsx";

const GROUPS = [
  ["organization", "Organization"],
  ["day", "Day"],
] as const;

const MAX_NAMES = 100;

/** What all organizations use. */
export function ServiceUsage() {
  const { data } = useLoad("/admin/organizations", (signal) =>
    read(api.GET("/admin/organizations", { params: { query: { limit: MAX_NAMES } }, signal })),
  );
  return (
    <Page title="Usage and cost">
      <UsageReport
        name="/admin/usage"
        load={(query, signal) => read(api.GET("/admin/usage", { params: { query }, signal }))}
        groups={GROUPS}
        cell={(id) => (
          <a href={`/console/organizations/${id}`}>{data?.find((item) => item.id === id)?.name ?? id}</a>
        )}
      />
    </Page>
  );
}
