import { useState } from "preact/hooks";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useIdentity } from "../../app/identity.ts";
import { useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/button.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { FilterSelect, List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time, useNow } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

type APIKey = Schemas["APIKey"];

const STATUSES = [
  ["active", "Active"],
  ["deleted", "Deleted"],
  ["all", "All"],
] as const;

export function APIKeyList() {
  const identity = useIdentity();
  const [query, setQuery] = useQuery();
  const [changes, setChanges] = useState(0);
  const status = STATUSES.find(([value]) => value === query.status)?.[0] ?? "active";
  const ownId = identity.kind === "organization" ? identity.api_key.id : undefined;
  const changed = () => setChanges((count) => count + 1);
  const columns: Column<APIKey>[] = [
    {
      title: "Name",
      cell: (key) => (
        <>
          <span class="row-name">{key.name}</span>
          {key.id === ownId && <Badge tone="info">This sign-in</Badge>}
        </>
      ),
    },
    { title: "Key", cell: (key) => <code>{key.masked_key}</code> },
    { title: "Scope", cell: () => "Full access", isMinor: true },
    { title: "Created", cell: (key) => <Time at={key.created_at} /> },
    { title: "Last used", cell: (key) => (key.last_used_at ? <Time at={key.last_used_at} /> : "Never") },
    { title: "Expires", cell: (key) => <Expiry at={key.expires_at} /> },
    {
      title: "Actions",
      cell: (key) =>
        key.deleted_at === null ? (
          <KeyActions apiKey={key} isOwn={key.id === ownId} onChanged={changed} />
        ) : (
          <Badge>Deleted</Badge>
        ),
    },
  ];
  return (
    <Page
      title="API keys"
      actions={
        <DialogButton kind="primary" title="New API key" onClose={changed} content={() => <CreateKey />}>
          New key
        </DialogButton>
      }
    >
      <p class="hint">
        Every key has full access to the organization. This version of Berth has no narrower scopes.
      </p>
      <List
        caption="API keys"
        name="/org/api_keys"
        version={changes}
        search="Search by name or id"
        filters={{
          key: status,
          isActive: status !== "active",
          controls: (
            <FilterSelect
              label="Status"
              value={status}
              options={STATUSES}
              onChange={(value) =>
                setQuery({ status: value === "active" ? undefined : value, offset: undefined })
              }
            />
          ),
        }}
        load={(page, signal) =>
          readPage(api.GET("/org/api_keys", { params: { query: { ...page, status } }, signal }))
        }
        columns={columns}
        idOf={(key) => key.id}
        empty={() => <Empty title="No key matches" />}
      />
    </Page>
  );
}

function Expiry({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <>Never</>;
  return (
    <span>
      {Date.parse(at) <= now && <Badge tone="warn">Expired</Badge>} <Time at={at} />
    </span>
  );
}

interface KeyProps {
  apiKey: APIKey;
  isOwn: boolean;
  onChanged: () => void;
}

function KeyActions({ apiKey, isOwn, onChanged }: KeyProps) {
  const { id, name } = apiKey;
  const remove = async () => {
    await read(api.DELETE("/org/api_keys/{id}", { params: { path: { id } } }));
    showToast(`The key “${name}” was deleted.`);
    onChanged();
  };
  return (
    <div class="row-actions">
      <DialogButton
        label={`Rename the key ${name}`}
        title={`Rename the key “${name}”`}
        content={(close) => <RenameKey {...{ apiKey, close }} />}
        onClose={onChanged}
      >
        Rename
      </DialogButton>
      <DialogButton
        label={`Rotate the key ${name}`}
        title={`Rotate the key “${name}”`}
        content={() => <RotateKey {...{ apiKey, isOwn }} />}
        // Only now, because the row with the dialog may move to another page.
        onClose={onChanged}
      >
        Rotate
      </DialogButton>
      <ConfirmButton
        label={`Delete the key ${name}`}
        disabled={isOwn}
        title={isOwn ? "You are signed in with this key" : undefined}
        question={`Delete the key “${name}”?`}
        consequence="Calls with it are refused, and the URLs of its sessions are revoked. The sessions go on."
        confirm="Delete"
        action={remove}
      >
        Delete
      </ConfirmButton>
    </div>
  );
}

function CreateKey() {
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const create = async () => {
    const body = { name, days_to_expire: days === "" ? null : Number(days) };
    return (await read(api.POST("/org/api_keys", { body }))).key;
  };
  return (
    <ShownOnce what="the key">
      {(show) => (
        <Form submit={async () => show(await create())} label="Create">
          <TextField label="Name" name="name" value={name} onChange={setName} />
          <TextField
            label="Days until it expires"
            name="days_to_expire"
            type="number"
            hint="Empty: never."
            value={days}
            onChange={setDays}
          />
        </Form>
      )}
    </ShownOnce>
  );
}

function RenameKey({ apiKey, close }: { apiKey: APIKey; close: () => void }) {
  const [name, setName] = useState(apiKey.name);
  const rename = async () => {
    await read(api.PATCH("/org/api_keys/{id}", { params: { path: { id: apiKey.id } }, body: { name } }));
    showToast("The key was renamed.");
    close();
  };
  return (
    <Form submit={rename} label="Rename">
      <TextField label="Name" name="name" value={name} onChange={setName} />
    </Form>
  );
}

function RotateKey({ apiKey, isOwn }: Omit<KeyProps, "onChanged">) {
  const [days, setDays] = useState("7");
  const [newDays, setNewDays] = useState("");
  const rotate = async () => {
    const params = { path: { id: apiKey.id } };
    const body = {
      expire_in_days: Number(days),
      days_to_expire: newDays === "" ? undefined : Number(newDays),
    };
    return (await read(api.POST("/org/api_keys/{id}/rotate", { params, body }))).key;
  };
  return (
    <ShownOnce what="the key">
      {(show) => (
        <Form submit={async () => show(await rotate())} label="Rotate">
          <TextField
            label="Days until the old key stops working"
            name="expire_in_days"
            type="number"
            hint={isOwn ? "0: at once. You are signed in with it, and signed out then." : "0: at once."}
            value={days}
            onChange={setDays}
          />
          <TextField
            label="Days until the new key expires"
            name="days_to_expire"
            type="number"
            hint="Empty: it lasts as long as the old one was to last."
            value={newDays}
            onChange={setNewDays}
          />
        </Form>
      )}
    </ShownOnce>
  );
}
