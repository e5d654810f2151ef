import { useState } from "preact/hooks";
import { api, read, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { Checkbox, Form, TextArea, TextField } from "../../ui/form.tsx";
import { Empty, Loaded, NotAvailable } from "../../ui/states.tsx";
import { Time, TimeLeft } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { OnlyActive } from "./ended.tsx";
import { type PanelProps, toPath } from "./panel.ts";

type Handoff = Schemas["Handoff"];

const REFRESH_MS = 5000;

const STATUSES: Record<Handoff["status"], [string, Tone]> = {
  pending: ["Pending", "info"],
  done: ["Done", "good"],
  expired: ["Expired", "warn"],
  withdrawn: ["Withdrawn", "neutral"],
};

export function HandoffsTab({ session, isActive }: PanelProps) {
  if (!isActive) return <OnlyActive what="Handoffs are not kept after the end." />;
  if (session.headless) {
    return (
      <NotAvailable title="Headless sessions have no handoffs">
        A handoff needs the live view, in which the person takes over.
      </NotAvailable>
    );
  }
  return <Handoffs id={session.session_id} />;
}

function Handoffs({ id }: { id: string }) {
  const handoffs = useLoad(
    `handoffs ${id}`,
    (signal) => read(api.GET("/browsers/{id}/handoffs", { params: { path: { id } }, signal })),
    { refreshMs: REFRESH_MS },
  );
  const withdraw = async (handoff_id: string) => {
    await read(api.DELETE("/browsers/{id}/handoffs/{handoff_id}", { params: { path: { id, handoff_id } } }));
    showToast("The handoff was withdrawn.");
    handoffs.reload();
  };
  return (
    <div class="panel">
      <div class="filters">
        <DialogButton
          kind="primary"
          title="New handoff"
          content={(close) => <CreateHandoff id={id} onClose={close} onCreated={handoffs.reload} />}
        >
          New handoff
        </DialogButton>
        <span class="hint">Asks a person to take over. Open live views show the instructions.</span>
      </div>
      <Loaded resource={handoffs}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No handoffs" />
          ) : (
            <ul class="handoffs">
              {list.map((handoff) => (
                <HandoffItem key={handoff.handoff_id} handoff={handoff} withdraw={withdraw} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function HandoffItem({ handoff, withdraw }: { handoff: Handoff; withdraw: (id: string) => Promise<void> }) {
  const { status, instructions, note, live_view_url, created_at, completed_at, expires_at } = handoff;
  const [label, tone] = STATUSES[status];
  return (
    <li class="section">
      <p class="section-head">
        <span>
          <Badge tone={tone}>{label}</Badge> {handoff.pause_agent && <Badge>Pauses the agent</Badge>}
        </span>
        <span class="dim">
          {status === "pending" ? (
            <>
              <TimeLeft until={expires_at} /> left
            </>
          ) : (
            <Time at={completed_at ?? created_at} />
          )}
        </span>
      </p>
      <p class="plain-text">{instructions}</p>
      {note !== null && <p class="plain-text dim">Note: {note}</p>}
      {live_view_url !== null && (
        <div class="filters">
          <a href={toPath(live_view_url)} target="_blank" rel="noreferrer">
            Take over
          </a>
          <span>
            Link for the person <CopyButton text={live_view_url} what="the link" />
          </span>
          <ConfirmButton
            kind="plain"
            question="Withdraw the handoff?"
            consequence="Its link stops working, and whoever waits for it goes on."
            confirm="Withdraw"
            action={() => withdraw(handoff.handoff_id)}
          >
            Withdraw
          </ConfirmButton>
        </div>
      )}
    </li>
  );
}

interface CreateHandoffProps {
  id: string;
  onClose: () => void;
  onCreated: () => void;
}

function CreateHandoff({ id, onClose, onCreated }: CreateHandoffProps) {
  const [instructions, setInstructions] = useState("");
  const [minutes, setMinutes] = useState("10");
  const [pauses, setPauses] = useState(false);
  const submit = async () => {
    const body = {
      instructions,
      expires_in_seconds: Math.round(Number(minutes) * 60),
      pause_agent: pauses,
    };
    await read(api.POST("/browsers/{id}/handoffs", { params: { path: { id } }, body }));
    showToast("The handoff waits for a person.");
    onCreated();
    onClose();
  };
  return (
    <Form submit={submit} label="Ask">
      <TextArea
        label="What the person is to do"
        name="instructions"
        value={instructions}
        onChange={setInstructions}
        rows={4}
      />
      <TextField
        label="Minutes until it expires"
        name="expires_in_seconds"
        type="number"
        value={minutes}
        onChange={setMinutes}
      />
      <Checkbox label="Hold the agent's computer calls meanwhile" value={pauses} onChange={setPauses} />
    </Form>
  );
}
