import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findBrowsers, installedCandidates } from "./browser-search.ts";
import {
  download,
  type ExpectedBrowser,
  expectedBrowser,
  expectedVersion,
  fetchDownloadSize,
  userCacheFolder,
} from "./chrome-for-testing.ts";
import { runCommand } from "./command.ts";
import { TOOL_FOLDER } from "./paths.ts";
import { SetUpError } from "./set-up-error.ts";
import { waitForAbort } from "./stop-request.ts";

/** Wrangler's cache, so that the user's own is unchanged. */
const CACHE_FOLDER = join(TOOL_FOLDER, "cache");

const VERSION_TIMEOUT_MS = 30_000;

/** Disable background requests. */
export const QUIET_FLAGS = [
  "--disable-component-update",
  "--disable-background-networking",
  "--no-default-browser-check",
];

export interface PreparedBrowser {
  path: string;
  /** The wrapper that wrangler runs. */
  executable: string;
  /** Environment variables that make wrangler, and the tests in workerd, use it. */
  variables: { XDG_CACHE_HOME: string };
}

/**
 * Finds or installs a browser, and puts a wrapper where wrangler expects its own.
 *
 * @param folder - Takes the place of the user's cache folder for wrangler. Services with different browsers need
 *   different folders.
 * @throws SetUpError that says what to install.
 */
export async function prepareBrowser(
  signal: AbortSignal,
  folder: string = CACHE_FOLDER,
): Promise<PreparedBrowser> {
  const expected = expectedBrowser(`${process.platform}-${process.arch}`, expectedVersion());
  const browser = findWorkingBrowser(expected) ?? (await installBrowser(expected, signal));
  const executable = join(folder, expected.executable);
  writeWrapper(executable, browser.path);
  // Without this marker, wrangler deletes the folder after a failed launch.
  writeFileSync(join(folder, expected.folder, ".miniflare-install-complete"), "");
  console.log(`Browser: ${browser.version} (${browser.path})`);
  return { path: browser.path, executable, variables: { XDG_CACHE_HOME: folder } };
}

interface Browser {
  path: string;
  version: string;
}

function findWorkingBrowser(expected: ExpectedBrowser): Browser | undefined {
  const chromePath = process.env.CHROME_PATH;
  const cacheFolder = userCacheFolder(process.env);
  const candidates = findBrowsers({
    chromePath,
    // Under `npm test` the user's cache is CACHE_FOLDER, which contains only the wrapper.
    downloaded: cacheFolder === CACHE_FOLDER ? undefined : join(cacheFolder, expected.executable),
    installed: installedCandidates(process.platform, process.env.PATH ?? "", homedir()),
    isExecutable,
  });
  for (const path of candidates) {
    const version = readVersion(path);
    if (version !== undefined) return { path, version };
    if (chromePath) throw new SetUpError(`CHROME_PATH does not run: try \`${path} --version\`.`);
    console.log(`Skipping ${path}: it does not run (try \`${path} --version\`).`);
  }
  if (chromePath) throw new SetUpError(`CHROME_PATH is not an executable file: ${chromePath}`);
  return undefined;
}

async function installBrowser(expected: ExpectedBrowser, signal: AbortSignal): Promise<Browser> {
  await tryDownload(expected, signal);
  const downloaded = findWorkingBrowser(expected);
  if (downloaded !== undefined) return downloaded;
  if (isDebianRoot()) {
    await tryApt(signal);
    const installed = findWorkingBrowser(expected);
    if (installed !== undefined) return installed;
  }
  throw new SetUpError(
    "Chrome or Chromium was not found and could not be installed. Install one:\n" +
      "  Debian           apt-get install chromium\n" +
      "  Ubuntu           Google Chrome, https://www.google.com/chrome (Ubuntu's Chromium is a snap)\n" +
      "  Fedora           dnf install chromium\n" +
      "  Alpine           apk add chromium\n" +
      "  macOS            https://www.google.com/chrome\n" +
      "or set CHROME_PATH to its executable.",
  );
}

async function tryDownload(expected: ExpectedBrowser, signal: AbortSignal): Promise<void> {
  const cacheFolder = userCacheFolder(process.env);
  // A download that does not run lacks shared libraries; another copy would, too.
  if (expected.downloadURL === undefined || isExecutable(join(cacheFolder, expected.executable))) return;
  console.log("Chrome or Chromium is not installed. Looking for a download …");
  const size = await fetchDownloadSize(expected.downloadURL);
  if (size === undefined) {
    console.log("The download host is not reachable.");
    return;
  }
  const megabytes = size > 0 ? ` (${Math.round(size / 1_000_000)} MB)` : "";
  console.log(`Downloading Chrome for Testing ${expected.version}${megabytes} to ${cacheFolder} …`);
  try {
    await Promise.race([download(expected, cacheFolder), waitForAbort(signal)]);
  } catch (error) {
    console.log(`The download failed: ${error instanceof Error ? error.message : error}`);
  }
  signal.throwIfAborted();
}

async function tryApt(signal: AbortSignal): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-q", "-y", "--no-install-recommends", "chromium", "fonts-liberation"];
  console.log("Installing Chromium with apt-get (about 120 MB) …");
  try {
    await runCommand("apt-get", ["update", "-q"], { title: "apt-get update", env, signal });
    await runCommand("apt-get", install, { title: "apt-get install chromium", env, signal });
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.log(error.message);
  }
}

function isDebianRoot(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync("/etc/os-release", "utf8"));
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns undefined when the file does not run, for example without its shared libraries. */
function readVersion(path: string): string | undefined {
  try {
    const output = execFileSync(path, ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: VERSION_TIMEOUT_MS,
    });
    return /^.*\d+\.\d+.*$/m.exec(output)?.[0].trim();
  } catch {
    return undefined;
  }
}

function writeWrapper(path: string, browser: string): void {
  mkdirSync(dirname(path), { recursive: true });
  // Renamed into place, because services that start concurrently share the wrapper.
  const temporaryFile = `${path}.${process.pid}`;
  writeFileSync(temporaryFile, wrapperScript(browser, process.getuid?.() === 0), { mode: 0o755 });
  renameSync(temporaryFile, path);
}

/** The script uses `exec`, so that the browser has the process id that wrangler knows. */
export function wrapperScript(browser: string, isRoot: boolean): string {
  // Chrome's sandbox does not work as root.
  const flags = isRoot ? ["--no-sandbox", ...QUIET_FLAGS] : QUIET_FLAGS;
  const quoted = `'${browser.replaceAll("'", "'\\''")}'`;
  // Without a UTF-8 locale, Chrome names downloads with non-ASCII names "download".
  return `#!/bin/sh\nexport LC_CTYPE=C.UTF-8\nexec ${quoted} ${flags.join(" ")} "$@"\n`;
}
