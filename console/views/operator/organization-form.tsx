import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Schemas } from "../../api/client.ts";
import { Form, TextField } from "../../ui/form.tsx";

export type OrganizationFields = Pick<
  Schemas["Organization"],
  "name" | "max_concurrent_sessions" | "max_pooled_sessions"
>;

interface OrganizationFormProps {
  /** What it is before it changes. */
  organization?: OrganizationFields;
  label: string;
  submit: (body: OrganizationFields) => Promise<void>;
  /** Further fields. */
  children?: ComponentChildren;
}

const LIMITS = [
  ["max_concurrent_sessions", "Most sessions at a time"],
  ["max_pooled_sessions", "Most browsers in pools"],
] as const;

/** The fields of a limit are empty where the service's default is in force. */
export function OrganizationForm({ organization, label, submit, children }: OrganizationFormProps) {
  const [name, setName] = useState(organization?.name ?? "");
  const [limits, setLimits] = useState({
    max_concurrent_sessions: String(organization?.max_concurrent_sessions ?? ""),
    max_pooled_sessions: String(organization?.max_pooled_sessions ?? ""),
  });
  const limitOf = (text: string) => (text === "" ? null : Number(text));
  const send = () =>
    submit({
      name,
      max_concurrent_sessions: limitOf(limits.max_concurrent_sessions),
      max_pooled_sessions: limitOf(limits.max_pooled_sessions),
    });
  return (
    <Form submit={send} label={label}>
      <TextField label="Name" name="name" value={name} onChange={setName} />
      {children}
      {LIMITS.map(([field, text]) => (
        <TextField
          key={field}
          label={text}
          name={field}
          type="number"
          hint="Empty: the service's default."
          value={limits[field]}
          onChange={(value) => setLimits({ ...limits, [field]: value })}
        />
      ))}
    </Form>
  );
}
