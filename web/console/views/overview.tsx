import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { api, read, type Schemas } from "../api/client.ts";
import { useLoad } from "../api/hooks.ts";
import { BarChart, Meter } from "../ui/chart.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { formatBytes, formatDollars } from "../ui/format.ts";
import { DocLink, Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Failures, loadFailures, type NamedFailure } from "./failures.tsx";
import { connectURL } from "./sessions/samples.ts";
import { NewSession, SessionTable } from "./sessions/session-cells.tsx";
import { KEY, mcpSnippet, playwrightSnippet, puppeteerSnippet } from "./sessions/snippets.ts";
import { WaitingAgents } from "./waiting.tsx";

type Overview = Schemas["OrganizationOverview"];
type Hour = Overview["hours"][number];

const CHARTS: readonly [title: string, tone: "info" | "bad", count: (hour: Hour) => number][] = [
  ["Sessions created", "info", (hour) => hour.sessions_created],
  ["Invocations", "info", (hour) => hour.invocations_started],
  ["Errors", "bad", (hour) => hour.errors],
];

const HOUR = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Who waits, what failed, what it costs, and how much of the organization's limits is in use. */
export function Overview() {
  const known = useRef<{ errors: string; failures: readonly NamedFailure[] }>(undefined);
  const resource = useLoad(
    "overview",
    async (signal) => {
      const query = { limit: 6, status: "all" } as const;
      const [overview, sessions] = await Promise.all([
        read(api.GET("/org/overview", { signal })),
        read(api.GET("/browsers", { params: { query }, signal })),
      ]);
      const errors = JSON.stringify(overview.errors);
      if (known.current?.errors !== errors) {
        known.current = { errors, failures: await loadFailures(overview.errors, signal) };
      }
      return { overview, sessions, failures: known.current.failures };
    },
    { refreshMs: 10_000 },
  );
  return (
    <Page title="Overview" actions={<NewSession />}>
      <WaitingAgents />
      <Loaded resource={resource} lines={12}>
        {({ overview, overview: { hours, errors }, sessions, failures }) => (
          <>
            {sessions.length === 0 && <FirstSession />}
            <div class="columns">
              <Section
                title="Newest sessions"
                actions={<a href="/console/sessions?status=all">All sessions</a>}
              >
                <SessionTable caption="Newest sessions" sessions={sessions} />
              </Section>
              <Failures {...{ failures, errors }} />
            </div>
            <Use {...overview}>
              <CostCard />
            </Use>
            <Section title="Last 24 hours">
              <div class="overview-charts">
                {CHARTS.map(([title, tone, count]) => (
                  <BarChart key={title} {...{ title, tone }} bars={toBars(hours, count)} describe={String} />
                ))}
              </div>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** What today and this month cost, both in UTC. */
function CostCard() {
  const { data } = useLoad(
    "costs",
    (signal) => read(api.GET("/org/usage", { params: { query: { group_by: "day" } }, signal })),
    { refreshMs: 60_000 },
  );
  if (data === undefined) return null;
  const { rows, total, budget } = data;
  const day = new Date().toISOString().slice(0, 10);
  const today = formatDollars(rows.find(({ group }) => group?.startsWith(day))?.estimated_usd.total);
  const month = total.estimated_usd.total ?? 0;
  const limit = budget.hard_usd ?? budget.soft_usd;
  return (
    <a class="section overview-card" href="/console/usage">
      {limit === null ? (
        <p class="meter-text">
          <span>Cost this month</span>
          <strong>{formatDollars(month)}</strong>
        </p>
      ) : (
        <Meter label="Cost this month" value={month} limit={limit} format={formatDollars} />
      )}
      <p class="hint">{today} today, estimated, in UTC.</p>
    </a>
  );
}

function toBars(hours: readonly Hour[], count: (hour: Hour) => number) {
  return hours.map((hour) => {
    const start = new Date(hour.starts_at);
    return { label: HOUR.format(start), tick: CLOCK.format(start), value: count(hour) };
  });
}

/** What is in use now, beside the limits. */
export function Use({ sessions, pools, invocations, storage, children }: Overview & { children?: VNode }) {
  const { running, queued, limit } = invocations;
  const { size, available, acquired } = pools;
  const missing = Math.max(0, size - available - acquired);
  const poolsHint = `${available} ready, ${acquired} acquired, ${missing} waiting to start.`;
  const cards = [
    ["Sessions", "sessions", sessions.active, sessions.limit, "Pool browsers are counted separately."],
    ["Pool browsers", "pools", pools.size, pools.limit, poolsHint],
    ["Invocations", "invocations", running + queued, limit, `${running} running, ${queued} queued.`],
    ["Storage", "usage", storage.used_bytes, storage.limit_bytes, "Files, profiles and recordings."],
  ] as const;
  return (
    <div class="cards">
      {children}
      {cards.map(([label, view, value, limit, hint]) => (
        <a key={view} class="section overview-card" href={`/console/${view}`}>
          <Meter {...{ label, value, limit }} format={view === "usage" ? formatBytes : String} />
          <p class="hint">{hint}</p>
        </a>
      ))}
    </div>
  );
}

/** Whole programs that create a session by connecting to one address. */
function firstSnippets() {
  const url = `\`${connectURL({}, location.origin).replace(`$${KEY}`, `\${process.env.${KEY}}`)}\``;
  const headers = { Authorization: "Bearer your-key" };
  return [
    { id: "playwright", label: "Playwright", code: playwrightSnippet(url) },
    { id: "puppeteer", label: "Puppeteer", code: puppeteerSnippet(url) },
    { id: "mcp", label: "MCP", code: mcpSnippet({ url: `${location.origin}/mcp`, headers }) },
  ];
}

function FirstSession() {
  const [selected, setSelected] = useState("playwright");
  const snippets = firstSnippets();
  const code = snippets.find(({ id }) => id === selected)?.code ?? "";
  return (
    <Section title="Your first session" actions={<DocLink page="start">Get started</DocLink>}>
      <p>
        Create an <a href="/console/api-keys">API key</a>
        {selected === "mcp" ? (
          <>
            {" "}
            and put it in the configuration of your assistant in place of <code>your-key</code>.
          </>
        ) : (
          <>
            , set it as <code>{KEY}</code>, and run <code>npm install {selected}-core</code>. Connecting
            creates the session, and disconnecting ends it.
          </>
        )}
      </p>
      <Tabs label="Tools" items={snippets} selected={selected} onSelect={setSelected}>
        <CodeBlock code={code} what="the code" />
      </Tabs>
    </Section>
  );
}
