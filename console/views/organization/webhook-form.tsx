import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { Checkbox, Form, TextField } from "../../ui/form.tsx";
import { EVENT_TYPES, type Webhook } from "./webhooks.ts";

interface WebhookFormProps {
  /** What it is before it changes. */
  webhook?: Webhook;
  label: string;
  submit: (body: Schemas["CreateWebhook"]) => Promise<void>;
}

export function WebhookForm({ webhook, label, submit }: WebhookFormProps) {
  const [url, setURL] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [types, setTypes] = useState(webhook?.event_types ?? []);
  const send = () => submit({ url, description, event_types: types.length === 0 ? null : types });
  return (
    <Form submit={send} label={label}>
      <TextField
        label="URL"
        name="url"
        placeholder="https://example.com/events"
        value={url}
        onChange={setURL}
      />
      <TextField label="Description" name="description" value={description} onChange={setDescription} />
      <fieldset>
        <legend>Events</legend>
        <p class="hint">Choose none to get all of them, also those of later versions.</p>
        {EVENT_TYPES.map(([type, meaning]) => (
          <Checkbox
            key={type}
            label={`${type}: ${meaning}`}
            value={types.includes(type)}
            onChange={(isChosen) =>
              setTypes(types.filter((one) => one !== type).concat(isChosen ? type : []))
            }
          />
        ))}
      </fieldset>
    </Form>
  );
}
