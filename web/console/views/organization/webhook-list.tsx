import { useState } from "preact/hooks";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { SecretButton } from "../../ui/dialog-button.tsx";
import { Checkbox, type FormValues, TextField } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { DocLink, Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { withScheme } from "../sessions/form-query.ts";

export type Webhook = Schemas["Webhook"];
type EventType = NonNullable<Webhook["event_types"]>[number];

/** What a webhook can get, and when. */
const EVENT_TYPES: readonly (readonly [EventType, string])[] = [
  ["session.created", "a session is ready, or was acquired from a pool"],
  ["session.ended", "a session has ended, or was released to its pool"],
  ["session.crashed", "a session has ended because its browser was lost"],
  ["pool.failing", "a pool cannot launch browsers"],
  ["invocation.finished", "an invocation has succeeded or failed"],
  ["replay.ready", "a recording has ended and can be downloaded"],
  ["handoff.requested", "an agent asks a person for help"],
  ["handoff.completed", "a handoff has ended"],
  ["organization.budget_reached", "a budget of the month is reached"],
];

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

export function WebhookList() {
  const [created, setCreated] = useState(0);
  const create = async (values: FormValues) =>
    (await read(api.POST("/org/webhooks", { body: readWebhook(values) }))).secret;
  return (
    <Page
      title="Webhooks"
      actions={
        <SecretButton
          kind="primary"
          title="New webhook"
          what="the secret"
          confirm="Create"
          make={create}
          onClose={() => setCreated((count) => count + 1)}
          fields={<WebhookFields />}
        />
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
    </Page>
  );
}

export function WebhookState({ enabled }: Webhook) {
  return <Badge tone={enabled ? "good" : "warn"}>{enabled ? "Enabled" : "Disabled"}</Badge>;
}

/** @param webhook its state before the change. */
export function WebhookFields({ webhook }: { webhook?: Webhook }) {
  return (
    <>
      <TextField label="URL" name="url" placeholder="https://example.com/events" value={webhook?.url} />
      <TextField label="Description" name="description" value={webhook?.description} />
      <fieldset>
        <legend>Events</legend>
        <p class="hint">Select none to receive all events, including those added in later versions.</p>
        {EVENT_TYPES.map(([type, meaning]) => (
          <Checkbox
            key={type}
            label={`${type}: ${meaning}`}
            name="event_types"
            value={type}
            checked={webhook?.event_types?.includes(type)}
          />
        ))}
      </fieldset>
    </>
  );
}

/** What {@link WebhookFields} hold. */
export function readWebhook(values: FormValues) {
  const chosen = values.chosen("event_types");
  const types = EVENT_TYPES.map(([type]) => type).filter((type) => chosen.includes(type));
  return {
    url: withScheme(values.text("url")),
    description: values.text("description"),
    event_types: types.length === 0 ? null : types,
  };
}
