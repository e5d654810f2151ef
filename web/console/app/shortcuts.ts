export type Command = "palette" | "search" | "keys";

interface Press
  extends Readonly<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "isComposing", boolean>> {
  key: string;
}

/** What a key asks for, while nobody is typing. */
export function toCommand({
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
  isComposing,
}: Press): Command | undefined {
  if (isComposing || altKey) return undefined;
  if (ctrlKey || metaKey) return key.toLowerCase() === "k" && !shiftKey ? "palette" : undefined;
  // Some keyboards need Shift for them.
  return key === "/" ? "search" : key === "?" ? "keys" : undefined;
}
