export interface ClientCommand {
  method: string;
  params: unknown;
  sessionId?: string;
}

export type CommandOutcome = { method: string; params: object } | { result: object };

/** Sends a command in the client's session. @throws CommandError */
export type SendCommand = (method: string, params: object) => Promise<object>;

export interface CommandHandler {
  serve(command: ClientCommand, ask: SendCommand): Promise<CommandOutcome>;
  /** @param frame an event about a download. @returns the frame for the client; undefined to drop it. */
  handleFrame(frame: string): string | undefined | Promise<string>;
}

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMETERS = -32602;
export const SERVER_ERROR = -32000;

export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
