import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, TextField } from "./form.tsx";

interface NameButtonProps {
  /** Text of the button that opens the dialog. */
  children: string;
  kind?: "plain" | "primary";
  /** Heading of the dialog. */
  title: string;
  /** Text of the button that confirms. */
  confirm: string;
  /** The name so far. */
  initial?: string | null;
  hint?: ComponentChildren;
  /** @throws APIError, whose problem of `name` appears beside the field. */
  action: (name: string) => Promise<void>;
}

/** Asks for a name, to create or rename something. */
export function NameButton({ children, kind, title, confirm, initial, hint, action }: NameButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const open = () => {
    setName(initial ?? "");
    setOpen(true);
  };
  const submit = async () => {
    await action(name);
    setOpen(false);
  };
  return (
    <>
      <Button kind={kind} onClick={open}>
        {children}
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <Form submit={submit} label={confirm}>
            <TextField label="Name" name="name" hint={hint} value={name} onChange={setName} />
          </Form>
        </Dialog>
      )}
    </>
  );
}
