import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/copy.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import type { PanelProps } from "./panel.ts";

/** The text that pages of the session copy and paste. */
export function ClipboardTab({ session: { session_id: id } }: PanelProps) {
  const params = { path: { id } };
  const clipboard = useLoad(`clipboard ${id}`, (signal) =>
    read(api.POST("/browsers/{id}/computer/clipboard/read", { params, signal })),
  );
  return (
    <div class="panel">
      <Loaded resource={clipboard}>
        {({ text }) =>
          text === "" ? (
            <Empty title="The clipboard contains no text" />
          ) : (
            <CodeBlock code={text} what="the text on the clipboard" />
          )
        }
      </Loaded>
      <div>
        <Button onClick={clipboard.reload}>Read again</Button>
      </div>
      <Form
        submit={async (values) => {
          const body = { text: values.text("text") };
          await read(api.POST("/browsers/{id}/computer/clipboard/write", { params, body }));
          clipboard.reload();
        }}
        label="Write to the clipboard"
      >
        <TextField label="New text" name="text" rows={5} />
      </Form>
    </div>
  );
}
