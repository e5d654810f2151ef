/** Checks floors, folders' doors, circles of imports between folders, and who uses bindings and tables. */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "./local/paths.ts";

/** From the top: an import goes down a floor or stays on it. `entry` is index.ts and app.ts. */
const FLOORS = ["entry", "web", "api", "features", "platform", "lib"];

/** What others may import of a folder besides its index.ts; `*` stands for all folders of the floor. */
const DOORS: Readonly<Record<string, RegExp>> = {
  "api/*": /(^|-)(routes|schema)\.ts$/,
  // What a page and the service tell each other.
  "features/live-view": /^(constants|protocol)\.ts$/,
  "features/recordings": /^recording-document\.ts$/,
  "features/telemetry": /^event-title\.ts$/,
  // Modules of Dynamic Workers, which are bundled by themselves.
  "platform/dynamic-workers": /^runtime\//,
  // Collections of independent modules.
  "platform/network": /./,
  "platform/page-scripts": /./,
  "lib/*": /./,
};

/** Who may use the binding of a Durable Object, or tables; its owner is first. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  AUDIT_LOG: ["features/audit", "src/app.ts"],
  BROWSER_BROKER: ["platform/broker"],
  BROWSER_POOL: ["features/browser-pools", "features/sessions"],
  BROWSER_SESSION: ["features/sessions", "features/machine", "platform/broker"],
  DEPLOYMENT: ["features/apps"],
  INVOCATION: ["features/apps", "features/sessions"],
  MCP_SESSION: ["api/mcp"],
  PLATFORM_PROBE: ["api/probe", "platform/broker"],
  SESSION_MACHINE: ["features/machine", "features/sessions"],
  // Besides the owner: a limit is one statement with what it limits (stored bytes, the sessions of runs and
  // pools), usage is counted in the transaction that ends it, and metrics are one statement.
  apps: ["features/apps", "features/organizations", "features/sessions", "features/usage"],
  // Deleted extensions, profiles and proxies are removed by a statement that finds no session or pool with
  // them. Sessions call these folders, recordings, usage and the broker, which therefore cannot call them.
  "browser-pools": ["features/browser-pools", "features/proxies", "features/sessions"],
  "browser-sessions": [
    ...["features/sessions", "features/extensions", "features/profiles", "features/proxies"],
    ...["features/recordings", "features/usage", "platform/broker"],
  ],
  // The probe reads a row to measure D1.
  capabilities: ["platform/capabilities", "features/probe"],
  extensions: ["features/extensions", "features/organizations"],
  organizations: ["features/organizations"],
  profiles: ["features/profiles", "features/organizations"],
  proxies: ["features/proxies"],
  replays: ["features/recordings", "features/organizations", "features/usage"],
  telemetry: ["features/telemetry"],
  usage: ["features/usage"],
  webhooks: ["features/webhooks"],
};

export interface Import {
  from: string;
  to: string;
}

interface Place {
  floor: string;
  /** A folder of a floor, or a file beside these folders. */
  room: string;
  /** The path in the room. */
  rest: string;
}

function placeOf(path: string): Place {
  const parts = path.split("/").slice(path.startsWith("src/") ? 1 : 0);
  const [floor = "", name = "", ...rest] = parts;
  if (!path.startsWith("web/") && parts.length === 1) return { floor: "entry", room: path, rest: "" };
  return { floor, room: `${floor}/${name}`, rest: rest.join("/") };
}

/** @returns a sentence for each fault. */
export function faultsOf(imports: readonly Import[]): string[] {
  const faults: string[] = [];
  const between = new Map<string, Map<string, Import>>();
  for (const found of imports) {
    const [from, to] = [placeOf(found.from), placeOf(found.to)];
    const sentence = `${found.from} imports ${found.to}`;
    for (const { floor, room } of [from, to]) {
      if (!FLOORS.includes(floor)) faults.push(`${sentence}, and ${room} is on no floor`);
    }
    if (FLOORS.indexOf(to.floor) < FLOORS.indexOf(from.floor))
      faults.push(`${sentence}, which is a floor above`);
    if (from.room === to.room) continue;
    if (!isDoor(to)) faults.push(`${sentence}, which is inside another folder: import its index.ts`);
    const imported = between.get(from.room) ?? new Map<string, Import>();
    between.set(from.room, imported.set(to.room, imported.get(to.room) ?? found));
  }
  return [...faults, ...circlesOf(between)];
}

function isDoor({ floor, room, rest }: Place): boolean {
  const door = DOORS[room] ?? DOORS[`${floor}/*`];
  return rest === "" || rest === "index.ts" || door?.test(rest) === true;
}

/** A circle of rooms is found at the import that closes it. */
function circlesOf(between: ReadonlyMap<string, ReadonlyMap<string, Import>>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]) => {
    for (const [next, { from, to }] of between.get(room) ?? []) {
      const start = path.indexOf(next);
      const circle = [...path.slice(start), next].join(" > ");
      if (start >= 0) circles.push(`${from} imports ${to}, which closes a circle: ${circle}`);
      else if (!done.has(next)) visit(next, [...path, next]);
    }
    done.add(room);
  };
  for (const room of between.keys()) if (!done.has(room)) visit(room, [room]);
  return circles;
}

/** The names of tables in SQL, each with its file. */
const SQL_NAMES = new Map(
  globSync("src/lib/database/schema/*.ts", { cwd: ROOT }).flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(/\bsqliteTable\(\s*"(\w+)"/g)].map(
      ([, name = ""]) => [name, posix.basename(path, ".ts")] as const,
    ),
  ),
);

/** SQL in capitals, which prose in comments is not. */
const NAMED = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE)\\s+(${[...SQL_NAMES.keys()].join("|")})\\b`, "g");

const BINDING = /\benv\.([A-Z_]+)\b/g;
const TABLES = /\bimport \{([^}]*)\} from "[^"]*\/database\/schema\/([\w-]+)\.ts"/g;

/** @returns a sentence for each binding and table that a file of `src` may not use. */
export function foreignUsesOf(path: string, text: string): string[] {
  const { room } = placeOf(path);
  const tables = [...text.matchAll(TABLES)].flatMap(([, names = "", file = ""]) =>
    // Types of rows may go anywhere.
    names.split(",").some((name) => /^\s*(?!type )\w/.test(name)) ? [file] : [],
  );
  const inSQL = [...text.matchAll(NAMED)].map(([, name = ""]) => SQL_NAMES.get(name) ?? name);
  const used = new Set([...tables, ...inSQL, ...[...text.matchAll(BINDING)].map(([, name = ""]) => name)]);
  return [...used]
    .filter((name) => USERS[name]?.includes(room) === false)
    .map((name) => `${path} uses ${name}, which belongs to ${USERS[name]?.[0]}`);
}

const SPECIFIER = /(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"?]+)/g;

/** The imports of the files of `src` and `web` among each other. */
function readImports(): Import[] {
  return globSync("{src,web}/**/*.{ts,tsx}", { cwd: ROOT }).flatMap((from) =>
    [...readFileSync(join(ROOT, from), "utf8").matchAll(SPECIFIER)].map(([, path = ""]) => ({
      from,
      to: posix.join(posix.dirname(from), path),
    })),
  );
}

if (import.meta.main) {
  const uses = globSync("src/**/*.ts", { cwd: ROOT }).flatMap((path) =>
    foreignUsesOf(path, readFileSync(join(ROOT, path), "utf8")),
  );
  const faults = [...faultsOf(readImports()), ...uses];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
