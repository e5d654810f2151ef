/** Requests that say nothing about a page: what it contains itself, and icons that no site promised. */
export function isNoise({ url, status = 0 }: { url: string; status?: number }): boolean {
  if (/^data:/i.test(url)) return true;
  return status === 404 && /\/favicon\.ico(?:[?#]|$)/.test(url);
}
