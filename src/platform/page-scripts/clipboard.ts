export function addPasteField(): void {
  const field = document.createElement("textarea");
  document.body.append(field);
  field.focus();
}

/** A browser closes a connection over an answer of 32 MiB. */
export function readPasteField(): string {
  return document.querySelector("textarea")?.value.slice(0, 5_000_000) ?? "";
}

export function copyText(text: string): void {
  const field = document.createElement("textarea");
  document.body.append(field);
  field.value = text;
  field.select();
  if (!document.execCommand("copy")) throw new Error("nothing was copied");
}

/** Copying needs a selection, but the event's data may be empty. */
export function clearClipboard(): void {
  document.addEventListener("copy", (event) => {
    event.clipboardData?.setData("text/plain", "");
    event.preventDefault();
  });
  document.execCommand("copy");
}
