const UNITS = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
] as const;

/** A length of time in its two largest units, such as `3 h 12 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  let seconds = Math.round(milliseconds / 1000);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count === 0 && parts.length === 0) continue;
    if (count > 0) parts.push(`${count} ${unit}`);
    seconds -= count * size;
    if (parts.length === 2) break;
  }
  return parts.slice(0, 2).join(" ");
}

/** How long ago a time is, or how far ahead, in one unit. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 5000) return "just now";
  const seconds = Math.floor(distance / 1000);
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["s", 1];
  const text = `${Math.floor(seconds / size)} ${unit}`;
  return at <= now ? `${text} ago` : `in ${text}`;
}

/** When something planned happens: `now` if it is due or nearly so. */
export function formatDue(at: number, now: number): string {
  return at - now < 5000 ? "now" : formatRelative(at, now);
}

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function formatExact(at: number): string {
  return EXACT.format(at);
}

/** An id that fits on a line, such as `o4h8w2k6…7t2qd`. */
export function shortenId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-5)}` : id;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const exponent = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** exponent;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["B", "KiB", "MiB", "GiB", "TiB"][exponent]}`;
}

const DOLLARS = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

export function formatDollars(amount = 0): string {
  return DOLLARS.format(amount);
}
