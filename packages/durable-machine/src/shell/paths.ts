/** An absolute path, without `.`, `..` and repeated slashes. */
export function joinPath(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function baseNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
