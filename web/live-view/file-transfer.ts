/** Stores a file of this device in the session. @returns its path there. */
export async function upload(file: File): Promise<string> {
  const response = await fetch(fileURL(file.name), { method: "PUT", body: file });
  const { path, message }: { path: string; message?: string } = await response.json();
  if (!response.ok) throw new Error(message);
  return path;
}

/** @returns the paths of the session's files, the newest first. */
export async function listFiles(): Promise<string[]> {
  const response = await fetch(`${location.pathname}/files${location.search}`);
  return response.ok ? response.json() : [];
}

export function fileURL(name: string): string {
  return `${location.pathname}/files/${encodeURIComponent(name)}${location.search}`;
}
