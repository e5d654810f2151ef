import { useEffect, useRef, useState } from "preact/hooks";
import { api, read, request, type Schemas } from "../../api/client.ts";
import { toError, useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { ActionButton, Button, ConfirmButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { saveFile } from "../../ui/download.ts";
import { formatBytes } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { NameButton } from "../../ui/name-dialog.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { fetchWithProgress } from "../../ui/upload.ts";
import { OnlyActive } from "./ended.tsx";
import { toShown } from "./events.ts";
import type { PanelProps } from "./panel.ts";
import { breadcrumbs, join, pictureType, toText } from "./paths.ts";
import { Picture } from "./stage.tsx";

type FileInfo = Schemas["FileInfo"];

const HOME = "/home/kernel";
const MAX_TEXT_BYTES = 256 * 1024;
const MAX_PICTURE_BYTES = 10 * 1024 * 1024;

export function FilesTab({ session, isActive }: PanelProps) {
  return isActive ? <Files id={session.session_id} /> : <OnlyActive what="Its files are deleted." />;
}

function Files({ id }: { id: string }) {
  const [query, setQuery] = useQuery();
  const [opened, setOpened] = useState<FileInfo>();
  const directory = query.path ?? HOME;
  const go = (path: string) => setQuery({ path: path === HOME ? undefined : path });
  const files = useLoad(`files ${id} ${directory}`, async (signal) => {
    const params = { path: { id }, query: { path: directory } };
    const list = await read(api.GET("/browsers/{id}/fs/list_files", { params, signal }));
    return list.sort((a, b) => Number(b.is_dir) - Number(a.is_dir) || a.name.localeCompare(b.name));
  });
  const uploads = useUploads(id, directory, files.reload);
  const create = async (name: string) => {
    const body = { path: join(directory, name) };
    await read(api.PUT("/browsers/{id}/fs/create_directory", { params: { path: { id } }, body }));
    files.reload();
  };
  const move = async ({ path }: FileInfo, name: string) => {
    const body = { src_path: path, dest_path: name.startsWith("/") ? name : join(directory, name) };
    await read(api.PUT("/browsers/{id}/fs/move", { params: { path: { id } }, body }));
    files.reload();
  };
  const remove = async ({ path, is_dir }: FileInfo) => {
    const options = { params: { path: { id } }, body: { path } };
    if (is_dir) await read(api.PUT("/browsers/{id}/fs/delete_directory", options));
    else await read(api.PUT("/browsers/{id}/fs/delete_file", options));
    files.reload();
  };
  const save = async ({ path, name, is_dir }: FileInfo) => {
    const answer = await request(pathOf(id, is_dir ? "download_dir_zip" : "read_file", path));
    saveFile(await answer.blob(), is_dir ? `${name}.zip` : name);
  };
  const columns: Column<FileInfo>[] = [
    {
      title: "Name",
      cell: (file) => (
        <button
          type="button"
          class="file-name"
          onClick={() => (file.is_dir ? go(file.path) : setOpened(file))}
        >
          <Icon name={file.is_dir ? "folder" : "file"} />
          {file.name}
        </button>
      ),
    },
    { title: "Size", cell: (file) => (file.is_dir ? "–" : formatBytes(file.size_bytes)), isNumber: true },
    { title: "Changed", cell: (file) => <Time at={file.mod_time} />, isMinor: true },
    {
      title: "Actions",
      cell: (file) => (
        <div class="row-actions">
          <ActionButton
            label={`Download ${file.name}`}
            title={file.is_dir ? "Download as a zip" : undefined}
            action={() => save(file)}
          >
            Download
          </ActionButton>
          <NameButton
            label={`Rename ${file.name}`}
            title={`Rename or move “${file.name}”`}
            confirm="Rename"
            initial={file.name}
            hint="A path such as /home/kernel/reports/may.pdf moves it into that folder."
            submit={(name) => move(file, name)}
          >
            Rename
          </NameButton>
          <ConfirmButton
            label={`Delete ${file.name}`}
            question={`Delete “${file.name}”?`}
            consequence={
              file.is_dir ? "The folder and all that is in it are deleted." : "The file is deleted."
            }
            confirm="Delete"
            action={() => remove(file)}
          >
            Delete
          </ConfirmButton>
        </div>
      ),
    },
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut of the upload button.
    <div
      class="panel files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        uploads.start([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <Breadcrumbs path={directory} go={go} />
      <div class="filters">
        <UploadButton start={uploads.start} />
        <NameButton title="New folder" confirm="Create" submit={create}>
          New folder
        </NameButton>
        <Button onClick={files.reload}>Refresh</Button>
        <span class="hint">Or drop files here.</span>
      </div>
      {uploads.status !== undefined && (
        <p class="notice" role="status">
          {uploads.status} <Button onClick={uploads.stop}>Stop</Button>
        </p>
      )}
      <Loaded resource={files} lines={6}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="This folder is empty" />
          ) : (
            <Table
              caption={`Files in ${directory}`}
              columns={columns}
              rows={list}
              idOf={({ path }) => path}
            />
          )
        }
      </Loaded>
      {opened && <FileView id={id} file={opened} onClose={() => setOpened(undefined)} />}
    </div>
  );
}

