import { useEffect, useState } from "preact/hooks";
import { shortenId } from "./format.ts";
import { Icon } from "./icon.tsx";
import { showToast } from "./toast.tsx";

const SHOWN_MS = 1500;

interface CopyButtonProps {
  text: string;
  /** Names the text, as in `Copy the session id`. */
  what: string;
  /** Text of the button; absent: it has only an icon. */
  children?: string;
}

export function CopyButton({ text, what, children }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      showToast("Your browser did not allow copying. Select the text and copy it yourself.", "bad");
    }
  };
  const hover = isCopied ? "Copied" : `Copy ${what}`;
  return (
    <button
      type="button"
      class={children === undefined ? "icon-button" : "button"}
      aria-label={children === undefined ? hover : undefined}
      title={hover}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "copy"} />
      {children}
    </button>
  );
}

/** A text in a fixed-width font with a button that copies it. */
export function CopyText({ text, what }: { text: string; what: string }) {
  return (
    <span class="copy-text">
      <code title={text}>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** An id on one line, cut in the middle, with a button that copies all of it. */
export function CopyId({ id, what, href }: { id: string; what: string; href?: string }) {
  const code = <code title={id}>{shortenId(id)}</code>;
  return (
    <span class="copy-text">
      {href === undefined ? <span class="dim">{code}</span> : <a href={href}>{code}</a>}
      <CopyButton text={id} what={what} />
    </span>
  );
}

/**
 * Code of several lines with a button that copies it.
 *
 * @param shown the code without its secrets.
 */
export function CodeBlock({ code, shown = code, what }: { code: string; shown?: string; what: string }) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <pre tabIndex={0}>
        <code>{shown}</code>
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  );
}
