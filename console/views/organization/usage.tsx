import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Meter } from "../../ui/chart.tsx";
import { DocLink } from "../../ui/doc-link.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded, NotAvailable } from "../../ui/states.tsx";

const REFRESH_MS = 30_000;

const COUNTS = [
  ["Sessions begun", "sessions_created"],
  ["Invocations", "invocations_started"],
  ["Errors", "errors"],
] as const;

export function Usage() {
  const overview = useLoad("/org/overview", (signal) => read(api.GET("/org/overview", { signal })), {
    refreshMs: REFRESH_MS,
  });
  return (
    <Page title="Limits and use">
      <Loaded resource={overview} lines={12}>
        {(data) => (
          <>
            <Limits {...data} />
            <Section title="Last 24 hours" actions={<a href="/console">Hour by hour</a>}>
              <Facts
                facts={COUNTS.map(([name, field]) => [
                  name,
                  data.hours.reduce((sum, hour) => sum + hour[field], 0),
                ])}
              />
            </Section>
          </>
        )}
      </Loaded>
      <NotAvailable title="Use over a longer time, and its cost, are not in this version of Berth">
        Cloudflare bills the operator of this service, see <DocLink page="costs">Costs</DocLink>. Other things
        have <DocLink page="settings">limits</DocLink>, too, which are not counted here.
      </NotAvailable>
    </Page>
  );
}

function Limits({ sessions, pools, invocations, storage }: Schemas["OrganizationOverview"]) {
  const { running, queued } = invocations;
  const meters = [
    ["Sessions", sessions.active, sessions.limit, "Outside of pools, also while they start"],
    [
      "Browsers in pools",
      pools.size,
      pools.limit,
      `${pools.available} available, ${pools.acquired} acquired`,
    ],
    ["Invocations", running + queued, invocations.limit, `${running} running, ${queued} queued`],
    ["Storage", storage.used_bytes, storage.limit_bytes, "Deployments, extensions, profiles and recordings"],
  ] as const;
  return (
    <Section title="In use now">
      <div class="cards">
        {meters.map(([label, value, limit, hint]) => (
          <div key={label}>
            <Meter {...{ label, value, limit }} format={label === "Storage" ? formatBytes : String} />
            <p class="hint">{hint}</p>
          </div>
        ))}
      </div>
    </Section>
  );
}
