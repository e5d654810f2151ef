import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CodeBlock } from "./copy.tsx";

interface ShownOnceProps {
  /** Names the secret, as in `the key`. */
  what: string;
  /** What makes the secret, such as a form. */
  children: (show: (secret: string) => void) => ComponentChildren;
}

/** Makes a secret, and then shows it in place of what made it. */
export function ShownOnce({ what, children }: ShownOnceProps) {
  const [secret, setSecret] = useState<string>();
  if (secret === undefined) return <>{children(setSecret)}</>;
  return (
    <>
      <p role="status">Copy {what} now. It is not shown again.</p>
      <CodeBlock code={secret} what={what} />
    </>
  );
}
