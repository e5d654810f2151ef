const REVOKE_AFTER_MS = 60_000;

export function saveFile(blob: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}
