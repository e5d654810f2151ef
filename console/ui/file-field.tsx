import { useState } from "preact/hooks";
import { Field } from "./form.tsx";
import { formatBytes } from "./format.ts";

interface FileFieldProps {
  label: string;
  /** The field's name in the API, for its problems. */
  name: string;
  hint?: string;
  /** Such as `.zip`. */
  accept: string;
  file: File | undefined;
  onChange: (file: File | undefined) => void;
}

/** A file, which the user picks or drops. */
export function FileField({ label, name, hint, accept, file, onChange }: FileFieldProps) {
  const [isOver, setOver] = useState(false);
  return (
    <Field
      {...{ label, name, hint }}
      control={(props) => (
        <label
          class={isOver ? "file-drop is-over" : "file-drop"}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            onChange(event.dataTransfer?.files[0] ?? file);
          }}
        >
          <input
            {...props}
            type="file"
            class="unseen"
            accept={accept}
            onChange={(event) => onChange(event.currentTarget.files?.[0] ?? file)}
          />
          <span class="button">{file === undefined ? "Choose a file" : "Choose another"}</span>
          <span>{file === undefined ? "or drop it here" : `${file.name} (${formatBytes(file.size)})`}</span>
        </label>
      )}
    />
  );
}
