import type { Protocol } from "devtools-protocol";
import { type DroppedEvents, dropEvents } from "../../../platform/browser/index.ts";
import { redactText, redactURL } from "../redact.ts";
import type { ObservedTarget, Watcher } from "./observed-target.ts";
import type { Source, Throttle } from "./throttle.ts";

export const MAX_TEXT_LENGTH = 4096;
const MAX_ARGUMENTS = 20;
const MAX_FRAMES = 20;

type RemoteObject = Protocol.Runtime.RemoteObject;

/** Observes console messages and uncaught errors. */
export class ConsoleWatcher implements Watcher, Source {
  readonly #target: ObservedTarget;
  readonly #throttle: Throttle;
  #isOn = false;
  #enabled: Promise<void> = Promise.resolve();

  constructor(target: ObservedTarget, throttle: Throttle) {
    this.#target = target;
    this.#throttle = throttle;
    const { session } = target;
    session.on("Runtime.consoleAPICalled", (event) => this.#handleCall(event));
    session.on("Runtime.exceptionThrown", (event) => this.#handleException(event));
  }

  /** Pages can detect the Runtime domain, so it is used in stealth sessions only on request. */
  get isWanted(): boolean {
    const { observed } = this.#target;
    return observed.wants("console", observed.isStealth ? "console_log" : "console_error");
  }

  start(): Promise<void> {
    if (this.#isOn) return this.#enabled;
    this.#isOn = true;
    const maySend = this.#throttle.add(this);
    if (this.#target.sharesRuntime || maySend) this.#enabled = this.enable();
    return this.#enabled;
  }

  async stop(): Promise<void> {
    if (!this.#isOn) return;
    this.close();
    await this.disable();
  }

  close(): void {
    this.#isOn = false;
    this.#throttle.remove(this);
  }

  /** The browser keeps earlier messages and would repeat them. */
  async enable(): Promise<void> {
    const { session } = this.#target;
    await this.#target.trySend(session.send("Runtime.discardConsoleEntries"), session.send("Runtime.enable"));
  }

  drop(): DroppedEvents {
    return dropEvents(this.#target.session, ["Runtime.consoleAPICalled", "Runtime.exceptionThrown"]);
  }

  async disable(): Promise<void> {
    const { session, sharesRuntime } = this.#target;
    if (!sharesRuntime) await this.#target.trySend(session.send("Runtime.disable"));
  }

  #handleCall({ type, args, stackTrace, timestamp }: Protocol.Runtime.ConsoleAPICalledEvent): void {
    if (!this.#isOn || !this.#throttle.admit(this)) return;
    const isError = type === "error";
    const texts = args.slice(0, MAX_ARGUMENTS).map(describe);
    this.#target.record("console", isError ? "console_error" : "console_log", {
      event: "Runtime.consoleAPICalled",
      ts: timestamp * 1000,
      data: { level: type, text: texts[0] ?? "", args: texts, stack_trace: toStack(stackTrace) },
    });
  }

  #handleException({ timestamp, exceptionDetails }: Protocol.Runtime.ExceptionThrownEvent): void {
    if (!this.#isOn || !this.#throttle.admit(this)) return;
    const { text, exception, lineNumber, columnNumber, url = "", stackTrace } = exceptionDetails;
    const [message = ""] = (exception === undefined ? "" : describe(exception)).split("\n    at ");
    this.#target.record("console", "console_error", {
      event: "Runtime.exceptionThrown",
      ts: timestamp * 1000,
      data: {
        text: redactText(`${text} ${message}`.trim(), MAX_TEXT_LENGTH),
        line: lineNumber,
        column: columnNumber,
        source_url: redactURL(url),
        stack_trace: toStack(stackTrace),
      },
    });
  }
}

/** Describes a value by what the event has of it. Nothing is evaluated in the page. */
function describe({ type, subtype, value, unserializableValue, description, preview }: RemoteObject): string {
  const isPlain = type === "object" && (subtype === undefined || subtype === "array");
  const text =
    isPlain && preview !== undefined
      ? describePreview(preview)
      : (unserializableValue ?? (type === "string" ? String(value) : (description ?? String(value ?? type))));
  return redactText(text, MAX_TEXT_LENGTH);
}

function describePreview({ subtype, properties, overflow }: Protocol.Runtime.ObjectPreview): string {
  const isArray = subtype === "array";
  const parts = properties.map(({ name, value = "…" }) => (isArray ? value : `${name}: ${value}`));
  const text = [...parts, ...(overflow ? ["…"] : [])].join(", ");
  return isArray ? `[${text}]` : `{${text}}`;
}

export function toStack(stack: Protocol.Runtime.StackTrace | undefined) {
  if (stack === undefined) return undefined;
  const callFrames = stack.callFrames.slice(0, MAX_FRAMES).map((frame) => ({
    ...frame,
    functionName: frame.functionName.slice(0, 200),
    url: redactURL(frame.url),
  }));
  return { callFrames };
}
