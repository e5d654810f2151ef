import { useLocation, useRoute } from "preact-iso";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ActionButton, ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { DocLink } from "../../ui/doc-link.tsx";
import { download } from "../../ui/download.ts";
import { Facts } from "../../ui/facts.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Support } from "./extension-list.tsx";

type Extension = Schemas["Extension"];

export function ExtensionView() {
  const { id = "" } = useRoute().params;
  const params = { path: { id_or_name: id } };
  const extension = useLoad(`/extensions/${id}`, (signal) =>
    read(api.GET("/extensions/{id_or_name}/metadata", { params, signal })),
  );
  const { data } = extension;
  return (
    <Page
      title={data === undefined ? "Extension" : (data.name ?? data.id)}
      parent={{ href: "/console/extensions", label: "Extensions" }}
      actions={data && <Actions extension={data} />}
    >
      <Loaded resource={extension}>
        {(data) => (
          <>
            <Section title="Extension">
              <Facts
                facts={[
                  ["Id", <CopyText key="id" text={data.id} what="the extension's id" />],
                  ["Size", formatBytes(data.size_bytes)],
                  ["SHA-256", <CopyText key="sum" text={data.checksum} what="the checksum" />],
                  ["Manifest", "In the zip. Download it to read it."],
                  ["Last used", <Time key="used" at={data.last_used_at} />],
                  ["Uploaded", <Time key="created" at={data.created_at} />],
                ]}
              />
            </Section>
            <Section
              title="Without a browser that loads extensions"
              actions={<Support unsupported={data.unsupported} />}
            >
              <Unsupported unsupported={data.unsupported} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Unsupported({ unsupported }: Pick<Extension, "unsupported">) {
  return (
    <>
      <p>
        {unsupported.length === 0
          ? "All that its manifest asks for works in pages, so it runs in every browser."
          : "A browser that loads extensions runs it in full. In others, and in sessions with a proxy, its content scripts and styles run, without these parts of its manifest:"}{" "}
        <DocLink page="extensions">What runs where</DocLink>
      </p>
      {unsupported.length > 0 && (
        <Table
          caption="Parts that do not run"
          columns={[
            { title: "Part", cell: ({ feature }) => <code>{feature}</code> },
            { title: "Why", cell: ({ reason }) => reason },
          ]}
          rows={unsupported}
          idOf={({ feature }) => feature}
        />
      )}
    </>
  );
}

function Actions({ extension }: { extension: Extension }) {
  const { route } = useLocation();
  const { id } = extension;
  const name = extension.name ?? id;
  const remove = async () => {
    await read(api.DELETE("/extensions/{id_or_name}", { params: { path: { id_or_name: id } } }));
    showToast(`The extension “${name}” was deleted.`);
    route("/console/extensions");
  };
  const save = async () => {
    await download(`/extensions/${id}`, `${name}.zip`);
  };
  return (
    <>
      <ActionButton action={save}>Download</ActionButton>
      <ConfirmButton
        question={`Delete the extension “${name}”?`}
        consequence="Running sessions keep it. New sessions, and pools that select it, fail."
        confirm="Delete"
        action={remove}
      >
        Delete
      </ConfirmButton>
    </>
  );
}
