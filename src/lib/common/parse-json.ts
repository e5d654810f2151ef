/** @returns undefined for invalid JSON. */
export function parseJSON(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
