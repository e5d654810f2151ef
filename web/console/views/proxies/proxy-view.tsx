import type { ComponentChildren } from "preact";
import { useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ActionButton } from "../../ui/button.tsx";
import { BarChart } from "../../ui/chart.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatDuration, formatExact } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { destinationOf, type ProxyData, typeName } from "./proxy.ts";
import { ProxyStatus } from "./proxy-list.tsx";

const ROWS = 20;
const COLUMNS: Column<Schemas["ProxyCheck"]>[] = [
  { title: "Started", cell: ({ checked_at }) => <Time at={checked_at} /> },
  { title: "Result", cell: ({ status }) => <ProxyStatus status={status} /> },
  { title: "Duration", cell: ({ duration_ms }) => formatDuration(duration_ms), isNumber: true },
  { title: "Egress IP", cell: ({ ip_address }) => ip_address ?? <span class="dim">–</span> },
];

const SHORT = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

const REFRESH = { refreshMs: 15_000 };

export function ProxyView() {
  const { id = "" } = useRoute().params;
  const params = { path: { id } };
  const proxy = useLoad(
    `/proxies/${id}`,
    (signal) => read(api.GET("/proxies/{id}", { params, signal })),
    REFRESH,
  );
  const query = { limit: 100 };
  const checks = useLoad(
    `/proxies/${id}/checks`,
    (signal) => read(api.GET("/proxies/{id}/checks", { params: { ...params, query }, signal })),
    REFRESH,
  );
  const check = async () => {
    const { status } = await read(api.POST("/proxies/{id}/check", { params, body: {} }));
    if (status === "available") showToast("The check succeeded.");
    else showToast("The check failed.", "bad");
    proxy.reload();
    checks.reload();
  };
  return (
    <ResourcePage
      noun="proxy"
      parent={{ href: "/console/proxies", label: "Proxies" }}
      resource={proxy}
      status={({ status }) => <ProxyStatus status={status} />}
      actions={() => (
        <ActionButton kind="primary" action={check}>
          Check now
        </ActionButton>
      )}
      rename={(name) => read(api.PATCH("/proxies/{id}", { params, body: { name } }))}
      remove={() => read(api.DELETE("/proxies/{id}", { params }))}
      consequence="Running sessions keep it. New sessions and pools that select it will fail."
    >
      {(data) => (
        <>
          <Section title="Proxy">
            <Facts facts={factsOf(data)} />
          </Section>
          <Section title="Checks">
            <Loaded resource={checks}>{(list) => <ProxyChecks checks={list} />}</Loaded>
          </Section>
        </>
      )}
    </ResourcePage>
  );
}

function factsOf(proxy: ProxyData): [string, ComponentChildren][] {
  const { id, type, protocol, config, bypass_hosts, ip_address, last_checked } = proxy;
  const isCustom = type === "custom";
  return [
    ["Id", <CopyText text={id} what="the proxy's id" />],
    ["Type", typeName(type)],
    [isCustom ? "Host" : "Location", destinationOf(proxy)],
    ["Protocol", protocol],
    ["User name", config.username],
    ["Password", isCustom && (config.has_password ? "Stored, never shown" : "None")],
    ["Hosts that bypass it", bypass_hosts.join(", ") || "None"],
    ["Egress IP", ip_address],
    ["Last check", <Time at={last_checked} />],
    ["Sessions", <a href={`/console/sessions?status=all&proxy_id=${id}`}>All with this proxy</a>],
  ];
}

/** Health over time. @param checks newest first. */
function ProxyChecks({ checks }: { checks: readonly Schemas["ProxyCheck"][] }) {
  if (checks.length === 0) {
    return (
      <Empty title="No checks yet">Berth checks a proxy when it is created and regularly after that.</Empty>
    );
  }
  const failures = checks.filter(({ status }) => status === "unavailable").length;
  return (
    <>
      <BarChart
        title={`Duration of the last ${checks.length} checks, oldest first`}
        summary={failures === 0 ? "None failed" : `${failures} failed (full red bars)`}
        bars={checks.toReversed().map(({ checked_at, status, duration_ms }) => ({
          label: formatExact(Date.parse(checked_at)),
          tick: SHORT.format(Date.parse(checked_at)),
          value: duration_ms,
          isBad: status === "unavailable",
        }))}
        describe={formatDuration}
      />
      <Table caption="Latest checks" columns={COLUMNS} rows={checks.slice(0, ROWS)} idOf={({ id }) => id} />
    </>
  );
}
