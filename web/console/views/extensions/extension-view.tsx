import { useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatBytes } from "../../ui/format.ts";
import { DocLink, Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { Support } from "./extension-list.tsx";

const COLUMNS: readonly Column<Schemas["Extension"]["unsupported"][number]>[] = [
  { title: "Part", cell: ({ feature }) => <code>{feature}</code> },
  { title: "Why", cell: ({ reason }) => reason },
];

export function ExtensionView() {
  const { id = "" } = useRoute().params;
  const params = { path: { id_or_name: id } };
  const extension = useLoad(`/extensions/${id}`, (signal) =>
    read(api.GET("/extensions/{id_or_name}/metadata", { params, signal })),
  );
  return (
    <ResourcePage
      noun="extension"
      parent={{ href: "/console/extensions", label: "Extensions" }}
      resource={extension}
      remove={() => read(api.DELETE("/extensions/{id_or_name}", { params }))}
      consequence="Running sessions keep it. New sessions and pools that select it will fail."
    >
      {({ id, size_bytes, checksum, unsupported, last_used_at, created_at }) => (
        <>
          <Section title="Extension">
            <Facts
              facts={[
                ["Id", <CopyText text={id} what="the extension's id" />],
                ["Size", formatBytes(size_bytes)],
                ["SHA-256", <CopyText text={checksum} what="the checksum" />],
                ["Last used", <Time at={last_used_at} />],
                ["Uploaded", <Time at={created_at} />],
              ]}
            />
          </Section>
          <Section
            title="In browsers that do not load extensions"
            actions={<Support unsupported={unsupported} />}
          >
            <p>
              {unsupported.length === 0
                ? "Everything its manifest asks for works in pages, so it runs in every browser."
                : "In such browsers, and in sessions with a proxy, its content scripts and styles run without these parts of its manifest:"}{" "}
              <DocLink page="extensions">What runs where</DocLink>
            </p>
            {unsupported.length > 0 && (
              <Table
                caption="Unsupported parts"
                columns={COLUMNS}
                rows={unsupported}
                idOf={({ feature }) => feature}
              />
            )}
          </Section>
        </>
      )}
    </ResourcePage>
  );
}
