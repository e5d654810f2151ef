import type { ComponentChildren, ComponentProps } from "preact";
import { DialogButton, ShownOnce } from "../../ui/dialog-button.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";

interface SecretButtonProps extends Omit<ComponentProps<typeof DialogButton>, "content"> {
  /** Names the secret, as in `the key`. */
  what: string;
  /** Text of the button that makes it. */
  confirm: string;
  /** @returns the secret. */
  make: (values: FormValues) => Promise<string>;
  /** What the dialog asks for, or says. */
  fields: ComponentChildren;
}

/** Opens a dialog that makes a secret and shows it once. */
export function SecretButton({ what, confirm, make, fields, ...button }: SecretButtonProps) {
  const content = () => (
    <ShownOnce what={what}>
      {(show) => (
        <Form submit={async (values) => show(await make(values))} label={confirm}>
          {fields}
        </Form>
      )}
    </ShownOnce>
  );
  return <DialogButton {...button} content={content} />;
}
