import { useEffect, useState } from "preact/hooks";
import { api, read } from "../../api/client.ts";
import { toError } from "../../api/hooks.ts";
import { ActionButton } from "../../ui/button.tsx";
import { Form, TextArea } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { OnlyActive } from "./ended.tsx";
import type { PanelProps } from "./panel.ts";

export function ClipboardTab({ session, isActive }: PanelProps) {
  const [text, setText] = useState("");
  const params = { path: { id: session.session_id } };
  const load = async () =>
    setText((await read(api.POST("/browsers/{id}/computer/clipboard/read", { params }))).text);
  const write = async () => {
    await read(api.POST("/browsers/{id}/computer/clipboard/write", { params, body: { text } }));
    showToast("The clipboard of the session has the text now.");
  };
  useEffect(() => {
    if (isActive) load().catch((error) => showToast(toError(error).message, "bad"));
  }, []);
  if (!isActive) return <OnlyActive what="Its clipboard is gone." />;
  return (
    <div class="panel">
      <p class="hint">The text that pages of this session copy and paste. Pictures are not shown.</p>
      <Form
        submit={write}
        label="Write to the clipboard"
        extra={<ActionButton action={load}>Read again</ActionButton>}
      >
        <TextArea label="Text on the clipboard" name="text" value={text} onChange={setText} rows={10} />
      </Form>
    </div>
  );
}
