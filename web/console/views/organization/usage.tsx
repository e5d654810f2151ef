import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Use } from "../overview.tsx";
import { Budget } from "../usage/budget.tsx";
import { GROUPS, UsageReport } from "../usage/usage-report.tsx";

const REFRESH_MS = 30_000;
const MAX_NAMES = 100;

export function Usage() {
  const overview = useLoad("/org/overview", (signal) => read(api.GET("/org/overview", { signal })), {
    refreshMs: REFRESH_MS,
  });
  const { data: names } = useLoad("names of keys and pools", loadNames);
  return (
    <Page title="Usage and cost">
      <Loaded resource={overview} lines={6}>
        {(data) => <Use {...data} />}
      </Loaded>
      <UsageReport
        name="/org/usage"
        load={(query, signal) => read(api.GET("/org/usage", { params: { query }, signal }))}
        groups={GROUPS}
        cell={(id) => names?.get(id) ?? id}
      >
        {({ budget: { soft_usd, hard_usd, exceeded_until }, total }, isThisMonth) => (
          <Budget
            soft={soft_usd}
            hard={hard_usd}
            exceededUntil={exceeded_until}
            spent={isThisMonth ? total.estimated_usd.total : undefined}
          />
        )}
      </UsageReport>
    </Page>
  );
}

/** Names of API keys, including deleted ones, and of pools. If there are very many, the rest show ids. */
async function loadNames(signal: AbortSignal): Promise<Map<string, string>> {
  const limit = MAX_NAMES;
  const [keys, pools] = await Promise.all([
    read(api.GET("/org/api_keys", { params: { query: { limit, status: "all" } }, signal })),
    read(api.GET("/browser_pools", { params: { query: { limit } }, signal })),
  ]);
  return new Map([...keys, ...pools].map(({ id, name }) => [id, name ?? id]));
}
