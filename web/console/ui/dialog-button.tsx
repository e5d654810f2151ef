import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button, type ButtonKind } from "./button.tsx";
import { CodeBlock } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, type FormValues, TextField } from "./form.tsx";

interface OpenerProps {
  /** Text of the button. Default: the heading of the dialog. */
  children?: string;
  kind?: ButtonKind;
  /** Accessible name of the button, where its text says too little. */
  label?: string;
  disabled?: boolean;
  /** What the button says on hover, such as why it is disabled. */
  hover?: string;
}

interface DialogButtonProps extends OpenerProps {
  /** Heading of the dialog. */
  title: string;
  content: (close: () => void) => ComponentChildren;
  /** Called when the dialog closes. */
  onClose?: () => void;
}

export function DialogButton({
  title,
  content,
  onClose,
  hover,
  children = title,
  ...button
}: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    onClose?.();
  };
  return (
    <>
      <Button {...button} title={hover} onClick={() => setOpen(true)}>
        {children}
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={close}>
          {content(close)}
        </Dialog>
      )}
    </>
  );
}

interface FormButtonProps extends OpenerProps {
  title: string;
  /** Text of the button that sends the form. */
  confirm: string;
  /** Called with what {@link fields} hold. The dialog closes after it, and stays open if it fails. */
  submit: (values: FormValues) => Promise<unknown>;
  fields: ComponentChildren;
  /** Whether a second button closes the dialog. */
  hasCancel?: boolean;
}

export function FormButton({ confirm, submit, fields, hasCancel, ...button }: FormButtonProps) {
  const content = (close: () => void) => (
    <Form
      submit={(values) => submit(values).then(close)}
      label={confirm}
      kind={button.kind === "danger" ? "danger" : "primary"}
      cancel={hasCancel ? close : undefined}
    >
      {fields}
    </Form>
  );
  return <DialogButton {...button} content={content} />;
}

interface ConfirmButtonProps extends OpenerProps {
  /** Heading, such as `Delete the pool “warm”?`. */
  question: string;
  /** What will happen. */
  consequence: ComponentChildren;
  /** Text of the button that confirms, and by default of the one that asks. */
  confirm: string;
  action: () => Promise<void>;
}

/** Asks before it runs an action. An error stays in the dialog, so that the action can be repeated. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { question, consequence, action, kind = "danger", children = props.confirm, ...button } = props;
  return (
    <FormButton
      {...button}
      kind={kind}
      title={question}
      submit={action}
      fields={<p>{consequence}</p>}
      hasCancel
    >
      {children}
    </FormButton>
  );
}

interface NameButtonProps extends OpenerProps {
  title: string;
  /** Text of the button that confirms. */
  confirm: string;
  /** The name so far. */
  value?: string | null;
  hint?: ComponentChildren;
  /** @throws APIError, whose problem of `name` appears beside the field. */
  submit: (name: string) => Promise<void>;
}

/** Asks for a name, to create or rename something. */
export function NameButton({ value, hint, submit, ...button }: NameButtonProps) {
  return (
    <FormButton
      {...button}
      submit={(values) => submit(values.text("name"))}
      fields={<TextField label="Name" name="name" {...{ value, hint }} />}
    />
  );
}

interface SecretButtonProps extends OpenerProps {
  title: string;
  /** Names the secret, as in `the key`. */
  what: string;
  /** Text of the button that makes it. */
  confirm: string;
  /** @returns the secret. */
  make: (values: FormValues) => Promise<string>;
  /** What the dialog asks for, or says. */
  fields: ComponentChildren;
  /** Called when the dialog closes. */
  onClose?: () => void;
}

/** Makes a secret, and then shows it once. */
export function SecretButton({ what, confirm, make, fields, onClose, ...button }: SecretButtonProps) {
  const [secret, setSecret] = useState<string>();
  const close = () => {
    setSecret(undefined);
    onClose?.();
  };
  const content = () =>
    secret === undefined ? (
      <Form submit={async (values) => setSecret(await make(values))} label={confirm}>
        {fields}
      </Form>
    ) : (
      <>
        <p role="status">Copy {what} now. It will not be shown again.</p>
        <CodeBlock code={secret} what={what} />
      </>
    );
  return <DialogButton {...button} content={content} onClose={close} />;
}
