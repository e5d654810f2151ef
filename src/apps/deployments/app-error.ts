/** What is thrown may have megabytes of words; what is stored of it may not. */
const MAX_MESSAGE_LENGTH = 8192;

/** What is wrong with an app, or takes it too long. The message is for whoever deployed it: trying again mends nothing. */
export class AppError extends Error {
  override readonly name = "AppError";

  constructor(message: string) {
    super(message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message);
  }
}

/**
 * Ends work that takes too long.
 *
 * @param work is to end with the signal.
 * @param signal ends the work sooner.
 * @throws AppError that begins with `what` and says how long it may take; the reason of `signal`.
 */
export async function withTimeout<T>(
  what: string,
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new AppError(`${what} took longer than ${milliseconds / 1000} s`)),
    milliseconds,
  );
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    // What is thrown at the end of a call need not be what it was ended with.
    if (signal.aborted) throw signal.reason;
    throw late.signal.aborted ? late.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
