import { mayOpen } from "../../platform/browser/index.ts";

const OPENED = new Set(["http:", "https:", "about:", "data:"]);

const HOST = /^(localhost|[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+|\[[0-9a-f:]+\])(:\d+)?([/?#]|$)/iu;
const LOCAL = /^(localhost|127\.|\[::1\]|10\.|192\.168\.)/i;

/** @returns the typed address, or a search for it as in Chrome. */
export function readTypedAddress(typed: string): string {
  const text = typed.trim();
  if (text === "") return "about:blank";
  if (HOST.test(text)) return `${LOCAL.test(text) ? "http" : "https"}://${text}`;
  const url = URL.parse(text);
  if (url !== null && OPENED.has(url.protocol) && mayOpen(url.href)) return url.href;
  return `https://www.google.com/search?q=${encodeURIComponent(text)}`;
}
