import { useState } from "preact/hooks";
import { api, read, readPage } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { TextField } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { OrganizationForm } from "./organization-form.tsx";
import { type LimitedOrganization, type Organization, readLimits } from "./organizations.ts";

const COLUMNS: Column<LimitedOrganization>[] = [
  {
    title: "Name",
    cell: ({ id, name }) => (
      <>
        <a class="row-name" href={`/console/organizations/${id}`}>
          {name}
        </a>
        <code class="dim">{id}</code>
      </>
    ),
  },
  { title: "Sessions", cell: ({ use, limits }) => `${use.active_sessions} of ${limits.sessions}` },
  { title: "Browsers in pools", cell: ({ use, limits }) => `${use.pooled_sessions} of ${limits.pooled}` },
  { title: "API keys", cell: ({ use }) => use.api_keys },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "State", cell: (organization) => <OrganizationState {...organization} /> },
];

export function OrganizationState({ disabled_at }: Organization) {
  return <Badge tone={disabled_at ? "warn" : "good"}>{disabled_at ? "Disabled" : "Enabled"}</Badge>;
}

export function OrganizationList() {
  const [created, setCreated] = useState(0);
  return (
    <Page
      title="Organizations"
      actions={
        <DialogButton
          kind="primary"
          title="New organization"
          content={() => <CreateOrganization />}
          onClose={() => setCreated((count) => count + 1)}
        >
          New organization
        </DialogButton>
      }
    >
      <List
        caption="Organizations"
        name="/admin/organizations"
        version={created}
        load={async ({ limit, offset }, signal) => {
          const [{ items, hasMore }, withLimits] = await Promise.all([
            readPage(api.GET("/admin/organizations", { params: { query: { limit, offset } }, signal })),
            readLimits(signal),
          ]);
          return { items: items.map(withLimits), hasMore };
        }}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={() => <Empty title="No organizations yet" />}
      />
    </Page>
  );
}

function CreateOrganization() {
  const [keyName, setKeyName] = useState("first key");
  return (
    <ShownOnce what="its first API key">
      {(show) => (
        <OrganizationForm
          label="Create"
          submit={async (organization) => {
            const body = { ...organization, key_name: keyName };
            const { api_key } = await read(api.POST("/admin/organizations", { body }));
            show(api_key.key);
          }}
        >
          <TextField
            label="Name of its first API key"
            name="key_name"
            value={keyName}
            onChange={setKeyName}
          />
        </OrganizationForm>
      )}
    </ShownOnce>
  );
}
