import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Badge } from "../../ui/badge.tsx";
import { ActionButton } from "../../ui/button.tsx";
import { CodeBlock, CopyText } from "../../ui/copy.tsx";
import { DialogButton, FormButton, SecretButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Checkbox, type FormValues } from "../../ui/form.tsx";
import { formatDuration } from "../../ui/format.ts";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { indentJSON } from "../invocations/indent-json.ts";
import { readWebhook, type Webhook, WebhookFields, WebhookState } from "./webhook-list.tsx";

type Delivery = Schemas["WebhookDelivery"];

const REFRESH_MS = 10_000;

const STATES = {
  pending: ["info", "Pending"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
} as const;

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
  { title: "Last response", cell: describeAnswer },
  { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts.length },
  { title: "Occurred", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Next attempt", cell: ({ next_attempt_at }) => <Time at={next_attempt_at} isDue /> },
];

export function WebhookView() {
  const { id = "" } = useRoute().params;
  const webhook = useLoad(`/org/webhooks/${id}`, (signal) =>
    read(api.GET("/org/webhooks/{id}", { params: { path: { id } }, signal })),
  );
  const [changes, setChanges] = useState(0);
  const changed = () => {
    webhook.reload();
    setChanges((count) => count + 1);
  };
  return (
    <ResourcePage
      noun="webhook"
      parent={{ href: "/console/webhooks", label: "Webhooks" }}
      resource={webhook}
      titleOf={({ description, url }) => description || url}
      status={(data) => <WebhookState {...data} />}
      actions={(data) => <WebhookActions webhook={data} onChanged={changed} />}
      remove={() => read(api.DELETE("/org/webhooks/{id}", { params: { path: { id } } }))}
      consequence="Its deliveries are also deleted. This cannot be undone."
    >
      {({ url, event_types, created_at, enabled }) => (
        <>
          <Facts
            facts={[
              ["URL", <CopyText text={url} what="the URL" />],
              ["Id", <CopyText text={id} what="the id" />],
              ["Events", event_types?.join(", ") ?? "All"],
              ["Created", <Time at={created_at} />],
            ]}
          />
          <Section title="Deliveries">
            <p class="hint">Kept for 7 days by default.</p>
            <List
              caption="Deliveries"
              name={`/org/webhooks/${id}/deliveries`}
              version={changes}
              load={({ limit, offset }, signal) => {
                const params = { path: { id }, query: { limit, offset } };
                return readPage(api.GET("/org/webhooks/{id}/deliveries", { params, signal }));
              }}
              columns={[
                ...COLUMNS,
                {
                  title: "Actions",
                  cell: (delivery) => (
                    <DeliveryActions
                      {...{ delivery, isEnabled: enabled, onChanged: changed }}
                      webhookId={id}
                    />
                  ),
                },
              ]}
              idOf={(delivery) => delivery.id}
              empty={() => <Empty title="Nothing sent yet">Send a test, or wait for an event.</Empty>}
              refreshMs={REFRESH_MS}
            />
          </Section>
        </>
      )}
    </ResourcePage>
  );
}

function WebhookActions({ webhook, onChanged }: { webhook: Webhook; onChanged: () => void }) {
  const { id, enabled } = webhook;
  const params = { path: { id } };
  const test = async () => {
    showResult("Test", await read(api.POST("/org/webhooks/{id}/test", { params })));
    onChanged();
  };
  const change = async (values: FormValues) => {
    const body = { ...readWebhook(values), enabled: values.flag("enabled") };
    await read(api.PATCH("/org/webhooks/{id}", { params, body }));
    showToast("The webhook was changed.");
    onChanged();
  };
  const rotate = async () => (await read(api.POST("/org/webhooks/{id}/rotate_secret", { params }))).secret;
  return (
    <>
      <ActionButton action={test} disabled={!enabled} title={enabled ? undefined : "It is disabled"}>
        Send a test
      </ActionButton>
      <FormButton
        title="Change the webhook"
        confirm="Save"
        submit={change}
        fields={
          <>
            <WebhookFields webhook={webhook} />
            <Checkbox
              label="Enabled"
              name="enabled"
              checked={enabled}
              hint="A disabled webhook gets no events, and its pending deliveries fail."
            />
          </>
        }
      >
        Change
      </FormButton>
      <SecretButton
        title="Rotate the secret?"
        what="the secret"
        confirm="Rotate"
        make={rotate}
        fields={<p>For 24 hours, messages are signed with both the new secret and the previous one.</p>}
      >
        Rotate the secret
      </SecretButton>
    </>
  );
}

interface DeliveryActionsProps {
  webhookId: string;
  delivery: Delivery;
  isEnabled: boolean;
  onChanged: () => void;
}

function DeliveryActions({ webhookId, delivery, isEnabled, onChanged }: DeliveryActionsProps) {
  const { id, event_type, payload } = delivery;
  const resend = async () => {
    const params = { path: { id: webhookId, delivery_id: id } };
    const call = api.POST("/org/webhooks/{id}/deliveries/{delivery_id}/resend", { params });
    showResult("Message", await read(call).finally(onChanged));
  };
  return (
    <div class="row-actions">
      <DialogButton
        title={`Payload of ${event_type}`}
        label={`Payload of ${event_type} ${id}`}
        content={() => <CodeBlock code={payload} shown={indentJSON(payload)} what="the payload" />}
      >
        Payload
      </DialogButton>
      <ActionButton
        action={resend}
        label={`Resend ${event_type} ${id}`}
        disabled={!isEnabled}
        title={isEnabled ? "Sends the same message with the same id" : "The webhook is disabled"}
      >
        Resend
      </ActionButton>
    </div>
  );
}

function showResult(what: string, delivery: Delivery): void {
  const tone = delivery.state === "delivered" ? "good" : "bad";
  const word = delivery.state === "pending" ? "not delivered yet" : delivery.state;
  showToast(`${what} ${word}: ${describeAnswer(delivery)}`, tone);
}

/** What the receiver answered last, such as `HTTP 204 in 12 ms`, or why it was not asked. */
function describeAnswer({ attempts, state_reason }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return state_reason ?? "None yet";
  const duration = formatDuration(last.duration_ms);
  const answer = last.status === undefined ? (last.error ?? "No response") : `HTTP ${last.status}`;
  return `${answer} in ${duration}`;
}
