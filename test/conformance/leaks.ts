/** Any JWT. */
const SIGNED_TOKEN = /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/;

/** A generated API key; masked ones are shorter. */
const GENERATED_KEY = /berth_[\w-]{20,}/;

/** The lines of the startup banner that show the local key. */
const BANNER_LINES = [/^ {2}API key {2}\S+$/, /^ {2}export KERNEL_BASE_URL=\S+ KERNEL_API_KEY=\S+$/];

/**
 * Looks for secrets in a service's output.
 *
 * @param secrets texts that must not occur; anything that looks like a token or a key is found as well.
 * @returns line numbers and kinds, never the secrets.
 */
export function findLeaks(
  lines: readonly string[],
  secrets: readonly string[],
  { bannerKey }: { bannerKey: string },
): string[] {
  return lines.flatMap((line, index) => {
    const text = BANNER_LINES.some((banner) => banner.test(line)) ? line.replace(bannerKey, "") : line;
    const found = [
      ...(secrets.some((secret) => text.includes(secret)) ? ["a known secret"] : []),
      ...(SIGNED_TOKEN.test(text) ? ["a signed token"] : []),
      ...(GENERATED_KEY.test(text) ? ["an API key"] : []),
    ];
    return found.map((what) => `line ${index + 1} contains ${what}`);
  });
}
