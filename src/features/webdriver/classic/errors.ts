import { lookUp } from "durable-machine/look-up";

/** Errors of BiDi and of page scripts that have another name in WebDriver classic. */
const OTHER_NAMES: Record<string, string> = {
  "no such node": "stale element reference",
  "no such handle": "stale element reference",
  SyntaxError: "invalid selector",
};

export interface WebDriverAnswer {
  status: number;
  /** JSON. */
  body: string;
}

export function toAnswer(value: unknown, status = 200): WebDriverAnswer {
  return { status, body: JSON.stringify({ value: value ?? null }) };
}

export class WebDriverError extends Error {
  override readonly name = "WebDriverError";
  /** Such as `no such element`. */
  readonly code: string;
  readonly data: object | undefined;

  constructor(code: string, message: string, data?: object) {
    super(message);
    this.code = lookUp(OTHER_NAMES, code) ?? code;
    this.data = data;
  }

  toAnswer(status = this.#status): WebDriverAnswer {
    const { code: error, message, data } = this;
    return toAnswer({ error, message, stacktrace: "", data }, status);
  }

  get #status(): number {
    if (/^(no such|stale|unknown command|invalid session)/.test(this.code)) return 404;
    return /^(invalid|element)/.test(this.code) ? 400 : 500;
  }
}
