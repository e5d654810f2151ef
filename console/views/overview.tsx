import { api, read, readPage, type Schemas } from "../api/client.ts";
import { useLoad } from "../api/hooks.ts";
import { ButtonLink } from "../ui/button.tsx";
import { BarChart, Meter } from "../ui/chart.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { DocLink } from "../ui/doc-link.tsx";
import { formatBytes } from "../ui/format.ts";
import { Page, Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { connectURL, curlSample } from "./sessions/samples.ts";
import { type Session, SessionName, SessionState } from "./sessions/session-cells.tsx";

type Overview = Schemas["OrganizationOverview"];

const REFRESH_MS = 10_000;
const NEWEST = 6;

const ERRORS = [
  ["sessions_lost", "Sessions that lost their browser", "/console/sessions?status=deleted"],
  ["invocations_failed", "Failed invocations", "/console/invocations?status=failed"],
  ["deployments_failed", "Failed deployments", "/console/deployments?status=failed"],
  ["webhook_deliveries_failed", "Webhook deliveries given up", "/console/webhooks"],
] as const;

const COLUMNS: Column<Session>[] = [
  { title: "Session", cell: (session) => <SessionName session={session} /> },
  { title: "State", cell: (session) => <SessionState session={session} /> },
  { title: "Created", cell: (session) => <Time at={session.created_at} /> },
];

/** What is in use of the organization's limits, and what happened lately. */
export function Overview() {
  const resource = useLoad(
    "overview",
    async (signal) => {
      const query = { limit: NEWEST, status: "all" } as const;
      const [overview, newest] = await Promise.all([
        read(api.GET("/org/overview", { signal })),
        readPage(api.GET("/browsers", { params: { query }, signal })),
      ]);
      return { overview, sessions: newest.items };
    },
    { refreshMs: REFRESH_MS },
  );
  return (
    <Page
      title="Overview"
      actions={
        <ButtonLink kind="primary" href="/console/sessions/new">
          New session
        </ButtonLink>
      }
    >
      <Loaded resource={resource} lines={12}>
        {({ overview, sessions }) => (
          <>
            {sessions.length === 0 && <FirstSession />}
            <Use overview={overview} />
            <LastDay overview={overview} />
            <div class="columns">
              <Section
                title="Newest sessions"
                actions={<a href="/console/sessions?status=all">All sessions</a>}
              >
                {sessions.length === 0 ? (
                  <Empty title="No session yet" />
                ) : (
                  <div class="session-page">
                    <Table
                      caption="Newest sessions"
                      columns={COLUMNS}
                      rows={sessions}
                      idOf={(session) => session.session_id}
                    />
                  </div>
                )}
              </Section>
              <Errors errors={overview.errors} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Use({ overview: { sessions, pools, invocations, storage } }: { overview: Overview }) {
  const { running, queued, limit } = invocations;
  const files = { value: storage.used_bytes, limit: storage.limit_bytes, format: formatBytes };
  return (
    <div class="cards">
      <a class="section overview-card" href="/console/sessions">
        <Meter label="Sessions" value={sessions.active} limit={sessions.limit} />
        <p class="hint">Those of pools do not count.</p>
      </a>
      <a class="section overview-card" href="/console/pools">
        <Meter label="Browsers of pools" value={pools.size} limit={pools.limit} />
        <p class="hint">{`${pools.available} of ${pools.size} ready, ${pools.acquired} acquired.`}</p>
      </a>
      <a class="section overview-card" href="/console/invocations">
        <Meter label="Invocations" value={running + queued} limit={limit} />
        <p class="hint">{`${running} running, ${queued} queued.`}</p>
      </a>
      <a class="section overview-card" href="/console/usage">
        <Meter label="Storage" {...files} />
        <p class="hint">Deployments, extensions, profiles and recordings.</p>
      </a>
    </div>
  );
}

const HOUR = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });

function LastDay({ overview: { hours } }: { overview: Overview }) {
  const bars = (count: (hour: Overview["hours"][number]) => number) =>
    hours.map((hour) => ({ label: HOUR.format(new Date(hour.starts_at)), value: count(hour) }));
  return (
    <Section title="Last 24 hours">
      <div class="overview-charts">
        <BarChart title="Sessions created" bars={bars((hour) => hour.sessions_created)} describe={String} />
        <BarChart title="Invocations" bars={bars((hour) => hour.invocations_started)} describe={String} />
        <BarChart title="Errors" tone="bad" bars={bars((hour) => hour.errors)} describe={String} />
      </div>
    </Section>
  );
}

function Errors({ errors }: { errors: Overview["errors"] }) {
  return (
    <Section title="Errors of the last 24 hours">
      <ul class="overview-errors">
        {ERRORS.map(([kind, text, href]) => (
          <li key={kind} class={errors[kind] > 0 ? "is-bad" : "dim"}>
            <strong>{errors[kind]}</strong>
            {errors[kind] > 0 ? <a href={href}>{text}</a> : text}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FirstSession() {
  return (
    <Section title="Your first session" actions={<DocLink page="start">Get started</DocLink>}>
      <p>
        Put an <a href="/console/api-keys">API key</a> into <code>BERTH_API_KEY</code>. Any tool that takes a
        DevTools endpoint, such as Playwright or Puppeteer, connects to this address, which creates a session:
      </p>
      <CodeBlock code={connectURL({}, location.origin)} what="the connect URL" />
      <p>Or create one and open its live view:</p>
      <CodeBlock code={curlSample({}, location.origin)} what="the command" />
    </Section>
  );
}
