#!/usr/bin/env node
// Runs a TypeScript file of this project on a machine that has only Node 20 and npm:
//
//   node scripts/bootstrap.mjs scripts/start.ts [arguments]
//
// Plain JavaScript, because it runs before anything is installed. It installs missing or outdated
// dependencies, then runs the file with the Node among them, which strips types.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MIN_NODE_VERSION = 20;
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const PARENT_CHECK_INTERVAL_MS = 500;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, "node_modules", ".bin");
const projectNode = join(binaries, "node");

requireNode();
if (!dependenciesInstalled()) installDependencies();
run(process.argv.slice(2));

function requireNode() {
  if (Number.parseInt(process.versions.node, 10) >= MIN_NODE_VERSION) return;
  fail(`Berth needs Node ${MIN_NODE_VERSION} or newer; this is ${process.version}. See https://nodejs.org.`);
}

/** npm writes node_modules/.package-lock.json last, so an interrupted install has none. */
function dependenciesInstalled() {
  if (!existsSync(projectNode)) return false;
  const installedLock = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedLock)) return false;
  const required = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(installedLock);
  return Object.entries(required).every(([path, { version, optional }]) => {
    const isProject = path === "";
    const isForOtherPlatform = optional && installed[path] === undefined;
    return isProject || isForOtherPlatform || installed[path]?.version === version;
  });
}

function readPackages(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages;
}

function installDependencies() {
  console.log("Installing dependencies with npm ci, half a minute to four minutes …");
  const started = Date.now();
  const options = ["ci", "--loglevel=error", "--no-audit", "--no-fund"];
  const { status, error } = spawnSync("npm", options, { cwd: root, stdio: "inherit" });
  if (error) fail(`Could not run npm: ${error.message}. It comes with Node: https://nodejs.org.`);
  if (status !== 0) {
    fail("npm ci failed (see above). Check the network and the npm registry, then try again.");
  }
  if (!existsSync(projectNode)) {
    fail(
      "node_modules/.bin/node is missing because npm install scripts are disabled (`npm config get ignore-scripts`).\n" +
        "Enable them for this project: npm ci --ignore-scripts=false",
    );
  }
  console.log(`Installed dependencies in ${Math.round((Date.now() - started) / 1000)} s.`);
}

function run(command) {
  const child = spawn(projectNode, command, {
    cwd: root,
    // The child stops when this channel closes, so it never outlives this process.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      // Halves the load time of Miniflare.
      NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"),
      ...process.env,
      PATH: binaries + delimiter + (process.env.PATH ?? ""),
    },
  });
  child.on("error", (error) => fail(`Could not run ${projectNode}: ${error.message}`));
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  stopWithNpm(child);
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** npm runs scripts in a shell, which may die without forwarding its signal: then the parent changes. */
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    child.kill("SIGTERM");
  }, PARENT_CHECK_INTERVAL_MS);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
