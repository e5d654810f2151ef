export interface ClientCommand {
  method: string;
  params: unknown;
  /** Absent for a command to the connection's own target. */
  sessionId?: string;
}

/** Send this command to the browser, or answer the client with the result. */
export type CommandOutcome = { method: string; params: object } | { result: object };

/** Sends a command in the client's session. @throws CommandRefusal */
export type AskBrowser = (method: string, params: object) => Promise<object>;

export interface CommandServer {
  /** @throws CommandRefusal */
  serve(command: ClientCommand, ask: AskBrowser): Promise<CommandOutcome>;
  /**
   * @param frame an event about a download.
   * @returns the frame for the client; undefined to drop it.
   */
  hear(frame: string): string | undefined | Promise<string>;
}

/** Error codes of DevTools. */
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMETERS = -32602;
export const SERVER_ERROR = -32000;

export class CommandRefusal extends Error {
  override readonly name = "CommandRefusal";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
