/** Where paths that do not begin at the root begin. */
const HOME_DIRECTORY = "/home/kernel";

/** The paths that somebody typed: one as it is, or several, each in double quotes. */
export function readTypedPaths(typed: string): string[] {
  const quoted = [...typed.matchAll(/"([^"]*)"/g)].map(([, path = ""]) => path);
  const paths = (quoted.length > 0 ? quoted : [typed]).map((path) => path.trim());
  return paths.filter((path) => path !== "").map(toAbsolute);
}

function toAbsolute(path: string): string {
  if (path.startsWith("/")) return path;
  return path === "~" ? HOME_DIRECTORY : `${HOME_DIRECTORY}/${path.replace(/^~\//, "")}`;
}
