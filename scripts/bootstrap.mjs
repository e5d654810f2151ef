#!/usr/bin/env node
// Runs a TypeScript file of this project on a machine that has only Node 20 and npm:
//
//   node scripts/bootstrap.mjs scripts/start.ts [arguments]
//
// The one plain JavaScript file here, because it runs before anything is installed. It installs the
// dependencies when they are missing or out of date, then runs the file with the Node they contain, which
// strips types by itself.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const PARENT_CHECK_MS = 500;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, "node_modules", ".bin");
const projectNode = join(binaries, "node");

requireNode();
if (!dependenciesInstalled()) installDependencies();
run(process.argv.slice(2));

function requireNode() {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) return;
  fail(`Berth needs Node ${OLDEST_NODE} or newer, and this is ${process.version}. See https://nodejs.org.`);
}

/** npm keeps in node_modules a lock of what it put there, written last, so a broken-off install has none. */
function dependenciesInstalled() {
  if (!existsSync(projectNode)) return false;
  const installedLock = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedLock)) return false;
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(installedLock);
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    const isProject = path === "";
    const otherPlatforms = optional && installed[path] === undefined;
    return isProject || otherPlatforms || installed[path]?.version === version;
  });
}

function readPackages(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages;
}

function installDependencies() {
  console.log("Installing dependencies with npm ci (about 200 packages) …");
  const started = Date.now();
  const options = ["ci", "--loglevel=error", "--no-audit", "--no-fund"];
  const { status, error } = spawnSync("npm", options, { cwd: root, stdio: "inherit" });
  if (error) fail(`npm does not start: ${error.message}. It comes with Node: https://nodejs.org.`);
  if (status !== 0) {
    fail(
      "npm ci failed, see above. Berth needs its packages: check the network and npm's registry, then try again.",
    );
  }
  if (!existsSync(projectNode)) {
    fail(
      "npm installed no node_modules/.bin/node, because install scripts are off (`npm config get ignore-scripts`).\n" +
        "Allow them for this project: npm ci --ignore-scripts=false",
    );
  }
  console.log(`Installed dependencies in ${Math.round((Date.now() - started) / 1000)} s.`);
}

function run(command) {
  const child = spawn(projectNode, command, {
    cwd: root,
    // The channel closes when this process dies, however it dies: that is how the child knows to stop.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      // Loading Miniflare takes half as long from Node's compile cache.
      NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"),
      ...process.env,
      PATH: binaries + delimiter + (process.env.PATH ?? ""),
    },
  });
  child.on("error", (error) => fail(`${projectNode} does not start: ${error.message}`));
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  stopWithNpm(child);
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/**
 * npm runs its scripts through a shell. A shell that does not replace itself with its last command dies of a
 * signal without passing it on, and SIGKILL of npm reaches nobody: then this process gets another parent.
 */
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    child.kill("SIGTERM");
  }, PARENT_CHECK_MS);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
