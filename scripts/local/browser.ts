import { execFileSync } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { findBrowsers, installedCandidates } from "./browser-search.ts";
import { downloadChrome, downloadedChromes } from "./chrome-for-testing.ts";
import { runCommand } from "./command.ts";
import { errorText, SetUpError } from "./set-up-error.ts";
import { waitForAbort } from "./stop-request.ts";

const VERSION_TIMEOUT_MS = 30_000;

/** Finds or installs a browser. @returns its path. @throws SetUpError that says what to install. */
export async function prepareBrowser(signal: AbortSignal): Promise<string> {
  const { path, version } = (await findWorkingBrowser()) ?? (await installBrowser(signal));
  console.log(`Browser: ${version} (${path})`);
  return path;
}

interface Browser {
  path: string;
  version: string;
}

async function findWorkingBrowser(): Promise<Browser | undefined> {
  const chromePath = process.env.CHROME_PATH;
  const candidates = findBrowsers({
    chromePath,
    downloaded: chromePath ? [] : await downloadedChromes(),
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

async function installBrowser(signal: AbortSignal): Promise<Browser> {
  const downloaded = await tryDownload(signal);
  if (downloaded !== undefined) return downloaded;
  if (isDebianRoot()) {
    await tryApt(signal);
    const installed = await findWorkingBrowser();
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

async function tryDownload(signal: AbortSignal): Promise<Browser | undefined> {
  console.log("Chrome or Chromium is not installed. Looking for a download …");
  try {
    await Promise.race([downloadChrome(), waitForAbort(signal)]);
  } catch (error) {
    console.log(`The download failed: ${errorText(error)}`);
  }
  signal.throwIfAborted();
  return await findWorkingBrowser();
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
