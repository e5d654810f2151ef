import { useEffect, useState } from "preact/hooks";
import { shortenId } from "./format.ts";
import { Icon } from "./icon.tsx";
import { showToast } from "./toast.tsx";

const SHOWN_MS = 1500;

/** @param what names the text, as in `Copy the session id`. */
export function CopyButton({ text, what }: { text: string; what: string }) {
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
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={isCopied ? "Copied" : `Copy ${what}`}
      title={isCopied ? "Copied" : `Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "copy"} />
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

/** Code of several lines with a button that copies it. */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  );
}
