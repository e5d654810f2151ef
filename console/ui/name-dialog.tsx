import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, TextField } from "./form.tsx";

interface NameProps {
  title: string;
  /** Text of the button that confirms. */
  confirm: string;
  /** The name so far. */
  initial?: string | null;
  hint?: ComponentChildren;
  /** @throws APIError, whose problem of `name` appears beside the field. */
  submit: (name: string) => Promise<void>;
}

/** Asks for a name, to create or rename something. */
export function NameDialog({
  title,
  confirm,
  initial,
  hint,
  submit,
  onClose,
}: NameProps & { onClose: () => void }) {
  const [name, setName] = useState(initial ?? "");
  const save = async () => {
    await submit(name);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={save} label={confirm}>
        <TextField label="Name" name="name" hint={hint} value={name} onChange={setName} />
      </Form>
    </Dialog>
  );
}

/** A button that asks for a name. */
export function NameButton({
  children,
  kind,
  ...dialog
}: NameProps & { children: string; kind?: "plain" | "primary" }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind={kind} onClick={() => setOpen(true)}>
        {children}
      </Button>
      {isOpen && <NameDialog {...dialog} onClose={() => setOpen(false)} />}
    </>
  );
}
