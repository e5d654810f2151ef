import { useState } from "preact/hooks";
import { api, read, type Schemas } from "../api/client.ts";
import { useLoad } from "../api/hooks.ts";
import { BarChart, Meter } from "../ui/chart.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { formatBytes } from "../ui/format.ts";
import { DocLink, Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { connectURL } from "./sessions/samples.ts";
import { NewSession, SessionTable } from "./sessions/session-cells.tsx";
import { KEY, mcpSnippet, playwrightSnippet, puppeteerSnippet } from "./sessions/snippets.ts";
import { WaitingAgents } from "./waiting.tsx";

type Overview = Schemas["OrganizationOverview"];
type Hour = Overview["hours"][number];

const ERRORS = [
  ["sessions_lost", "Sessions that lost their browser", "/console/sessions?status=deleted"],
  ["invocations_failed", "Failed invocations", "/console/invocations?status=failed"],
  ["deployments_failed", "Failed deployments", "/console/deployments"],
  ["webhook_deliveries_failed", "Failed webhook deliveries", "/console/webhooks"],
] as const;

const CHARTS: readonly [title: string, tone: "info" | "bad", count: (hour: Hour) => number][] = [
  ["Sessions created", "info", (hour) => hour.sessions_created],
  ["Invocations", "info", (hour) => hour.invocations_started],
  ["Errors", "bad", (hour) => hour.errors],
];

const HOUR = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });

/** How much of the organization's limits is in use, and what happened lately. */
export function Overview() {
  const resource = useLoad(
    "overview",
    async (signal) => {
      const query = { limit: 6, status: "all" } as const;
      const [overview, sessions] = await Promise.all([
        read(api.GET("/org/overview", { signal })),
        read(api.GET("/browsers", { params: { query }, signal })),
      ]);
      return { overview, sessions };
    },
    { refreshMs: 10_000 },
  );
  return (
    <Page title="Overview" actions={<NewSession />}>
      <Loaded resource={resource} lines={12}>
        {({ overview, overview: { hours, errors }, sessions }) => (
          <>
            {sessions.length === 0 && <FirstSession />}
            <WaitingAgents />
            <Use {...overview} />
            <Section title="Last 24 hours">
              <div class="overview-charts">
                {CHARTS.map(([title, tone, count]) => (
                  <BarChart key={title} {...{ title, tone }} bars={toBars(hours, count)} describe={String} />
                ))}
              </div>
            </Section>
            <div class="columns">
              <Section
                title="Newest sessions"
                actions={<a href="/console/sessions?status=all">All sessions</a>}
              >
                <SessionTable caption="Newest sessions" sessions={sessions} />
              </Section>
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
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function toBars(hours: readonly Hour[], count: (hour: Hour) => number) {
  return hours.map((hour) => ({ label: HOUR.format(new Date(hour.starts_at)), value: count(hour) }));
}

/** What is in use now, beside the limits. */
export function Use({ sessions, pools, invocations: { running, queued, limit }, storage }: Overview) {
  const poolsHint = `${pools.available} of ${pools.size} ready, ${pools.acquired} acquired.`;
  const cards = [
    ["Sessions", "sessions", sessions.active, sessions.limit, "Pool browsers are counted separately."],
    ["Pool browsers", "pools", pools.size, pools.limit, poolsHint],
    ["Invocations", "invocations", running + queued, limit, `${running} running, ${queued} queued.`],
    ["Storage", "usage", storage.used_bytes, storage.limit_bytes, "Files, profiles and recordings."],
  ] as const;
  return (
    <div class="cards">
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
