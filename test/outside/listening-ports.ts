import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The state of a listening socket in /proc/net/tcp (include/net/tcp_states.h). */
const LISTEN = "0A";

/** The TCP ports that processes of a Linux machine listen on. */
export function listeningPorts(pids: readonly number[]): number[] {
  const inodes = new Set(pids.flatMap(socketsOf));
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    const isOwn = state === LISTEN && inodes.has(inode);
    return isOwn ? [Number.parseInt(local.slice(local.indexOf(":") + 1), 16)] : [];
  });
}

function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
      } catch {
        // Closed in the meantime.
        return [];
      }
    });
  } catch {
    // The process has ended.
    return [];
  }
}
