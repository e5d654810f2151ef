import { useLocation, useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useProjects } from "../../app/projects.tsx";
import { ActionButton } from "../../ui/button.tsx";
import { CodeBlock, CopyText } from "../../ui/copy.tsx";
import { ConfirmButton, DialogButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatDuration } from "../../ui/format.ts";
import { DocLink, Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { MACHINES, nameOfChoice, nameOfRegion, SWITCHES, useChoices } from "../sessions/browser-fields.tsx";
import { formatSize } from "../sessions/form-query.ts";
import { acquireSample } from "../sessions/samples.ts";
import { SessionTable } from "../sessions/session-cells.tsx";
import { KEY } from "../sessions/snippets.ts";
import { type PoolBody, PoolForm } from "./create-pool.tsx";
import { type Pool, PoolFill, PoolState } from "./pool-list.tsx";

/** How long a click waits for a browser. */
const ACQUIRE_SECONDS = 15;

export function PoolView() {
  const { id = "" } = useRoute().params;
  const { route } = useLocation();
  const { chosen } = useProjects();
  const params = { path: { id_or_name: id } };
  const resource = useLoad(
    `/browser_pools/${id}`,
    async (signal) => {
      const query = { pool_id: id, status: "active", limit: 100 } as const;
      const [pool, sessions] = await Promise.all([
        read(api.GET("/browser_pools/{id_or_name}", { params, signal })),
        read(api.GET("/browsers", { params: { query }, signal })),
      ]);
      return { ...pool, sessions };
    },
    { refreshMs: 5000 },
  );
  const acquire = async () => {
    const body = { acquire_timeout_seconds: ACQUIRE_SECONDS };
    const call = api.POST("/browser_pools/{id_or_name}/acquire", { params, body });
    // 204 has no session.
    const session: Schemas["BrowserSession"] | undefined = await read(call);
    if (session !== undefined) return route(`/console/sessions/${session.session_id}`);
    showToast(`No browser became ready within ${ACQUIRE_SECONDS} s. Try again.`, "bad");
  };
  const flush = async () => {
    await read(api.POST("/browser_pools/{id_or_name}/flush", { params }));
    showToast("The idle browsers were ended.");
    resource.reload();
  };
  const change = async (body: PoolBody) => {
    await read(api.PATCH("/browser_pools/{id_or_name}", { params, body }));
    showToast("The pool was changed.");
    resource.reload();
  };
  const actions = (pool: Pool) => (
    <>
      <ActionButton kind="primary" action={acquire} title="Leases a browser to you and opens its session">
        Acquire
      </ActionButton>
      <DialogButton
        title={`Edit the pool “${pool.name ?? id}”`}
        content={(close) => <PoolForm pool={pool} submit={(body) => change(body).then(close)} />}
      >
        Edit
      </DialogButton>
      <ConfirmButton
        kind="plain"
        question={`End the idle browsers of “${pool.name ?? id}”?`}
        consequence="They are replaced at the fill rate. Leased browsers are not affected."
        confirm="Flush"
        action={flush}
      />
    </>
  );
  return (
    <ResourcePage
      noun="pool"
      parent={{ href: "/console/pools", label: "Pools" }}
      status={PoolState}
      {...{ resource, actions }}
      remove={() => read(api.DELETE("/browser_pools/{id_or_name}", { params, body: { force: true } }))}
      consequence="All its browsers are ended, including leased ones and their sessions."
    >
      {({ sessions, ...pool }) => (
        <div class="columns">
          <Section
            title="Browsers"
            actions={<a href={`/console/sessions?status=all&pool_id=${id}`}>All its sessions</a>}
          >
            <PoolFill {...pool} />
            {pool.last_error && (
              <p class="problem">
                The last launch failed <Time at={pool.last_error.at} />: {pool.last_error.message}
              </p>
            )}
            {sessions.length > 0 ? (
              <SessionTable caption="Leased sessions" sessions={sessions} />
            ) : (
              <NoLease {...pool} />
            )}
          </Section>
          <Section title="Acquire in code">
            <CodeBlock code={acquireSample(pool.name ?? id, location.origin, chosen)} what="the code" />
            <p class="hint">
              {KEY} is a key of your organization. A released browser goes to the next caller.{" "}
              <DocLink page="pools">About pools</DocLink>
            </p>
          </Section>
          <Section title="Configuration">
            <PoolFacts {...pool} />
          </Section>
        </div>
      )}
    </ResourcePage>
  );
}

/** What is true while nobody has leased a browser. */
function NoLease({ available_count: ready, browser_pool_config: { fill_rate_per_minute: rate } }: Pool) {
  const filling = rate === 0 ? "Filling is paused." : `The pool fills at ${rate} % of its size per minute.`;
  if (ready === 0) return <Empty title="No browser is ready yet">{filling}</Empty>;
  const title = ready === 1 ? "1 browser is ready" : `${ready} browsers are ready`;
  return <Empty title={title}>None is leased. Acquire one here or in code.</Empty>;
}

function PoolFacts({ id, created_at, browser_pool_config: config, profile_id, extension_ids }: Pool) {
  const { data } = useChoices();
  const toLink = (kind: string) => (id: string) => (
    <a key={id} href={`/console/${kind}/${id}`}>
      {nameOfChoice(data, id)}
    </a>
  );
  const modes = SWITCHES.flatMap(([name, label]) => (config[name] ? [label] : []));
  const recorded = Object.entries(config.telemetry?.browser ?? {}).flatMap(([name, category]) =>
    category.enabled ? [name] : [],
  );
  return (
    <Facts
      facts={[
        ["Id", <CopyText key="id" text={id} what="the pool's id" />],
        ["Fill rate", `${config.fill_rate_per_minute} % of the size per minute`],
        ["Timeout", formatDuration(config.timeout_seconds * 1000)],
        ["Viewport", formatSize(config.viewport)],
        ["Options", modes.join(", ") || "None"],
        ["Start URL", config.start_url],
        ["Region", nameOfRegion(config.region)],
        ["Machine", MACHINES[config.machine]],
        ["Profile", profile_id && toLink("profiles")(profile_id)],
        ["Proxy", config.proxy_id && toLink("proxies")(config.proxy_id)],
        ["Extensions", extension_ids.length > 0 && extension_ids.map(toLink("extensions"))],
        ["Telemetry", recorded.join(", ") || undefined],
        ["Created", <Time key="created" at={created_at} />],
      ]}
    />
  );
}
