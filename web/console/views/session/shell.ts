import { api, read, request } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { toError } from "../../api/hooks.ts";

/** What is kept of the output, in characters. */
const MAX_LENGTH = 100_000;

/** Output that comes in bursts is shown together. */
const SHOW_EVERY_MS = 100;

/** Sequences that color a text, move the cursor or set a title; and all other control characters. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  /\u001B(?:\[[0-?]*[ -/]*(?:[@-~]|$)|\][^\u0007\u001B]*(?:\u0007|\u001B\\|$)|[ -/]*[0-Z^-~])|[\u0000-\u0008\u000B-\u001F\u007F]/g;

interface Output {
  stream?: "stdout" | "stderr";
  data_b64?: string;
  event?: "exit";
  exit_code?: number;
}

/** A bash of a session, whose output is followed. It starts with the first line that is written to it. */
export class Shell {
  readonly #id: string;
  readonly #onChange: (output: string) => void;
  readonly #ending = new AbortController();
  #processId: Promise<string> | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #output = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, onChange: (output: string) => void) {
    this.#id = id;
    this.#onChange = onChange;
  }

  /** Writes a line to the standard input, after the earlier ones. */
  write(line: string): void {
    this.#add(`$ ${line}\n`);
    this.#writing = this.#writing.then(() => this.#send(line)).catch(this.#note);
  }

  /** Ends what runs, and the shell with it. */
  interrupt(): void {
    this.#add("^C\n");
    this.#kill("INT").catch(this.#note);
  }

  clear(): void {
    this.#output = "";
    this.#add("");
  }

  /** Ends the shell, even while the page is being left. */
  close(): void {
    this.#ending.abort();
    clearTimeout(this.#timer);
    this.#kill("KILL").catch(() => {});
  }

  async #send(line: string): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#processId ??= this.#start();
    const params = { path: { id: this.#id, processId: await this.#processId } };
    const bytes = new TextEncoder().encode(`${line}\n`);
    const body = { data_b64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
    await read(api.POST("/browsers/{id}/process/{processId}/stdin", { params, body }));
  }

  async #start(): Promise<string> {
    try {
      const options = { params: { path: { id: this.#id } }, body: { command: "bash" } };
      const { process_id = "" } = await read(api.POST("/browsers/{id}/process/spawn", options));
      void this.#follow(process_id);
      return process_id;
    } catch (error) {
      this.#processId = undefined;
      throw error;
    }
  }

  async #kill(signal: string): Promise<void> {
    if (this.#processId === undefined) return;
    await request(`/browsers/${this.#id}/process/${await this.#processId}/kill`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ signal }),
      keepalive: true,
    });
  }

  async #follow(processId: string): Promise<void> {
    // A part may end within a character.
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    let hasExited = false;
    await follow<Output>({
      path: () => `/browsers/${this.#id}/process/${processId}/stdout/stream`,
      onEvent: ({ stream, data_b64 = "", event, exit_code }) => {
        const bytes = Uint8Array.from(atob(data_b64), (letter) => letter.charCodeAt(0));
        if (stream !== undefined) this.#add(decoders[stream].decode(bytes, { stream: true }));
        if (event !== "exit") return;
        hasExited = true;
        this.#add(`The shell has ended (${exit_code}). Your next line starts a new one.\n`);
      },
      onError: this.#note,
      reconnects: false,
      signal: this.#ending.signal,
    });
    // Its output is lost.
    if (!hasExited) await this.#kill("KILL").catch(() => {});
    this.#processId = undefined;
  }

  readonly #note = (problem: unknown) => this.#add(`${toError(problem).message}\n`);

  #add(text: string): void {
    this.#output = (this.#output + text).slice(-MAX_LENGTH);
    if (this.#ending.signal.aborted) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#onChange(this.#output.replace(/\r+(?!\n|\r)/g, "\n").replace(CONTROLS, ""));
    }, SHOW_EVERY_MS);
  }
}
