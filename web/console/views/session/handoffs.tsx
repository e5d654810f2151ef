import { api, read, type Schemas } from "../../api/client.ts";
import { ActionButton } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { FormButton } from "../../ui/dialog-button.tsx";
import { Checkbox, type FormValues, TextField } from "../../ui/form.tsx";
import { TimeLeft } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { toPath } from "./panel.ts";

export type Handoff = Schemas["Handoff"];

interface HandoffsProps {
  id: string;
  handoffs: readonly Handoff[];
  reload: () => void;
}

/** What agents ask people to do in the session. */
export function Handoffs({ id, handoffs, reload }: HandoffsProps) {
  const withdraw = async (handoff_id: string) => {
    const params = { path: { id, handoff_id } };
    await read(api.DELETE("/browsers/{id}/handoffs/{handoff_id}", { params })).finally(reload);
  };
  return handoffs
    .filter(({ status }) => status === "pending")
    .map(({ handoff_id, instructions, expires_at, live_view_url }) => (
      <section key={handoff_id} class="notice" aria-label="Handoff">
        <p>
          <strong>An agent is waiting for you:</strong> “{instructions}”, <TimeLeft until={expires_at} /> left
        </p>
        <HandoffLinks url={live_view_url} />
        <ActionButton action={() => withdraw(handoff_id)}>Withdraw</ActionButton>
      </section>
    ));
}

/** The link for the person, which keys that may only read do not get. */
export function HandoffLinks({ url }: { url: string | null }) {
  if (url === null) return null;
  return (
    <>
      <a class="button is-primary" href={toPath(url)} target="_blank" rel="noreferrer">
        Take over
      </a>
      <CopyButton text={url} what="the link for the person">
        Copy link
      </CopyButton>
    </>
  );
}

/** Asks a person to take over, as an agent would. */
export function AskButton({ id, reload }: Omit<HandoffsProps, "handoffs">) {
  const ask = async (values: FormValues) => {
    const body = {
      instructions: values.text("instructions"),
      expires_in_seconds: Math.round((values.number("expires_in_seconds") ?? 10) * 60),
      pause_agent: values.flag("pause_agent"),
    };
    await read(api.POST("/browsers/{id}/handoffs", { params: { path: { id } }, body }));
    showToast("Copy the link and send it to the person.");
    reload();
  };
  return (
    <FormButton
      title="Ask a person to take over"
      confirm="Create the link"
      submit={ask}
      fields={
        <>
          <TextField label="Instructions" name="instructions" rows={3} />
          <TextField label="Minutes" name="expires_in_seconds" type="number" value={10} />
          <Checkbox label="Pause the agent's computer calls" name="pause_agent" />
        </>
      }
    >
      Hand off
    </FormButton>
  );
}
