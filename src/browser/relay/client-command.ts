/** A client's command, as the relay understood it. */
export interface ClientCommand {
  method: string;
  params: unknown;
  /** Of the session that it is for; absent where that is the connection's own. */
  sessionId?: string;
}

/** What becomes of a client's command: it goes to the browser with these parameters, or is answered. */
export type CommandOutcome = { method: string; params: object } | { result: object };

/** Sends the browser a command in the session of the client's. @throws CommandRefusal as the browser does. */
export type AskBrowser = (method: string, params: object) => Promise<object>;

/** Serves commands that are about more than the browser, over one client's connection. */
export interface CommandServer {
  /** @throws CommandRefusal */
  serve(command: ClientCommand, ask: AskBrowser): Promise<CommandOutcome>;
  /**
   * Looks at a frame from the browser that may tell of a download.
   *
   * @returns what the client is to get, at once or later; undefined for nothing.
   */
  hear(frame: string): string | undefined | Promise<string>;
}

/** Codes of DevTools' errors. */
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMETERS = -32602;
export const SERVER_ERROR = -32000;

/** A command is answered with a protocol error. */
export class CommandRefusal extends Error {
  override readonly name = "CommandRefusal";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
