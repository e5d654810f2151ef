import { api, read, request } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { toError } from "../../api/hooks.ts";
import { classOf, parseANSI, type TextStyle } from "./ansi.ts";

/** What is kept of the output, in characters. */
const MAX_LENGTH = 200_000;

/** Output may arrive in very many parts, which are joined up to this length. */
const CHUNK_LENGTH = 4000;

/** Changes are shown together. */
const CHANGE_MS = 50;

/** A shell that ends sooner is not started again by itself. */
const MIN_RUN_MS = 1000;

const NOT_RUNNING = "The shell does not run. Ctrl-C starts another one.";

/** Text that looks the same. */
interface Chunk {
  id: number;
  look: string;
  text: string;
}

export interface ShellState {
  chunks: readonly Chunk[];
  isReady: boolean;
}

interface Output {
  stream?: "stdout" | "stderr";
  data_b64?: string;
  event?: "exit";
  exit_code?: number;
}

/** A bash of a session, whose output is followed. It starts again when it ends. */
export class Shell {
  readonly #id: string;
  readonly #onChange: (state: ShellState) => void;
  readonly #ending = new AbortController();
  #processId: string | undefined;
  #chunks: Chunk[] = [];
  #length = 0;
  #nextId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(id: string, onChange: (state: ShellState) => void) {
    this.#id = id;
    this.#onChange = onChange;
    void this.#start();
  }

  /** Writes a line to the standard input, after those before it. */
  write(line: string): void {
    this.#add("is-input", `$ ${line}\n`);
    if (this.#processId === undefined) {
      this.#note(NOT_RUNNING);
      return;
    }
    const params = { path: { id: this.#id, processId: this.#processId } };
    const body = { data_b64: toBase64(`${line}\n`) };
    this.#writing = this.#writing
      .then(() => read(api.POST("/browsers/{id}/process/{processId}/stdin", { params, body })))
      .catch(this.#note);
  }

  /** Ends what runs, and the shell with it. Another one starts. */
  interrupt(): void {
    this.#add("is-input", "^C\n");
    if (this.#processId === undefined) void this.#start();
    else this.#kill("INT").catch(this.#note);
  }

  clear(): void {
    this.#chunks = [];
    this.#length = 0;
    this.#change();
  }

  /** Ends the shell, also while the page is being left. */
  close(): void {
    this.#ending.abort();
    this.#kill("KILL").catch(() => {});
  }

  async #kill(signal: string): Promise<void> {
    if (this.#processId === undefined) return;
    await request(`/browsers/${this.#id}/process/${this.#processId}/kill`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ signal }),
      keepalive: true,
    });
  }

  async #start(): Promise<void> {
    const { signal } = this.#ending;
    const startedAt = Date.now();
    try {
      const options = { params: { path: { id: this.#id } }, body: { command: "bash" } };
      this.#processId = (await read(api.POST("/browsers/{id}/process/spawn", options))).process_id;
      if (signal.aborted) return await this.#kill("KILL");
      this.#change();
      const hasEnded = await this.#follow(this.#processId);
      this.#processId = undefined;
      if (signal.aborted) return;
      if (hasEnded && Date.now() - startedAt > MIN_RUN_MS) return await this.#start();
      this.#note(NOT_RUNNING);
    } catch (error) {
      this.#note(error);
    }
  }

  /** @returns whether the process has ended. */
  async #follow(processId: string): Promise<boolean> {
    const decode = { stdout: newDecoder(), stderr: newDecoder() };
    let hasEnded = false;
    await follow<Output>({
      path: () => `/browsers/${this.#id}/process/${processId}/stdout/stream`,
      onEvent: ({ stream, data_b64, event, exit_code }) => {
        if (stream !== undefined && data_b64 !== undefined) {
          for (const { text, style } of decode[stream](data_b64))
            this.#add(classOf(style) || `is-${stream}`, text);
        }
        if (event !== "exit") return;
        hasEnded = true;
        this.#note(`The shell has ended (${exit_code}), and with it its variables and folder.`);
      },
      onError: this.#note,
      reconnects: false,
      signal: this.#ending.signal,
    });
    return hasEnded;
  }

  readonly #note = (problem: unknown) => this.#add("dim", `${toError(problem).message}\n`);

  #add(look: string, text: string): void {
    const last = this.#chunks.at(-1);
    if (last?.look === look && last.text.length < CHUNK_LENGTH) {
      this.#chunks.splice(-1, 1, { ...last, text: last.text + text });
    } else this.#chunks.push({ id: this.#nextId++, look, text });
    this.#length += text.length;
    while (this.#length > MAX_LENGTH && this.#chunks.length > 1) {
      this.#length -= this.#chunks.shift()?.text.length ?? 0;
    }
    this.#change();
  }

  #change(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#ending.signal.aborted) return;
      this.#onChange({ chunks: [...this.#chunks], isReady: this.#processId !== undefined });
    }, CHANGE_MS);
  }
}

/** Decodes parts of an output that may end within a character or a color. */
function newDecoder() {
  const decoder = new TextDecoder();
  let style: TextStyle = {};
  let rest = "";
  return (base64: string) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const text = (rest + decoder.decode(bytes, { stream: true })).slice(-MAX_LENGTH);
    const parsed = parseANSI(text, style);
    ({ style, rest } = parsed);
    return parsed.spans;
  };
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}