function pathOf(id: string, operation: string, path: string): string {
  return `/browsers/${id}/fs/${operation}?${new URLSearchParams({ path })}`;
}

function Breadcrumbs({ path, go }: { path: string; go: (path: string) => void }) {
  return (
    <nav class="crumbs" aria-label="Folder">
      {breadcrumbs(path).map((crumb) => (
        <Button
          key={crumb.path}
          kind="quiet"
          label={crumb.path === "/" ? "Root folder" : undefined}
          onClick={() => go(crumb.path)}
        >
          {crumb.name}
        </Button>
      ))}
    </nav>
  );
}

function UploadButton({ start }: { start: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind="primary" onClick={() => input.current?.click()}>
        Upload
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          start([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** Uploads files one after the other. */
function useUploads(id: string, directory: string, onDone: () => void) {
  const [status, setStatus] = useState<string>();
  const current = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const start = async (files: File[]) => {
    if (files.length === 0 || current.current !== undefined) return;
    const controller = new AbortController();
    current.current = controller;
    try {
      for (const [index, file] of files.entries()) {
        const onProgress = (part: number) =>
          setStatus(`Uploading ${file.name} (${index + 1} of ${files.length}): ${Math.round(part * 100)} %`);
        onProgress(0);
        await read(
          api.PUT("/browsers/{id}/fs/write_file", {
            params: { path: { id }, query: { path: join(directory, file.name) } },
            headers: { "content-type": "application/octet-stream" },
            bodySerializer: () => file,
            body: "",
            fetch: fetchWithProgress(onProgress, controller.signal),
          }),
        );
      }
      showToast(
        files.length === 1 ? `${files[0]?.name} was uploaded.` : `${files.length} files were uploaded.`,
      );
    } catch (error) {
      if (!controller.signal.aborted) showToast(toError(error).message, "bad");
    } finally {
      current.current = undefined;
      setStatus(undefined);
      if (!controller.signal.aborted) onDone();
    }
  };
  return { status, start: (files: File[]) => void start(files), stop: () => current.current?.abort() };
}

interface FileDialogProps {
  id: string;
  file: FileInfo;
  onClose: () => void;
}

function FileView({ id, file: { path, name, size_bytes }, onClose }: FileDialogProps) {
  const type = pictureType(name);
  const isTooLarge = size_bytes > (type === undefined ? MAX_TEXT_BYTES : MAX_PICTURE_BYTES);
  const content = useLoad(`view ${path}`, async (signal) => {
    if (isTooLarge) return "This file is too large to be shown here. Download it.";
    const bytes = await (await request(pathOf(id, "read_file", path), { signal })).arrayBuffer();
    if (type !== undefined) return new Blob([bytes], { type });
    return toText(bytes) ?? "This file is no text. Download it.";
  });
  return (
    <Dialog title={name} onClose={onClose} isWide>
      <Loaded resource={content}>
        {(shown) =>
          shown instanceof Blob ? (
            <div class="file-picture">
              <Picture blob={shown} alt={name} />
            </div>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
            <pre class="file-text" tabIndex={0}>
              {toShown(shown) || "This file is empty."}
            </pre>
          )
        }
      </Loaded>
    </Dialog>
  );
}
