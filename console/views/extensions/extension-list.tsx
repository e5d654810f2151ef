import { api, readPage, type Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { UploadExtension } from "./upload-extension.tsx";

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
  return unsupported.length === 0 ? <Badge tone="good">In full</Badge> : <Badge tone="warn">In part</Badge>;
}
