/** How the frames begin that tell of a crash or of a reload after one. */
const BEGINNING = '{"method":"Inspector.target';
const MAX_FRAME_LENGTH = 512;

/** The session of a connection that is to one page only. */
const OWN_SESSION = "";

/** The pages of one connection that have crashed. Chrome crashes as a whole on some commands to those. */
export class CrashedPages {
  readonly #sessions = new Set<string>();

  /** @param frame any frame of the browser's. */
  hear(frame: string): void {
    if (!frame.startsWith(BEGINNING) || frame.length > MAX_FRAME_LENGTH) return;
    const sessionId = /"sessionId":"([^"]*)"/.exec(frame)?.[1] ?? OWN_SESSION;
    if (frame.startsWith(`${BEGINNING}Crashed"`)) this.#sessions.add(sessionId);
    else if (frame.startsWith(`${BEGINNING}ReloadedAfterCrash"`)) this.#sessions.delete(sessionId);
  }

  has(sessionId: string | undefined): boolean {
    return this.#sessions.has(sessionId ?? OWN_SESSION);
  }
}
