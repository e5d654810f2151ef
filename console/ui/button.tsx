import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../api/hooks.ts";
import { Dialog } from "./dialog.tsx";
import { showToast } from "./toast.tsx";

type ButtonKind = "plain" | "primary" | "danger" | "quiet";

interface ButtonProps {
  children: ComponentChildren;
  kind?: ButtonKind;
  onClick?: () => void;
  type?: "button" | "submit";
  isBusy?: boolean;
  disabled?: boolean;
  /** Accessible name, where the children are only an icon. */
  label?: string;
  title?: string;
}

export function Button({ children, kind = "plain", isBusy, label, disabled, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      class={`button is-${kind}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      aria-label={label}
    >
      {children}
    </button>
  );
}

interface ButtonLinkProps {
  href: string;
  children: ComponentChildren;
  kind?: ButtonKind;
  /** Name of the file that it saves. */
  download?: string;
}

/** A link that looks like a button. */
export function ButtonLink({ kind = "plain", ...props }: ButtonLinkProps) {
  return <a {...props} class={`button is-${kind}`} />;
}

interface ActionButtonProps {
  children: ComponentChildren;
  action: () => Promise<void>;
  kind?: ButtonKind;
  disabled?: boolean;
  label?: string;
  title?: string;
}

/** Runs an action once per click. Its error appears as a toast. */
export function ActionButton({ action, ...props }: ActionButtonProps) {
  const { run, isRunning } = useAction(action, (error) => showToast(error.message, "bad"));
  return <Button {...props} isBusy={isRunning} onClick={() => void run()} />;
}

interface ConfirmButtonProps extends ActionButtonProps {
  /** Heading of the question, such as `Delete the pool "warm"?`. */
  question: string;
  /** What will happen. */
  consequence: ComponentChildren;
  /** Text of the button that confirms. */
  confirm: string;
}

/** Asks before it runs an action. An error stays in the dialog, so that the action can be repeated. */
export function ConfirmButton({
  question,
  consequence,
  confirm,
  action,
  kind = "danger",
  ...props
}: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { run, isRunning } = useAction(
    async () => {
      await action();
      setOpen(false);
    },
    (error) => setProblem(error.message),
  );
  const open = () => {
    setProblem(undefined);
    setOpen(true);
  };
  return (
    <>
      <Button {...props} kind={kind} onClick={open} />
      {isOpen && (
        <Dialog
          title={question}
          onClose={() => setOpen(false)}
          footer={
            <>
              <Button onClick={() => setOpen(false)}>Cancel</Button>
              <Button
                kind={kind === "danger" ? "danger" : "primary"}
                isBusy={isRunning}
                onClick={() => void run()}
              >
                {confirm}
              </Button>
            </>
          }
        >
          <p>{consequence}</p>
          {problem !== undefined && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
        </Dialog>
      )}
    </>
  );
}
