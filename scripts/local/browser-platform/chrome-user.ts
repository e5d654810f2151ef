import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";

/** Ids that no account has: Debian reserves them, and containers usually map them. One for each browser. */
const FIRST_ID = 65_000;
const IDS = 500;

const TIMEOUT_MS = 30_000;

export type ChromeUser = ReturnType<typeof chromeUser>;

export function chromeUser(index: number) {
  const id = FIRST_ID + (index % IDS);
  return { uid: id, gid: id };
}

/** Whether Chrome can run as another user: only as root, and if that user can reach Chrome and the folder. */
export function canSwitchUser(chrome: string, folder: string): boolean {
  if (process.getuid?.() !== 0) return false;
  chmodSync(folder, 0o711);
  try {
    const script = 'cd "$1" && exec "$0" --version';
    const options = { ...chromeUser(0), cwd: "/", stdio: "ignore", timeout: TIMEOUT_MS } as const;
    execFileSync("/bin/sh", ["-c", script, chrome, folder], {
      ...options,
      env: { ...process.env, HOME: "/" },
    });
    return true;
  } catch {
    console.log(
      "Chrome runs as root and without its sandbox, because another user cannot start it. Start Berth as another user.",
    );
    return false;
  }
}
