import type { DialogView, ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { find } from "../elements.ts";
import { listFiles, upload } from "./file-transfer.ts";

export interface DialogOptions {
  dialog: HTMLDialogElement;
  act: (message: ViewerMessage) => void;
  onClosed: () => void;
}

const HOME = "/home/kernel/";

interface Words {
  title: string;
  message: string;
  accept: string;
  dismiss: string | null;
}

/** Covers only the page: tabs can still be switched and closed. */
export class RemoteDialog {
  readonly #options: DialogOptions;
  readonly #title: HTMLElement;
  readonly #message: HTMLElement;
  readonly #text: HTMLInputElement;
  readonly #file: HTMLInputElement;
  readonly #files: HTMLElement;
  readonly #list: HTMLSelectElement;
  readonly #buttons: HTMLElement;
  readonly #accept: HTMLButtonElement;
  readonly #dismiss: HTMLButtonElement;
  #shown = 0;

  constructor(options: DialogOptions) {
    this.#options = options;
    const { dialog } = options;
    this.#title = find("#dialog-title", HTMLElement, dialog);
    this.#message = find("#dialog-message", HTMLElement, dialog);
    this.#text = find("#dialog-text", HTMLInputElement, dialog);
    this.#file = find("#dialog-file", HTMLInputElement, dialog);
    this.#files = find("#dialog-files", HTMLElement, dialog);
    this.#list = find("#dialog-list", HTMLSelectElement, dialog);
    this.#list.addEventListener("change", () => {
      this.#text.value = quote([...this.#list.selectedOptions].map(({ value }) => value));
    });
    this.#list.addEventListener("dblclick", () => this.#answer(true));
    this.#file.addEventListener("change", () => void this.#send(this.#shown, [...(this.#file.files ?? [])]));
    this.#buttons = find("#dialog-buttons", HTMLElement, dialog);
    this.#accept = find("#dialog-accept", HTMLButtonElement, dialog);
    this.#dismiss = find("#dialog-dismiss", HTMLButtonElement, dialog);
    this.#dismiss.addEventListener("click", () => this.#answer(false));
    find("form", HTMLFormElement, dialog).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#answer(true);
    });
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) this.#answer(false);
    });
  }

  show(view: DialogView | null, canControl: boolean): void {
    const { dialog } = this.#options;
    if (view === null) {
      this.#close();
      return;
    }
    this.#shown = view.id;
    const words = wordsOf(view);
    this.#title.textContent = words.title;
    this.#message.textContent = words.message;
    this.#message.hidden = words.message === "";
    this.#accept.textContent = words.accept;
    this.#dismiss.textContent = words.dismiss;
    this.#dismiss.hidden = words.dismiss === null;
    this.#text.hidden = view.kind !== "prompt" && view.kind !== "file";
    this.#text.value = view.defaultText;
    this.#text.readOnly = !canControl;
    this.#files.hidden = view.kind !== "file" || !canControl;
    this.#file.value = "";
    if (!this.#files.hidden && !dialog.open) void this.#showFiles(view.id);
    this.#buttons.hidden = !canControl;
    this.#setAnswerable(canControl);
    if (!dialog.open) dialog.show();
    if (!canControl) return;
    if (this.#text.hidden) this.#accept.focus();
    else if (this.#files.hidden) this.#text.select();
    else this.#file.focus();
  }

  #close(): void {
    const { dialog, onClosed } = this.#options;
    if (!dialog.open) return;
    const hadFocus = dialog.contains(document.activeElement) || document.activeElement === document.body;
    dialog.close();
    if (hadFocus) onClosed();
  }

  #answer(accept: boolean): void {
    if (this.#accept.disabled) return;
    const text = accept && !this.#text.hidden ? { text: this.#text.value } : {};
    this.#options.act({ type: "answer-dialog", dialog: this.#shown, accept, ...text });
    this.#setAnswerable(false);
  }

  /** Gives files of this device to the page. */
  async #send(shown: number, files: File[]): Promise<void> {
    this.#setAnswerable(false);
    try {
      const text = quote(await Promise.all(files.map(upload)));
      this.#options.act({ type: "answer-dialog", dialog: shown, accept: true, text });
    } catch (error) {
      this.#message.textContent = `Not sent: ${error instanceof Error ? error.message : error}`;
      this.#setAnswerable(true);
    }
  }

  async #showFiles(shown: number): Promise<void> {
    this.#list.replaceChildren();
    this.#list.disabled = true;
    const paths = await listFiles().catch(() => []);
    if (shown !== this.#shown) return;
    this.#list.replaceChildren(...paths.map((path) => new Option(path.replace(HOME, ""), path)));
    this.#list.disabled = paths.length === 0;
    if (paths.length === 0) this.#list.add(new Option("No files in the home folder"));
  }

  #setAnswerable(canAnswer: boolean): void {
    this.#accept.disabled = !canAnswer;
    this.#file.disabled = !canAnswer;
    this.#dismiss.disabled = !canAnswer;
  }
}

function quote(paths: readonly string[]): string {
  return paths.map((path) => `"${path}"`).join(" ");
}

function wordsOf({ kind, message, url }: DialogView): Words {
  const host = URL.canParse(url) ? new URL(url).host : "";
  if (kind === "beforeunload") {
    const warning = "Changes you made may not be saved.";
    return { title: `Leave ${host || "this page"}?`, message: warning, accept: "Leave", dismiss: "Stay" };
  }
  if (kind === "file") return { title: "Open", message, accept: "Open", dismiss: "Cancel" };
  const title = `${host || "This page"} says`;
  return { title, message, accept: "OK", dismiss: kind === "alert" ? null : "Cancel" };
}
