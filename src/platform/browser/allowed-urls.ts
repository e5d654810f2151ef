import { badRequest } from "../../lib/common/errors.ts";

const SCHEMES = new Set(["http", "https", "data", "chrome-error"]);

/** These schemes are followed by another URL. */
const WRAPPERS = new Set(["view-source", "blob", "filesystem"]);

const BLANK = /^(?:blank|srcdoc)(?:[?#]|$)/i;

const EXTENSION = /^\/\/([a-p]{32})(?:[/?#]|$)/;

const NONE: ReadonlySet<string> = new Set();

export const NOT_OPENED =
  "Only http, https, data and blob URLs, about:blank and the session's extensions can be opened";

/**
 * Whether a page of the URL may be opened and controlled. Chrome's own pages (`chrome:`, `devtools:`) may
 * not: they control the browser, read files, and see the proxy's credentials. Even the harmless ones may
 * open the others, and so may the extensions that Chrome contains.
 *
 * @param extensionIds Chrome's ids of the session's extensions.
 */
export function mayOpen(url: string, extensionIds = NONE): boolean {
  let rest = url;
  while (true) {
    rest = rest.trimStart();
    const end = rest.indexOf(":");
    // Chrome opens nothing that has no scheme.
    if (end === -1) return true;
    const scheme = rest.slice(0, end).toLowerCase();
    rest = rest.slice(end + 1);
    if (scheme === "about") return BLANK.test(rest);
    if (scheme === "chrome-extension") return extensionIds.has(EXTENSION.exec(rest)?.[1] ?? "");
    if (!WRAPPERS.has(scheme)) return SCHEMES.has(scheme);
  }
}

/** @throws ServiceError 400 for a URL that may not be opened. */
export function requireOpenable(url: string): void {
  if (!mayOpen(url)) throw badRequest({ field: "url", message: NOT_OPENED });
}
