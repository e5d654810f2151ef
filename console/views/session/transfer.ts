import { APIError, request } from "../../api/client.ts";

/** Saves what a GET answers as a file. */
export async function download(path: string, name: string): Promise<void> {
  const blob = await (await request(path)).blob();
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

interface UploadOptions {
  /** @param part between 0 and 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
}

/** Sends a file. `fetch` does not say how much of it has been sent. @throws APIError */
export function upload(path: string, file: File, { onProgress, signal }: UploadOptions): Promise<void> {
  const sending = new XMLHttpRequest();
  const stop = () => sending.abort();
  signal.addEventListener("abort", stop);
  return new Promise<void>((resolve, reject) => {
    sending.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    sending.onload = () => {
      if (sending.status < 300) resolve();
      else reject(new APIError(sending.status, "upload", messageOf(sending.responseText)));
    };
    sending.onerror = () => reject(new APIError(0, "unreachable", "The service does not answer."));
    sending.onabort = () => reject(new APIError(0, "aborted", "The upload was stopped."));
    sending.open("PUT", path);
    sending.setRequestHeader("x-berth-console", "1");
    sending.setRequestHeader("content-type", "application/octet-stream");
    sending.send(file);
  }).finally(() => signal.removeEventListener("abort", stop));
}

function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body);
    return String(message);
  } catch {
    return "The service did not take the file.";
  }
}
