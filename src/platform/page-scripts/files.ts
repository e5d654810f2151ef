import { fromBase64 } from "./base64.ts";

export function newFileInput(): HTMLInputElement {
  return Object.assign(document.createElement("input"), { type: "file", multiple: true });
}

export function takeRenamedFiles(this: HTMLInputElement, source: HTMLInputElement, names: string[]): string {
  if (this.localName !== "input" || this.type !== "file") return "Node is not a file input element";
  if (names.length > 1 && !this.multiple) return "Non-multiple file input can only accept single file";
  const transfer = new DataTransfer();
  [...(source.files ?? [])].forEach((file, index) => {
    const { type, lastModified } = file;
    transfer.items.add(new File([file], names[index] ?? file.name, { type, lastModified }));
  });
  this.files = transfer.files;
  this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
  return "";
}

/** Gives the files of the next drop other names. Pages notice only a null from `webkitGetAsEntry()`. */
export function renameDroppedFiles(saved: readonly string[], names: readonly string[], ms: number): void {
  const rename = (event: DragEvent) => {
    const { dataTransfer: dropped } = event;
    const files = [...(dropped?.files ?? [])];
    if (dropped === null || files.map(({ name }) => name).join("/") !== saved.join("/")) return;
    const transfer = new DataTransfer();
    for (const type of dropped.types) transfer.setData(type, dropped.getData(type));
    files.forEach((file, index) => {
      const { type, lastModified } = file;
      transfer.items.add(new File([file], names[index] ?? file.name, { type, lastModified }));
    });
    Object.defineProperty(event, "dataTransfer", { value: transfer });
  };
  addEventListener("drop", rename, { capture: true, once: true, signal: AbortSignal.timeout(ms) });
}

export function dismissFileChooser(this: HTMLInputElement): void {
  this.dispatchEvent(new Event("cancel", { bubbles: true }));
}

export function firstFile(this: HTMLInputElement): File | undefined {
  return this.files?.[0];
}

export function fileSize(this: File): number {
  return this.size;
}

type FileParts = Record<number, Blob[]>;

export function addFilePart(this: FileParts, index: number, base64: string): void {
  this[index] ??= [];
  this[index].push(new Blob([fromBase64(base64)]));
}

/** Chrome keeps file extensions for this type. */
export function toFileUrls(this: FileParts, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    URL.createObjectURL(new Blob(this[index] ?? [], { type: "application/octet-stream" })),
  );
}

export function addFrame(): void {
  document.body.append(document.createElement("iframe"));
}

/** Uses the newest frame, because Chrome limits the downloads per frame. */
export function saveFiles(files: readonly { url: string; name: string }[]): void {
  const { contentDocument } = [...document.querySelectorAll("iframe")].at(-1) ?? {};
  for (const { url, name } of files) {
    const link = (contentDocument ?? document).createElement("a");
    Object.assign(link, { href: url, download: name }).click();
  }
}
