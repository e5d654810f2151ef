const HOME_DIRECTORY = "/home/kernel";

export function readTypedPaths(typed: string): string[] {
  const quoted = [...typed.matchAll(/"([^"]*)"/g)].map(([, path = ""]) => path);
  const paths = (quoted.length > 0 ? quoted : [typed]).map((path) => path.trim());
  return paths.filter((path) => path !== "").map(toAbsolute);
}

function toAbsolute(path: string): string {
  if (path.startsWith("/")) return path;
  return path === "~" ? HOME_DIRECTORY : `${HOME_DIRECTORY}/${path.replace(/^~\//, "")}`;
}
