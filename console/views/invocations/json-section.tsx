import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { saveFile } from "../../ui/download.ts";
import { formatBytes } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { indentJSON } from "./indent-json.ts";

const SHOWN_CHARACTERS = 20_000;

interface JSONSectionProps {
  title: string;
  json: string | undefined;
  /** In place of an absent value. */
  empty: string;
  fileName: string;
}

/** JSON as indented text. What is very long is cut, but can be copied and saved. */
export function JSONSection({ title, json, empty, fileName }: JSONSectionProps) {
  if (json === undefined) {
    return (
      <Section title={title}>
        <p class="dim">{empty}</p>
      </Section>
    );
  }
  const isCut = json.length > SHOWN_CHARACTERS;
  const shown = indentJSON(json.slice(0, SHOWN_CHARACTERS));
  const file = new Blob([json], { type: "application/json" });
  return (
    <Section title={title}>
      <div class="code-block json">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
        <pre tabIndex={0}>
          <code>{isCut ? `${shown}…` : shown}</code>
        </pre>
        <CopyButton text={isCut ? json : shown} what={`the ${title.toLowerCase()}`} />
      </div>
      {isCut && (
        <p class="form-actions">
          <span class="hint">The beginning of {formatBytes(file.size)}. Copy or download all of it.</span>
          <Button onClick={() => saveFile(file, fileName)}>Download</Button>
        </p>
      )}
    </Section>
  );
}
