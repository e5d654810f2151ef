/** Paths have no slash at either end, and cannot lead above the root of the app. */
export function joinPaths(directory: string, path: string): string {
  const names: string[] = [];
  for (const name of `${path.startsWith("/") ? "" : directory}/${path}`.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "." && name !== "") names.push(name);
  }
  return names.join("/");
}

export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
