const PREFIX = "berth_";

/** A new API key: a prefix that secret scanners can find, then 256 random bits. */
export function generateAPIKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const base64 = btoa(String.fromCharCode(...bytes));
  return PREFIX + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Lower-case hexadecimal SHA-256 of a text; how keys are stored and looked up. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A key as it may be shown: enough to recognize it, not enough to use it. */
export function maskAPIKey(key: string): string {
  return key.length < 20 ? "…" : `${key.slice(0, PREFIX.length + 4)}…${key.slice(-4)}`;
}
