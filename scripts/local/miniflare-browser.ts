import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { UNUSED_FEATURES } from "./browser-flags.ts";
import { TOOL_FOLDER } from "./paths.ts";
import { SetUpError } from "./set-up-error.ts";

/** Miniflare's cache, so that the user's own is unchanged. */
const CACHE_FOLDER = join(TOOL_FOLDER, "cache");

const MAC_EXECUTABLE = "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing";

/** The platform in the name of a version's folder, and the executable in it. */
const LAYOUTS: Readonly<Record<string, readonly [platform: string, executable: string]>> = {
  "linux-x64": ["linux", "chrome-linux64/chrome"],
  "linux-arm64": ["linux_arm", "chrome-linux64/chrome"],
  "darwin-x64": ["mac", `chrome-mac-x64/${MAC_EXECUTABLE}`],
  "darwin-arm64": ["mac_arm", `chrome-mac-arm64/${MAC_EXECUTABLE}`],
};

const FLAGS = ["--disable-component-update", "--disable-background-networking", "--no-default-browser-check"];

const requireFromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));

/**
 * Lets the browser binding of the tests in workerd run a browser: miniflare accepts no path, but runs what is
 * in its cache.
 *
 * @param browser its path.
 * @returns the environment variable of the cache.
 */
export function offerToMiniflare(browser: string): { XDG_CACHE_HOME: string } {
  const layout = LAYOUTS[`${process.platform}-${process.arch}`];
  if (layout === undefined) throw new SetUpError("The tests run on Linux and macOS.");
  const [platform, executable] = layout;
  const folder = join(CACHE_FOLDER, ".wrangler", "chrome", `${platform}-${expectedVersion()}`);
  const path = join(folder, executable);
  mkdirSync(dirname(path), { recursive: true });
  // Renamed into place, because test runs that start at once share the wrapper.
  const temporaryFile = `${path}.${process.pid}`;
  writeFileSync(temporaryFile, wrapperScript(browser, process.getuid?.() === 0), { mode: 0o755 });
  renameSync(temporaryFile, path);
  // Without this marker, miniflare deletes the folder after a failed launch.
  writeFileSync(join(folder, ".miniflare-install-complete"), "");
  return { XDG_CACHE_HOME: CACHE_FOLDER };
}

/** Reads the version from miniflare's source, because it is not exported. */
function expectedVersion(): string {
  const source = readFileSync(requireFromWrangler.resolve("miniflare"), "utf8");
  const version = /BROWSER_VERSION = "([\d.]+)"/.exec(source)?.[1];
  if (version === undefined) throw new SetUpError("The browser version was not found in miniflare's source.");
  return version;
}

/** The script uses `exec`, so that the browser has the process id that miniflare knows. */
function wrapperScript(browser: string, isRoot: boolean): string {
  // Chrome's sandbox does not work as root.
  const flags = isRoot ? ["--no-sandbox", ...FLAGS] : FLAGS;
  const quoted = `'${browser.replaceAll("'", "'\\''")}'`;
  // Chrome uses only the last flag of a name. Without a UTF-8 locale, it names downloads with non-ASCII names
  // "download".
  return `#!/bin/sh
for flag do
  shift
  case $flag in --disable-features=*) flag="$flag,${UNUSED_FEATURES}" ;; esac
  set -- "$@" "$flag"
done
export LC_CTYPE=C.UTF-8
exec ${quoted} ${flags.join(" ")} "$@"
`;
}
