export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("UNIQUE constraint failed") || isUniqueViolation(error.cause);
}

/** @returns what a write returns, or "name-taken" if a row with its unique name exists. */
export async function unlessNameTaken<T>(write: () => Promise<T>): Promise<T | "name-taken"> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) return "name-taken";
    throw error;
  }
}
