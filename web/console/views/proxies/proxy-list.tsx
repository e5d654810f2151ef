import { api, readPage } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { destinationOf, type ProxyData, typeName } from "./proxy.ts";

const COLUMNS: Column<ProxyData>[] = [
  { title: "Status", cell: ({ status }) => <ProxyStatus status={status} /> },
  { title: "Type", cell: ({ type }) => typeName(type) },
  { title: "Goes through", cell: destinationOf },
  { title: "Egress IP", cell: ({ ip_address }) => ip_address ?? <span class="dim">–</span> },
  { title: "Last check", cell: ({ last_checked }) => <Time at={last_checked} /> },
];

export function ProxyList() {
  return (
    <ResourceList
      title="Proxies"
      noun="proxy"
      href="/console/proxies"
      about="All traffic of a session's pages goes through its proxy."
      advice="Add a proxy that you run or rent, or choose a location of the operator's gateway."
      action={
        <ButtonLink kind="primary" href="/console/proxies/new">
          New proxy
        </ButtonLink>
      }
      search="Search by name, host, IP or id"
      load={(query, signal) => readPage(api.GET("/proxies", { params: { query }, signal }))}
      columns={COLUMNS}
      refreshMs={15_000}
    />
  );
}

export function ProxyStatus({ status }: Pick<ProxyData, "status">) {
  const isAvailable = status === "available";
  return <Badge tone={isAvailable ? "good" : "bad"}>{isAvailable ? "Available" : "Unavailable"}</Badge>;
}
