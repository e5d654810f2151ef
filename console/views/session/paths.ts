export function join(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** A directory and those above it, from the root down. */
export function breadcrumbs(path: string): { name: string; path: string }[] {
  const names = path.split("/").filter(Boolean);
  const crumbs = names.map((name, index) => ({ name, path: `/${names.slice(0, index + 1).join("/")}` }));
  return [{ name: "/", path: "/" }, ...crumbs];
}

const PICTURES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};

/** The type of a picture, by its name. */
export function pictureType(name: string): string | undefined {
  return PICTURES[/\.(\w+)$/.exec(name.toLowerCase())?.[1] ?? ""];
}

/** Bytes as text, unless they are no text. */
export function toText(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
