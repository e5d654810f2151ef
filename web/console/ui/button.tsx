import type { ComponentChildren } from "preact";
import { useAction } from "../api/hooks.ts";
import { showToast } from "./toast.tsx";

export type ButtonKind = "plain" | "primary" | "danger" | "quiet";

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
}

/** A link that looks like a button. */
export function ButtonLink({ kind = "plain", ...props }: ButtonLinkProps) {
  return <a {...props} class={`button is-${kind}`} />;
}

interface ActionButtonProps extends Omit<ButtonProps, "onClick" | "isBusy"> {
  action: () => Promise<void>;
}

/** Runs an action once per click. Its error appears as a toast. */
export function ActionButton({ action, ...props }: ActionButtonProps) {
  const { run, isRunning } = useAction(action, (error) => showToast(error.message, "bad"));
  return <Button {...props} isBusy={isRunning} onClick={() => void run()} />;
}
