import { join } from "node:path";
import { buildPageScripts } from "./build-page-scripts.ts";
import { captureCommand } from "./local/command.ts";
import { readSwitches } from "./local/options.ts";
import { TOOL_FOLDER } from "./local/paths.ts";
import { runScript } from "./local/set-up-error.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Runs the static checks: complete lock file, generated files, type check, lint, format, import rules, unused code.

  npm run check

\`npm run types\` regenerates worker-configuration.d.ts, \`npm run settings:generate\` the defaults of settings. \`npm run format\` fixes lint and format.`;

/** What is checked, and the command that fails if it is not so. */
const CHECKS: Readonly<Record<string, string>> = {
  "package-lock.json is complete": "npm ci --dry-run --ignore-scripts",
  "worker-configuration.d.ts is up to date":
    "wrangler types --check --include-runtime=false --strict-vars=false",
  "setting-defaults.ts is up to date": "node scripts/generate-setting-defaults.ts --check",
  "types of the console's API client are generated": "node scripts/build-console-types.ts",
  "types of the Worker": "tsc --noEmit -p tsconfig.json",
  "types of scripts, tests and benchmarks": "tsc --noEmit -p tsconfig.node.json",
  "types of durable-machine": "tsc --noEmit -p packages/durable-machine",
  "types of session-host": "tsc --noEmit -p packages/session-host",
  "types of page code": "tsc --noEmit -p tsconfig.page.json",
  "lint and format": "biome check",
  "floors of src": "node scripts/check-floors.ts",
  "unused files, exports and packages": "knip",
};

await runScript(async () => {
  readSwitches(USAGE, []);
  buildPageScripts();
  let exitCode = 0;
  for (const [title, command] of Object.entries(CHECKS)) if (!(await passes(title, command))) exitCode = 1;
  return exitCode;
});

/** Commands are found as in npm scripts, because bootstrap.mjs runs this script in the root of the project. */
async function passes(title: string, command: string): Promise<boolean> {
  const [program = "", ...args] = command.split(" ");
  const env = wranglerEnvironment(join(TOOL_FOLDER, "check"));
  const { code, combined } = await captureCommand(program, args, { title, env });
  console.log(code === 0 ? `ok      ${title}` : `FAILED  ${title}\n\n${combined.trim()}\n`);
  return code === 0;
}
