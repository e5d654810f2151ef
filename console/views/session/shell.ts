import { APIError, api, read, request } from "../../api/client.ts";
import { follow } from "../../api/events.ts";
import { parseANSI, type Span, type TextStyle } from "./ansi.ts";

/** What is kept of the output, in characters. */
const MAX_LENGTH = 200_000;

const CHUNK_LENGTH = 4000;
const CHUNK_SPANS = 200;

/** Changes are shown together. */
const CHANGE_MS = 50;

export interface Chunk {
  id: number;
  kind: "input" | "stdout" | "stderr" | "note";
  spans: Span[];
  length: number;
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
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextId = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(id: string, onChange: (state: ShellState) => void) {
    this.#id = id;
    this.#onChange = onChange;
    void this.#start();
  }

  /** Writes a line to the standard input, after those before it. */
  write(line: string): void {
    this.#add("input", [{ text: `$ ${line}\n`, style: {} }]);
    const processId = this.#processId;
    if (processId === undefined) {
      this.#note("The shell is not running.");
      return;
    }
    const body = { data_b64: toBase64(`${line}\n`) };
    const params = { path: { id: this.#id, processId } };
    this.#writing = this.#writing
      .then(() => read(api.POST("/browsers/{id}/process/{processId}/stdin", { params, body })))
      .catch((error) => this.#note(error.message));
  }

  /** Ends what runs, and the shell with it. Another one starts. */
  interrupt(): void {
    this.#add("input", [{ text: "^C\n", style: {} }]);
    if (this.#processId === undefined) void this.#start();
    else this.#kill("INT").catch((error) => this.#note(error.message));
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
    try {
      const params = { path: { id: this.#id } };
      const call = api.POST("/browsers/{id}/process/spawn", { params, body: { command: "bash" } });
      const { process_id } = await read(call);
      this.#processId = process_id;
      if (signal.aborted) return void this.#kill("KILL").catch(() => {});
      this.#change();
      await this.#follow(process_id);
    } catch (error) {
      if (!signal.aborted && error instanceof APIError) this.#note(error.message);
    }
  }

  async #follow(processId: string): Promise<void> {
    const streams = { stdout: newStream(), stderr: newStream() };
    let hasEnded = false;
    await follow<Output>({
      path: () => `/browsers/${this.#id}/process/${processId}/stdout/stream`,
      onEvent: ({ stream, data_b64, event, exit_code }) => {
        if (stream !== undefined && data_b64 !== undefined) this.#add(stream, streams[stream](data_b64));
        if (event !== "exit") return;
        hasEnded = true;
        this.#note(
          `The shell has ended (${exit_code}). A new one starts; its variables and folder are gone.`,
        );
      },
      onError: (error) => this.#note(error.message),
      reconnects: false,
      signal: this.#ending.signal,
    });
    if (this.#ending.signal.aborted) return;
    this.#processId = undefined;
    this.#change();
    if (hasEnded) await this.#start();
    else this.#note("The connection to the shell was lost. Ctrl-C starts another one.");
  }

  #note(text: string): void {
    this.#add("note", [{ text: `${text}\n`, style: {} }]);
  }

  /** Adds to the last chunk while it is small, because output may arrive in very many parts. */
  #add(kind: Chunk["kind"], spans: Span[]): void {
    const length = spans.reduce((sum, { text }) => sum + text.length, 0);
    const last = this.#chunks.at(-1);
    this.#length += length;
    if (last?.kind === kind && last.length < CHUNK_LENGTH && last.spans.length < CHUNK_SPANS) {
      const joined = joinSpans(last.spans, spans);
      this.#chunks.splice(-1, 1, { ...last, spans: joined, length: last.length + length });
    } else this.#chunks.push({ id: this.#nextId++, kind, spans, length });
    while (this.#length > MAX_LENGTH && this.#chunks.length > 1) {
      this.#length -= this.#chunks.shift()?.length ?? 0;
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

function joinSpans(first: readonly Span[], second: readonly Span[]): Span[] {
  const joined = [...first];
  for (const span of second) {
    const last = joined.at(-1);
    if (last?.style === span.style) joined.splice(-1, 1, { ...last, text: last.text + span.text });
    else joined.push(span);
  }
  return joined;
}

/** Decodes parts of an output that may end within a character or a color. */
function newStream(): (base64: string) => Span[] {
  const decoder = new TextDecoder();
  let style: TextStyle = {};
  let rest = "";
  return (base64) => {
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
