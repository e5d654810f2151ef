import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface DialogButtonProps {
  /** Text of the button. */
  children: string;
  kind?: "plain" | "primary" | "danger";
  /** Accessible name of the button, where its text says too little. */
  label?: string;
  /** Heading of the dialog. */
  title: string;
  content: (close: () => void) => ComponentChildren;
  /** Called when the dialog closes. */
  onClose?: () => void;
}

/** A button that opens a dialog. */
export function DialogButton({ children, kind, label, title, content, onClose }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    onClose?.();
  };
  return (
    <>
      <Button {...{ kind, label }} onClick={() => setOpen(true)}>
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
