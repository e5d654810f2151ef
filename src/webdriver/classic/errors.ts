const CODES = [
  "element click intercepted",
  "element not interactable",
  "invalid argument",
  "invalid cookie domain",
  "invalid element state",
  "invalid selector",
  "invalid session id",
  "javascript error",
  "move target out of bounds",
  "no such alert",
  "no such cookie",
  "no such element",
  "no such frame",
  "no such shadow root",
  "no such window",
  "script timeout",
  "session not created",
  "stale element reference",
  "timeout",
  "unable to capture screen",
  "unable to set cookie",
  "unexpected alert open",
  "unknown command",
  "unknown error",
  "unsupported operation",
] as const;

export type WebDriverErrorCode = (typeof CODES)[number];

/** Errors of BiDi that have another name in WebDriver classic. */
const BIDI_ERRORS: Record<string, WebDriverErrorCode> = {
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
  readonly code: WebDriverErrorCode;
  readonly data: object | undefined;

  constructor(code: WebDriverErrorCode, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }

  toAnswer(status = statusOf(this.code)): WebDriverAnswer {
    const { code, message, data } = this;
    return toAnswer({ error: code, message, stacktrace: "", data }, status);
  }
}

/** @returns the error of WebDriver classic for one of BiDi, or for the name of an exception. */
export function toErrorCode(name: string): WebDriverErrorCode | undefined {
  return CODES.find((code) => code === name) ?? BIDI_ERRORS[name];
}

function statusOf(code: WebDriverErrorCode): number {
  if (/^(no such|stale|unknown command|invalid session)/.test(code)) return 404;
  return /^(invalid|element)/.test(code) ? 400 : 500;
}
