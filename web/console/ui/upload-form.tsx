import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Field, Form, type FormValues, invalid } from "./form.tsx";
import { formatBytes } from "./format.ts";
import { fetchWithProgress } from "./upload.ts";

const MAX_BYTES = 20 * 1024 * 1024;

type Fetch = ReturnType<typeof fetchWithProgress>;

interface UploadFormProps {
  /** Text of the button. */
  label: string;
  /** Label of the zip. */
  zip: string;
  hint: string;
  /** Sends it all with a `fetch`. */
  upload: (file: File, values: FormValues, fetch: Fetch) => Promise<void>;
  /** More fields. */
  children: ComponentChildren;
}

/** A form that uploads a zip and shows how much of it has been sent. Leaving it cancels the upload. */
export function UploadForm({ label, zip, hint, upload, children }: UploadFormProps) {
  const [sent, setSent] = useState<number>();
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), []);
  const submit = async (values: FormValues) => {
    const file = values.file("file");
    if (file === undefined) throw invalid("file", "is required");
    if (file.size > MAX_BYTES) throw invalid("file", `may have at most ${formatBytes(MAX_BYTES)}`);
    setSent(0);
    try {
      await upload(file, values, fetchWithProgress(setSent, controller.signal));
    } finally {
      setSent(undefined);
    }
  };
  return (
    <Form submit={submit} label={label}>
      <Field
        label={zip}
        name="file"
        hint={`Choose a file or drop it here. At most ${formatBytes(MAX_BYTES)}. ${hint}`}
        control={(props) => <input {...props} type="file" class="file-drop" accept=".zip,application/zip" />}
      />
      {children}
      {sent !== undefined && (
        <p class="form-actions">
          <progress aria-label="Upload" value={sent} />
          {sent < 1 ? `Uploading, ${Math.floor(sent * 100)} %` : "Checking the zip…"}
        </p>
      )}
    </Form>
  );
}
