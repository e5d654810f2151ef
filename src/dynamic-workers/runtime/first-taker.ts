// Taken before other people's code runs, which may put something else in its place.
const NativeError = Error;

/**
 * A function that gives something away once, to whoever asks first: what runs other people's code asks before that
 * code can, which might import the same module.
 */
export function forFirstTaker<T>(value: T): () => T {
  let isTaken = false;
  return () => {
    if (isTaken) throw new NativeError("Only what runs the code may have this");
    isTaken = true;
    return value;
  };
}
