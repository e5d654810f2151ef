import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Badge } from "../../ui/badge.tsx";
import { ActionButton, ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Form } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookState } from "./webhook-list.tsx";
import { type Delivery, describeAttempt, STATES, type Webhook } from "./webhooks.ts";

const REFRESH_MS = 10_000;

export function WebhookView() {
  const { id = "" } = useRoute().params;
  const webhook = useLoad(`/org/webhooks/${id}`, (signal) =>
    read(api.GET("/org/webhooks/{id}", { params: { path: { id } }, signal })),
  );
  const [changes, setChanges] = useState(0);
  const { data, reload } = webhook;
  const changed = () => {
    reload();
    setChanges((count) => count + 1);
  };
  return (
    <Page
      title={data === undefined ? "Webhook" : data.description || data.url}
      status={data && <WebhookState {...data} />}
      actions={data && <WebhookActions webhook={data} onChanged={changed} />}
      parent={{ href: "/console/webhooks", label: "Webhooks" }}
    >
      <Loaded resource={webhook}>
        {({ url, event_types, created_at }) => (
          <>
            <Facts
              facts={[
                ["URL", <CopyText text={url} what="the URL" />],
                ["Id", <CopyText text={id} what="the id" />],
                ["Events", event_types?.join(", ") ?? "All"],
                ["Created", <Time at={created_at} />],
              ]}
            />
            <Deliveries id={id} changes={changes} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function WebhookActions({ webhook, onChanged }: { webhook: Webhook; onChanged: () => void }) {
  const { id, enabled } = webhook;
  const params = { path: { id } };
  const { route } = useLocation();
  const test = async () => {
    const { state, state_reason, attempts } = await read(api.POST("/org/webhooks/{id}/test", { params }));
    const answer = attempts.map(describeAttempt).at(-1) ?? state_reason ?? "";
    showToast(`Test ${state}: ${answer}`, state === "delivered" ? "good" : "bad");
    onChanged();
  };
  const change = async (body: Schemas["UpdateWebhook"]) => {
    await read(api.PATCH("/org/webhooks/{id}", { params, body }));
    showToast("The webhook was changed.");
    onChanged();
  };
  const rotate = async () => (await read(api.POST("/org/webhooks/{id}/rotate_secret", { params }))).secret;
  const remove = async () => {
    await read(api.DELETE("/org/webhooks/{id}", { params }));
    showToast("The webhook was deleted.");
    route("/console/webhooks");
  };
  return (
    <>
      <ActionButton action={test} disabled={!enabled} title={enabled ? undefined : "It is disabled"}>
        Send a test
      </ActionButton>
      <DialogButton
        title="Change the webhook"
        content={(close) => (
          <WebhookForm webhook={webhook} label="Save" submit={(body) => change(body).then(close)} />
        )}
      >
        Change
      </DialogButton>
      <DialogButton
        title="Rotate the secret?"
        content={() => (
          <ShownOnce what="the secret">
            {(show) => (
              <Form submit={async () => show(await rotate())} label="Rotate">
                <p>For 24 hours, messages are signed with both the new secret and the one before it.</p>
              </Form>
            )}
          </ShownOnce>
        )}
      >
        Rotate the secret
      </DialogButton>
      <ConfirmButton
        kind="plain"
        question={enabled ? "Disable this webhook?" : "Enable this webhook?"}
        consequence={enabled ? "It gets no events, and pending deliveries fail." : "It gets events again."}
        confirm={enabled ? "Disable" : "Enable"}
        action={() => change({ enabled: !enabled })}
      >
        {enabled ? "Disable" : "Enable"}
      </ConfirmButton>
      <ConfirmButton
        question="Delete this webhook?"
        consequence="Its deliveries are deleted, too. This cannot be undone."
        confirm="Delete"
        action={remove}
      >
        Delete
      </ConfirmButton>
    </>
  );
}

const COLUMNS: Column<Delivery>[] = [
  {
    title: "Event",
    cell: ({ id, event_type }) => (
      <>
        <span class="row-name">{event_type}</span>
        <code class="dim">{id}</code>
      </>
    ),
  },
  { title: "State", cell: ({ state }) => <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge> },
  { title: "Attempts", cell: Attempts },
  { title: "Occurred", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Next attempt", cell: ({ next_attempt_at }) => <Time at={next_attempt_at} /> },
];

/** The last answer, and on demand all of them. */
function Attempts({ attempts, state_reason }: Delivery) {
  const answers = attempts.map(describeAttempt);
  if (answers.length < 2) return <>{answers[0] ?? state_reason ?? <span class="dim">None yet</span>}</>;
  return (
    <details>
      <summary>
        {answers.at(-1)} <span class="dim">· {answers.length} attempts</span>
      </summary>
      <ol>
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <Time at={attempt.at} />: {describeAttempt(attempt)}
          </li>
        ))}
      </ol>
      {state_reason}
    </details>
  );
}

function Deliveries({ id, changes }: { id: string; changes: number }) {
  return (
    <Section title="Deliveries">
      <p class="hint">
        Ended deliveries are kept for 7 days, unless the operator sets another time. This version does not
        show their payloads and cannot send them again.
      </p>
      <List
        caption="Deliveries"
        name={`/org/webhooks/${id}/deliveries`}
        version={changes}
        load={({ limit, offset }, signal) => {
          const params = { path: { id }, query: { limit, offset } };
          return readPage(api.GET("/org/webhooks/{id}/deliveries", { params, signal }));
        }}
        columns={COLUMNS}
        idOf={(delivery) => delivery.id}
        empty={() => <Empty title="Nothing was sent yet">Send a test, or wait for an event.</Empty>}
        refreshMs={REFRESH_MS}
      />
    </Section>
  );
}
