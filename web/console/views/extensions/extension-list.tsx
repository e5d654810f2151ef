import { useLocation } from "preact-iso";
import { api, read, readPage, type Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { TextField } from "../../ui/form.tsx";
import { formatBytes } from "../../ui/format.ts";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { UploadForm } from "../../ui/upload-form.tsx";

type Extension = Schemas["Extension"];

const COLUMNS: Column<Extension>[] = [
  { title: "Runs in pages", cell: ({ unsupported }) => <Support unsupported={unsupported} /> },
  { title: "Size", cell: ({ size_bytes }) => formatBytes(size_bytes), isNumber: true },
  { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { title: "Uploaded", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function ExtensionList() {
  return (
    <ResourceList
      title="Extensions"
      noun="extension"
      href="/console/extensions"
      about="Content scripts and styles always run. Other parts need a browser that loads extensions."
      advice="Upload the zip of a Chrome extension, and select it for sessions or pools."
      action={
        <DialogButton kind="primary" title="Upload an extension" content={() => <UploadExtension />}>
          Upload
        </DialogButton>
      }
      load={(query, signal) => readPage(api.GET("/extensions", { params: { query }, signal }))}
      columns={COLUMNS}
    />
  );
}

/** Whether all of an extension runs in a browser that does not load extensions. */
export function Support({ unsupported }: Pick<Extension, "unsupported">) {
  return unsupported.length === 0 ? <Badge tone="good">Fully</Badge> : <Badge tone="warn">Partly</Badge>;
}

function UploadExtension() {
  const { route } = useLocation();
  return (
    <UploadForm
      label="Upload"
      zip="Zip"
      hint="With manifest.json at the top level or in its only directory."
      upload={async (file, values, fetch) => {
        const name = values.text("name");
        const form = new FormData();
        form.set("file", file);
        form.set("name", name);
        const body = { file: "", name };
        const { id } = await read(api.POST("/extensions", { body, bodySerializer: () => form, fetch }));
        showToast("The extension was uploaded.");
        route(`/console/extensions/${id}`);
      }}
    >
      <TextField label="Name" name="name" hint="Letters, digits, “.”, “_” and “-”. Empty: only an id." />
    </UploadForm>
  );
}
