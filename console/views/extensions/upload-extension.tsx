import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { APIError, api, read } from "../../api/client.ts";
import { FileField } from "../../ui/file-field.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { fetchWithProgress } from "../../ui/upload.ts";

/** Uploads an extension. Leaving the form cancels it. */
export function UploadExtension() {
  const { route } = useLocation();
  const [file, setFile] = useState<File>();
  const [name, setName] = useState("");
  const [part, setPart] = useState<number>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const submit = async () => {
    if (file === undefined) throw new APIError(0, "invalid_input", "Choose a zip.", { file: "is required" });
    const { signal } = controller.current;
    const form = new FormData();
    form.append("file", file);
    form.append("name", name);
    setPart(0);
    try {
      const extension = await read(
        api.POST("/extensions", {
          body: { file: file.name, name },
          bodySerializer: () => form,
          fetch: fetchWithProgress(setPart, signal),
        }),
      );
      showToast(`The extension “${extension.name ?? extension.id}” was uploaded.`);
      route(`/console/extensions/${extension.id}`);
    } finally {
      setPart(undefined);
    }
  };
  return (
    <Form submit={submit} label="Upload">
      <FileField
        label="Zip"
        name="file"
        hint="With manifest.json at its top or in its only directory, at most 20 MiB."
        accept=".zip,application/zip"
        file={file}
        onChange={setFile}
      />
      <TextField
        label="Name"
        name="name"
        hint="Letters, digits, “.”, “_” and “-”. Empty: no name, only an id."
        value={name}
        onChange={setName}
      />
      {part !== undefined && <progress class="progress" aria-label="Upload" value={part} max={1} />}
    </Form>
  );
}
