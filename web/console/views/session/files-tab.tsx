import { useEffect, useRef, useState } from "preact/hooks";
import { api, read, request, type Schemas } from "../../api/client.ts";
import { toError, useLoad } from "../../api/hooks.ts";
import { useQuery } from "../../app/query.ts";
import { ActionButton, Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/dialog-button.tsx";
import { saveFile } from "../../ui/download.ts";
import { formatBytes } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { fetchWithProgress } from "../../ui/upload.ts";
import type { PanelProps } from "./panel.ts";

type FileInfo = Schemas["FileInfo"];

const HOME = "/home/kernel";

export function FilesTab({ session: { session_id: id } }: PanelProps) {
  const [query, setQuery] = useQuery();
  const directory = query.path ?? HOME;
  const go = (path: string) => setQuery({ path: path === HOME ? undefined : path });
  const files = useLoad(`files ${id} ${directory}`, async (signal) => {
    const params = { path: { id }, query: { path: directory } };
    const list = await read(api.GET("/browsers/{id}/fs/list_files", { params, signal }));
    return list.sort((a, b) => Number(b.is_dir) - Number(a.is_dir) || a.name.localeCompare(b.name));
  });
  const remove = async ({ path, is_dir }: FileInfo) => {
    const options = { params: { path: { id } }, body: { path } };
    if (is_dir) await read(api.PUT("/browsers/{id}/fs/delete_directory", options));
    else await read(api.PUT("/browsers/{id}/fs/delete_file", options));
    files.reload();
  };
  const save = async ({ path, name, is_dir }: FileInfo) => {
    const operation = is_dir ? "download_dir_zip" : "read_file";
    const answer = await request(`/browsers/${id}/fs/${operation}?${new URLSearchParams({ path })}`);
    saveFile(await answer.blob(), is_dir ? `${name}.zip` : name);
  };
  const columns: Column<FileInfo>[] = [
    {
      title: "Name",
      cell: (file) => (
        <>
          <Icon name={file.is_dir ? "folder" : "file"} />{" "}
          {file.is_dir ? <FolderLink name={file.name} go={() => go(file.path)} /> : file.name}
        </>
      ),
    },
    { title: "Size", cell: (file) => (file.is_dir ? "–" : formatBytes(file.size_bytes)), isNumber: true },
    { title: "Changed", cell: (file) => <Time at={file.mod_time} />, isMinor: true },
    {
      title: "Actions",
      cell: (file) => (
        <div class="row-actions">
          <ActionButton label={`Download ${file.name}`} action={() => save(file)}>
            Download
          </ActionButton>
          <ConfirmButton
            label={`Delete ${file.name}`}
            question={`Delete “${file.name}”?`}
            consequence={
              file.is_dir ? "The folder and everything in it are deleted." : "The file is deleted."
            }
            confirm="Delete"
            action={() => remove(file)}
          />
        </div>
      ),
    },
  ];
  return (
    <div class="panel">
      <nav class="filters" aria-label="Folder">
        {listFolders(directory).map(([name, path]) => (
          <FolderLink key={path} name={name} go={() => go(path)} />
        ))}
        <Button onClick={files.reload}>Refresh</Button>
      </nav>
      <Upload id={id} directory={directory} onDone={files.reload} />
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
    </div>
  );
}

function FolderLink({ name, go }: { name: string; go: () => void }) {
  return (
    <button type="button" class="folder" onClick={go}>
      {name}
    </button>
  );
}

/** A directory and those above it, from the root down. */
function listFolders(path: string): [name: string, path: string][] {
  const names = path.split("/").filter(Boolean);
  const toPath = (index: number) => `/${names.slice(0, index + 1).join("/")}`;
  return [["/", "/"], ...names.map((name, index): [string, string] => [name, toPath(index)])];
}

interface UploadProps {
  id: string;
  directory: string;
  onDone: () => void;
}

/** Uploads files that are chosen or dropped, one after the other. */
function Upload({ id, directory, onDone }: UploadProps) {
  const [status, setStatus] = useState<string>();
  const current = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const upload = async (file: File, signal: AbortSignal) => {
    const path = `${directory === "/" ? "" : directory}/${file.name}`;
    const onProgress = (part: number) => setStatus(`Uploading ${file.name}: ${Math.round(part * 100)} %`);
    onProgress(0);
    await read(
      api.PUT("/browsers/{id}/fs/write_file", {
        params: { path: { id }, query: { path } },
        headers: { "content-type": "application/octet-stream" },
        bodySerializer: () => file,
        body: "",
        fetch: fetchWithProgress(onProgress, signal),
      }),
    );
  };
  const start = async (files: readonly File[]) => {
    const controller = new AbortController();
    current.current = controller;
    try {
      for (const file of files) await upload(file, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) showToast(toError(error).message, "bad");
    }
    setStatus(undefined);
    onDone();
  };
  if (status !== undefined) {
    return (
      <p class="notice" role="status">
        {status} <Button onClick={() => current.current?.abort()}>Stop</Button>
      </p>
    );
  }
  return (
    <label
      class="upload"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void start([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <input
        type="file"
        multiple
        class="unseen"
        onChange={({ currentTarget }) => void start([...(currentTarget.files ?? [])])}
      />
      <span class="button">Upload files</span> or drop them here
    </label>
  );
}
