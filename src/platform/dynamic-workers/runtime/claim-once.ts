// Saved before user code can replace it.
const NativeError = Error;

/** Hands out a value once: the runner claims it before user code, which can import the same module. */
export function claimOnce<T>(value: T): () => T {
  let isClaimed = false;
  return () => {
    if (isClaimed) throw new NativeError("Only the runner of the code may use this");
    isClaimed = true;
    return value;
  };
}
