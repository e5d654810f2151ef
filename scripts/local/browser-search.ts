import { delimiter, join } from "node:path";

const COMMANDS = ["google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome"];

const LINUX_PATHS = ["/opt/google/chrome/chrome", "/snap/bin/chromium"];

const MAC_APPLICATIONS = [
  "Google Chrome.app/Contents/MacOS/Google Chrome",
  "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
  "Chromium.app/Contents/MacOS/Chromium",
];

/** Possible paths of an installed Chrome or Chromium, best first. */
export function installedCandidates(platform: NodeJS.Platform, path: string, home: string): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  if (platform === "linux") return [...onPath, ...LINUX_PATHS];
  const applications = ["/Applications", join(home, "Applications")];
  return [...applications.flatMap((folder) => MAC_APPLICATIONS.map((name) => join(folder, name))), ...onPath];
}

export interface BrowserSearch {
  chromePath: string | undefined;
  downloaded: readonly string[];
  installed: readonly string[];
  isExecutable: (path: string) => boolean;
}

/** Returns the browsers to try, best first. CHROME_PATH excludes all others. */
export function findBrowsers({ chromePath, downloaded, installed, isExecutable }: BrowserSearch): string[] {
  const candidates = chromePath ? [chromePath] : [...downloaded, ...installed];
  return candidates.filter(isExecutable);
}
