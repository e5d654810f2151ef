import { useState } from "preact/hooks";
import { api, read, readPage } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { DocLink } from "../../ui/doc-link.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { OTLPDestinations } from "./otlp-destinations.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import type { Webhook } from "./webhooks.ts";

const COLUMNS: Column<Webhook>[] = [
  {
    title: "URL",
    cell: ({ id, url, description }) => (
      <>
        <a class="row-name" href={`/console/webhooks/${id}`}>
          {url}
        </a>
        <span class="dim">{description}</span>
      </>
    ),
  },
  { title: "Events", cell: ({ event_types }) => event_types?.join(", ") ?? "All" },
  { title: "State", cell: (webhook) => <WebhookState {...webhook} /> },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function WebhookState({ enabled }: Webhook) {
  return <Badge tone={enabled ? "good" : "warn"}>{enabled ? "Enabled" : "Disabled"}</Badge>;
}

export function WebhookList() {
  const [created, setCreated] = useState(0);
  const form = () => (
    <ShownOnce what="the secret">
      {(show) => (
        <WebhookForm
          label="Create"
          submit={async (body) => show((await read(api.POST("/org/webhooks", { body }))).secret)}
        />
      )}
    </ShownOnce>
  );
  return (
    <Page
      title="Webhooks"
      actions={
        <DialogButton
          kind="primary"
          title="New webhook"
          content={form}
          onClose={() => setCreated((count) => count + 1)}
        >
          New webhook
        </DialogButton>
      }
    >
      <p class="hint">
        A webhook tells your server what happens to sessions, pools and invocations. Messages are{" "}
        <DocLink page="webhooks">signed</DocLink>.
      </p>
      <List
        caption="Webhooks"
        name="/org/webhooks"
        version={created}
        load={({ limit, offset }, signal) =>
          readPage(api.GET("/org/webhooks", { params: { query: { limit, offset } }, signal }))
        }
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={() => <Empty title="No webhooks yet" />}
      />
      <OTLPDestinations />
    </Page>
  );
}
