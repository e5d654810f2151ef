import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { BarChart, Meter } from "../../ui/chart.tsx";
import { DocLink } from "../../ui/doc-link.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded, NotAvailable } from "../../ui/states.tsx";

type Overview = Schemas["OrganizationOverview"];

const REFRESH_MS = 30_000;

const HOUR = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" });

export function Usage() {
  const overview = useLoad("/org/overview", (signal) => read(api.GET("/org/overview", { signal })), {
    refreshMs: REFRESH_MS,
  });
  return (
    <Page title="Limits and use">
      <Loaded resource={overview} lines={12}>
        {(data) => (
          <>
            <Limits overview={data} />
            <LastDay hours={data.hours} />
            <Errors errors={data.errors} />
          </>
        )}
      </Loaded>
      <NotAvailable title="Use over a longer time, and its cost, are not in this version of Berth">
        Only the last 24 hours are counted. Cloudflare bills the operator of this service, see{" "}
        <DocLink page="costs">Costs</DocLink>.
      </NotAvailable>
    </Page>
  );
}

function Limits({ overview: { sessions, pools, invocations, storage } }: { overview: Overview }) {
  const { running, queued } = invocations;
  const meters = [
    {
      label: "Sessions",
      value: sessions.active,
      limit: sessions.limit,
      hint: "Outside of pools, also while they start",
    },
    {
      label: "Browsers in pools",
      value: pools.size,
      limit: pools.limit,
      hint: `Size of ${counted(pools.pools, "pool")}; ${pools.available} available, ${pools.acquired} acquired`,
    },
    {
      label: "Invocations",
      value: running + queued,
      limit: invocations.limit,
      hint: `${running} running, ${queued} queued`,
    },
    {
      label: "Storage",
      value: storage.used_bytes,
      limit: storage.limit_bytes,
      format: formatBytes,
      hint: "Deployments, extensions, profiles and recordings",
    },
  ];
  return (
    <Section title="In use now">
      <div class="cards">
        {meters.map(({ hint, ...meter }) => (
          <div key={meter.label}>
            <Meter {...meter} />
            <p class="hint">{hint}</p>
          </div>
        ))}
      </div>
      <p class="hint">
        API keys, profiles, proxies, extensions, deployments and webhooks have{" "}
        <DocLink page="settings">limits</DocLink>, too. This version does not count them here.
      </p>
    </Section>
  );
}

const CHARTS = [
  { title: "Sessions begun", noun: "session", field: "sessions_created" },
  { title: "Sessions ended", noun: "session", field: "sessions_ended" },
  { title: "Invocations", noun: "invocation", field: "invocations_started" },
  { title: "Errors", noun: "error", field: "errors", tone: "bad" },
] as const;

function LastDay({ hours }: { hours: Overview["hours"] }) {
  return (
    <Section title="Last 24 hours">
      <div class="columns">
        {CHARTS.map(({ noun, field, ...chart }) => (
          <BarChart
            key={field}
            {...chart}
            bars={hours.map((hour) => ({
              label: HOUR.format(Date.parse(hour.starts_at)),
              value: hour[field],
            }))}
            describe={(count) => counted(count, noun)}
          />
        ))}
      </div>
    </Section>
  );
}

const ERRORS = [
  { name: "Browsers lost", field: "sessions_lost", href: "/console/sessions" },
  { name: "Invocations failed", field: "invocations_failed", href: "/console/invocations" },
  { name: "Deployments failed", field: "deployments_failed", href: "/console/deployments" },
  { name: "Webhook deliveries failed", field: "webhook_deliveries_failed", href: "/console/webhooks" },
] as const;

function Errors({ errors }: { errors: Overview["errors"] }) {
  return (
    <Section title="Errors of the last 24 hours">
      <Facts
        facts={ERRORS.map(({ name, field, href }) => [
          name,
          errors[field] === 0 ? "None" : <a href={href}>{errors[field]}</a>,
        ])}
      />
    </Section>
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
