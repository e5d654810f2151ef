const BEGINNING = '{"method":"Inspector.target';
const MAX_FRAME_LENGTH = 512;

/** Key for a connection that is attached to a single page and has no session ids. */
const OWN_SESSION = "";

/** Tracks crashed pages of one connection. Some commands to a crashed page crash the whole browser. */
export class CrashedPages {
  readonly #sessions = new Set<string>();

  handleFrame(frame: string): void {
    if (!frame.startsWith(BEGINNING) || frame.length > MAX_FRAME_LENGTH) return;
    const sessionId = /"sessionId":"([^"]*)"/.exec(frame)?.[1] ?? OWN_SESSION;
    if (frame.startsWith(`${BEGINNING}Crashed"`)) this.#sessions.add(sessionId);
    else if (frame.startsWith(`${BEGINNING}ReloadedAfterCrash"`)) this.#sessions.delete(sessionId);
  }

  has(sessionId: string | undefined): boolean {
    return this.#sessions.has(sessionId ?? OWN_SESSION);
  }
}
