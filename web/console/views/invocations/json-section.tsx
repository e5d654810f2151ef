import { CopyButton } from "../../ui/copy.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { indentJSON } from "./indent-json.ts";

const SHOWN_CHARACTERS = 20_000;

interface JSONSectionProps {
  title: string;
  json: string | undefined;
  /** In place of an absent value. */
  empty: string;
}

/** JSON as indented text. What is very long is cut, but can be copied. */
export function JSONSection({ title, json, empty }: JSONSectionProps) {
  const isCut = json !== undefined && json.length > SHOWN_CHARACTERS;
  return (
    <Section title={title}>
      {json === undefined ? (
        <p class="dim">{empty}</p>
      ) : (
        <div class="code-block json">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
          <pre tabIndex={0}>
            <code>{indentJSON(json.slice(0, SHOWN_CHARACTERS))}</code>
          </pre>
          <CopyButton text={json} what={`the ${title.toLowerCase()}`} />
        </div>
      )}
      {isCut && (
        <p class="hint">
          Showing the beginning of {formatBytes(new Blob([json]).size)}. The button copies all of it.
        </p>
      )}
    </Section>
  );
}
