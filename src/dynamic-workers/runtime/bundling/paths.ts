/** Paths have no slash at their beginning or end; one that leads above the app's top ends there. */
export function joinPaths(directory: string, path: string): string {
  const names: string[] = [];
  for (const name of `${path.startsWith("/") ? "" : directory}/${path}`.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "." && name !== "") names.push(name);
  }
  return names.join("/");
}

/** The directory that a path is in; empty: the app's top. */
export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
