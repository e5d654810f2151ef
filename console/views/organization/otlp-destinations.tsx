import { useState } from "preact/hooks";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { ActionButton, ConfirmButton } from "../../ui/button.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { DocLink } from "../../ui/doc-link.tsx";
import { Form, TextArea, TextField } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { parseHeaders } from "./webhooks.ts";

type Destination = Schemas["OTLPDestination"];

const MOST = 100;

/** Receivers of the telemetry of sessions. */
export function OTLPDestinations() {
  const destinations = useLoad("/org/otlp_destinations", (signal) =>
    readPage(api.GET("/org/otlp_destinations", { params: { query: { limit: MOST } }, signal })),
  );
  const { reload } = destinations;
  const columns: Column<Destination>[] = [
    { title: "Name", cell: ({ name }) => <span class="row-name">{name}</span> },
    { title: "Address", cell: ({ endpoint }) => <code>{endpoint}</code> },
    { title: "Headers", cell: ({ headers }) => Object.keys(headers).join(", ") || "None" },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Actions", cell: (row) => <DestinationActions destination={row} onDeleted={reload} /> },
  ];
  return (
    <Section
      title="OTLP destinations"
      actions={
        <DialogButton
          title="New OTLP destination"
          content={(close) => <CreateDestination onCreated={reload} close={close} />}
        >
          New destination
        </DialogButton>
      }
    >
      <p class="hint">
        A session that <DocLink page="telemetry">selects a destination</DocLink> exports its telemetry there
        as logs, over OTLP/HTTP.
      </p>
      <Loaded resource={destinations} lines={2}>
        {({ items, hasMore }) => (
          <>
            {items.length === 0 ? (
              <Empty title="No destinations yet" />
            ) : (
              <Table caption="OTLP destinations" columns={columns} rows={items} idOf={({ id }) => id} />
            )}
            {hasMore && <p class="hint">Only the newest {MOST} are shown.</p>}
          </>
        )}
      </Loaded>
    </Section>
  );
}

interface DestinationActionsProps {
  destination: Destination;
  onDeleted: () => void;
}

function DestinationActions({ destination: { id, name }, onDeleted }: DestinationActionsProps) {
  const params = { path: { id_or_name: id } };
  const test = async () => {
    const result = await read(api.POST("/org/otlp_destinations/{id_or_name}/test", { params }));
    if (result.success) showToast(`“${name}” took the test record.`);
    else showToast(`The test of “${name}” failed: ${result.message ?? `HTTP ${result.status}`}.`, "bad");
  };
  const remove = async () => {
    await read(api.DELETE("/org/otlp_destinations/{id_or_name}", { params }));
    showToast(`The destination “${name}” was deleted.`);
    onDeleted();
  };
  return (
    <div class="row-actions">
      <ActionButton label={`Test the destination ${name}`} action={test}>
        Test
      </ActionButton>
      <ConfirmButton
        label={`Delete the destination ${name}`}
        question={`Delete the destination “${name}”?`}
        consequence="Running sessions stop exporting to it within 30 seconds."
        confirm="Delete"
        action={remove}
      >
        Delete
      </ConfirmButton>
    </div>
  );
}

function CreateDestination({ onCreated, close }: { onCreated: () => void; close: () => void }) {
  const [name, setName] = useState("");
  const [endpoint, setEndpoint] = useState("");
  const [headers, setHeaders] = useState("");
  const create = async () => {
    const body = { name, endpoint, headers: parseHeaders(headers) };
    await read(api.POST("/org/otlp_destinations", { body }));
    showToast(`The destination “${name}” was created.`);
    onCreated();
    close();
  };
  return (
    <Form submit={create} label="Create">
      <TextField label="Name" name="name" value={name} onChange={setName} />
      <TextField
        label="Address"
        name="endpoint"
        placeholder="https://otlp.example.com"
        hint="Berth appends /v1/logs."
        value={endpoint}
        onChange={setEndpoint}
      />
      <TextArea
        label="Headers"
        name="headers"
        rows={3}
        hint="One a line, such as authorization: Bearer key. They are stored encrypted and never shown."
        value={headers}
        onChange={setHeaders}
      />
    </Form>
  );
}
