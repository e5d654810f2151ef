import { useState } from "preact/hooks";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useIdentity } from "../../app/identity.ts";
import { useProjects } from "../../app/projects.tsx";
import { Badge } from "../../ui/badge.tsx";
import { ConfirmButton, SecretButton } from "../../ui/dialog-button.tsx";
import { type FormValues, SelectField, TextField } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

type APIKey = Schemas["APIKey"];

const STATUSES = [
  ["active", "Active"],
  ["deleted", "Deleted"],
  ["all", "All"],
] as const;

export function APIKeyList() {
  const identity = useIdentity();
  const [changes, setChanges] = useState(0);
  const changed = () => setChanges((count) => count + 1);
  const isOwn = ({ id }: APIKey) => identity.kind === "organization" && identity.api_key.id === id;
  const columns: Column<APIKey>[] = [
    {
      title: "Name",
      cell: (key) => (
        <>
          <span class="row-name">{key.name}</span>
          {isOwn(key) && <Badge tone="info">This sign-in</Badge>}
          {key.deleted_at !== null && <Badge>Deleted</Badge>}
          {isExpired(key) && <Badge tone="warn">Expired</Badge>}
        </>
      ),
    },
    { title: "Key", cell: (key) => <code>{key.masked_key}</code> },
    { title: "Access", cell: Access },
    { title: "Created", cell: (key) => <Time at={key.created_at} /> },
    { title: "Last used", cell: (key) => (key.last_used_at ? <Time at={key.last_used_at} /> : "Never") },
    { title: "Expires", cell: (key) => (key.expires_at ? <Time at={key.expires_at} /> : "Never") },
    {
      title: "Actions",
      cell: (key) =>
        key.deleted_at === null && <KeyActions apiKey={key} isOwn={isOwn(key)} onChanged={changed} />,
    },
  ];
  return (
    <Page
      title="API keys"
      actions={
        <SecretButton
          kind="primary"
          title="New API key"
          what="the key"
          confirm="Create"
          make={createKey}
          onClose={changed}
          fields={<KeyFields />}
        />
      }
    >
      <List
        caption="API keys"
        name="/org/api_keys"
        version={changes}
        search="Search by name or id"
        filters={[{ param: "status", label: "Status", options: STATUSES }]}
        load={(page, signal, chosen) => {
          const status = STATUSES.find(([value]) => value === chosen.status)?.[0];
          return readPage(api.GET("/org/api_keys", { params: { query: { ...page, status } }, signal }));
        }}
        columns={columns}
        idOf={(key) => key.id}
        empty={() => <Empty title="No matching keys" />}
      />
    </Page>
  );
}

const ACCESS = [
  ["full", "Full access"],
  ["sessions", "Sessions only"],
  ["read", "Read only"],
] as const;

/** What a key may do, and its limits. */
function Access({ access, project_id, project_name, ...limits }: APIKey) {
  const { max_concurrent_sessions: sessions, requests_per_minute: requests } = limits;
  const parts = [
    project_id !== null && `in the project ${project_name ?? "that was deleted"}`,
    sessions !== null && `${sessions} sessions`,
    requests !== null && `${requests} calls per minute`,
  ];
  return (
    <span>
      {ACCESS.find(([value]) => value === access)?.[1]}{" "}
      <span class="dim">{parts.filter(Boolean).join(", ")}</span>
    </span>
  );
}

const NUMBERS = [
  ["max_concurrent_sessions", "Maximum sessions", "Empty: only the organization's limit applies."],
  ["requests_per_minute", "Maximum calls per minute", "Empty: the service's limit."],
  ["days_to_expire", "Days until it expires", "Empty: never."],
] as const;

function KeyFields() {
  const { active } = useProjects();
  const projects = active.map(({ id, name }) => [id, name] as const);
  return (
    <>
      <TextField label="Name" name="name" />
      <SelectField
        label="Access"
        name="access"
        options={ACCESS}
        hint="Read access does not include cookies."
      />
      <SelectField label="Project" name="project_id" options={[["", "All"], ...projects]} />
      {NUMBERS.map(([name, label, hint]) => (
        <TextField key={name} {...{ name, label, hint }} type="number" />
      ))}
    </>
  );
}

function isExpired({ expires_at }: APIKey): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}

interface KeyActionsProps {
  apiKey: APIKey;
  isOwn: boolean;
  onChanged: () => void;
}

function KeyActions({ apiKey: { id, name }, isOwn, onChanged }: KeyActionsProps) {
  const params = { path: { id } };
  const rotate = async (values: FormValues) => {
    const body = {
      expire_in_days: values.number("expire_in_days"),
      days_to_expire: values.number("days_to_expire"),
    };
    return (await read(api.POST("/org/api_keys/{id}/rotate", { params, body }))).key;
  };
  const remove = async () => {
    await read(api.DELETE("/org/api_keys/{id}", { params }));
    showToast(`The key “${name}” was deleted.`);
    onChanged();
  };
  return (
    <div class="row-actions">
      <SecretButton
        label={`Rotate the key ${name}`}
        title={`Rotate the key “${name}”`}
        what="the key"
        confirm="Rotate"
        make={rotate}
        // Only now, because the row with the dialog may move to another page.
        onClose={onChanged}
        fields={
          <>
            <TextField
              label="Days until the old key stops working"
              name="expire_in_days"
              type="number"
              value={7}
              hint={
                isOwn ? "0: at once. You are signed in with this key and will be signed out." : "0: at once."
              }
            />
            <TextField
              label="Days until the new key expires"
              name="days_to_expire"
              type="number"
              hint="Empty: the same lifetime as the old key."
            />
          </>
        }
      >
        Rotate
      </SecretButton>
      <ConfirmButton
        label={`Delete the key ${name}`}
        disabled={isOwn}
        hover={isOwn ? "You are signed in with this key" : undefined}
        question={`Delete the key “${name}”?`}
        consequence="Requests with this key will fail and the URLs of its sessions stop working. Running sessions continue."
        confirm="Delete"
        action={remove}
      />
    </div>
  );
}

async function createKey(values: FormValues): Promise<string> {
  const body = {
    name: values.text("name"),
    access: ACCESS.find(([value]) => value === values.text("access"))?.[0],
    project_id: values.optional("project_id"),
    ...Object.fromEntries(NUMBERS.map(([name]) => [name, values.number(name)])),
  };
  return (await read(api.POST("/org/api_keys", { body }))).key;
}
