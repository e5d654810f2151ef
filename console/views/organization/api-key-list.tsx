import { useState } from "preact/hooks";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useIdentity } from "../../app/identity.ts";
import { useQuery } from "../../app/query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ConfirmButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { FilterSelect, List } from "../../ui/list.tsx";
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
  const [query, setQuery] = useQuery();
  const [dialog, setDialog] = useState<"create" | APIKey>();
  const [changes, setChanges] = useState(0);
  const status = STATUSES.find(([value]) => value === query.status)?.[0] ?? "active";
  const ownId = identity.kind === "organization" ? identity.api_key.id : undefined;
  const changed = () => setChanges((count) => count + 1);
  const remove = async (key: APIKey) => {
    await read(api.DELETE("/org/api_keys/{id}", { params: { path: { id: key.id } } }));
    showToast(`The key “${key.name}” was deleted.`);
    changed();
  };
  const columns: Column<APIKey>[] = [
    {
      title: "Name",
      cell: (key) => (
        <>
          <span class="row-name">{key.name}</span>{" "}
          {key.id === ownId && <Badge tone="info">This sign-in</Badge>}
        </>
      ),
    },
    { title: "Key", cell: (key) => <code>{key.masked_key}</code> },
    { title: "Scope", cell: () => "Full access", isMinor: true },
    { title: "Created", cell: (key) => <Time at={key.created_at} /> },
    { title: "Last used", cell: (key) => <Time at={key.last_used_at} /> },
    { title: "Expires", cell: (key) => (key.expires_at === null ? "Never" : <Time at={key.expires_at} />) },
    {
      title: "Actions",
      cell: (key) =>
        key.deleted_at !== null ? (
          <Badge>Deleted</Badge>
        ) : (
          <div class="row-actions">
            <Button onClick={() => setDialog(key)}>Rotate</Button>
            <ConfirmButton
              label={`Delete the key ${key.name}`}
              disabled={key.id === ownId}
              title={key.id === ownId ? "You are signed in with this key" : undefined}
              question={`Delete the key “${key.name}”?`}
              consequence="Calls with it are refused at once, and the URLs of its sessions are revoked."
              confirm="Delete"
              action={() => remove(key)}
            >
              Delete
            </ConfirmButton>
          </div>
        ),
    },
  ];
  return (
    <Page
      title="API keys"
      actions={
        <Button kind="primary" onClick={() => setDialog("create")}>
          New key
        </Button>
      }
    >
      <p class="hint">
        Every key has full access to the organization. This version of Berth has no narrower scopes.
      </p>
      <List
        caption="API keys"
        name={`/org/api_keys ${changes}`}
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
      {dialog === "create" && <CreateKey onClose={() => setDialog(undefined)} onCreated={changed} />}
      {typeof dialog === "object" && (
        <RotateKey apiKey={dialog} onClose={() => setDialog(undefined)} onCreated={changed} />
      )}
    </Page>
  );
}

interface KeyDialogProps {
  onClose: () => void;
  onCreated: () => void;
}

function CreateKey({ onClose, onCreated }: KeyDialogProps) {
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [created, setCreated] = useState<Schemas["CreatedAPIKey"]>();
  const submit = async () => {
    const body = { name, days_to_expire: days === "" ? null : Number(days) };
    setCreated(await read(api.POST("/org/api_keys", { body })));
    onCreated();
  };
  return (
    <Dialog title="New API key" onClose={onClose}>
      {created === undefined ? (
        <Form submit={submit} label="Create">
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
      ) : (
        <NewKey created={created} />
      )}
    </Dialog>
  );
}

function RotateKey({ apiKey, onClose, onCreated }: KeyDialogProps & { apiKey: APIKey }) {
  const [days, setDays] = useState("7");
  const [created, setCreated] = useState<Schemas["CreatedAPIKey"]>();
  const submit = async () => {
    const params = { path: { id: apiKey.id } };
    const body = { expire_in_days: Number(days) };
    setCreated(await read(api.POST("/org/api_keys/{id}/rotate", { params, body })));
    onCreated();
  };
  return (
    <Dialog title={`Rotate the key “${apiKey.name}”`} onClose={onClose}>
      {created === undefined ? (
        <Form submit={submit} label="Rotate">
          <TextField
            label="Days until the old key stops working"
            name="expire_in_days"
            type="number"
            hint="0: at once."
            value={days}
            onChange={setDays}
          />
        </Form>
      ) : (
        <NewKey created={created} />
      )}
    </Dialog>
  );
}

function NewKey({ created }: { created: Schemas["CreatedAPIKey"] }) {
  return (
    <>
      <p>Copy the key now. It is not shown again.</p>
      <CopyText text={created.key} what="the key" />
    </>
  );
}
