const MAX_MESSAGE_LENGTH = 8192;

/** The app is faulty or too slow. A retry would not help. */
export class AppError extends Error {
  override readonly name = "AppError";

  constructor(message: string) {
    super(message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message);
  }
}

/** @throws AppError when the work is too slow; the reason of `signal`. */
export async function withTimeout<T>(
  what: string,
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new AppError(`${what} took longer than ${milliseconds / 1000} s`)),
    milliseconds,
  );
  try {
    return await work(AbortSignal.any([signal, timeout.signal]));
  } catch (error) {
    // An aborted call may throw something other than the reason.
    if (signal.aborted) throw signal.reason;
    throw timeout.signal.aborted ? timeout.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
