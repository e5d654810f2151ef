import { join } from "node:path";
import { buildPageScripts } from "./build-page-scripts.ts";
import { captureCommand } from "./local/command.ts";
import { readSwitches } from "./local/options.ts";
import { ROOT, TOOL_FOLDER, WRANGLER } from "./local/paths.ts";
import { runScript } from "./local/set-up-error.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Runs the static checks: complete lock file, generated files, type check, lint, format, import rules, unused code.

  npm run check

\`npm run types\` regenerates worker-configuration.d.ts, \`npm run settings:generate\` the defaults of settings. \`npm run format\` fixes lint and format.`;

interface Check {
  title: string;
  program: string;
  args: string[];
}

const KNIP = join(ROOT, "node_modules", "knip", "bin", "knip.js");

const binary = (name: string) => join(ROOT, "node_modules", ".bin", name);

const CHECKS: readonly Check[] = [
  {
    title: "package-lock.json is complete",
    program: "npm",
    args: ["ci", "--dry-run", "--ignore-scripts"],
  },
  {
    title: "worker-configuration.d.ts is up to date",
    program: process.execPath,
    args: [WRANGLER, "types", "--check", "--include-runtime=false", "--strict-vars=false"],
  },
  {
    title: "setting-defaults.ts is up to date",
    program: process.execPath,
    args: [join(ROOT, "scripts", "generate-setting-defaults.ts"), "--check"],
  },
  {
    title: "types of the console's API client are generated",
    program: process.execPath,
    args: [join(ROOT, "scripts", "build-console-types.ts")],
  },
  { title: "types of the Worker", program: binary("tsc"), args: ["--noEmit", "-p", "tsconfig.json"] },
  {
    title: "types of scripts, tests and benchmarks",
    program: binary("tsc"),
    args: ["--noEmit", "-p", "tsconfig.node.json"],
  },
  {
    title: "types of durable-machine",
    program: binary("tsc"),
    args: ["--noEmit", "-p", "packages/durable-machine"],
  },
  {
    title: "types of page code",
    program: binary("tsc"),
    args: ["--noEmit", "-p", "tsconfig.page.json"],
  },
  { title: "lint and format", program: binary("biome"), args: ["check"] },
  {
    title: "floors of src",
    program: process.execPath,
    args: [join(ROOT, "scripts", "check-floors.ts")],
  },
  { title: "unused files, exports and packages", program: process.execPath, args: [KNIP] },
];

await runScript(async () => {
  readSwitches(USAGE, []);
  buildPageScripts();
  let failures = 0;
  for (const check of CHECKS) if (!(await passes(check))) failures++;
  return failures === 0 ? 0 : 1;
});

async function passes({ title, program, args }: Check): Promise<boolean> {
  const env = wranglerEnvironment(join(TOOL_FOLDER, "check"));
  const { code, combined } = await captureCommand(program, args, { title, env });
  console.log(code === 0 ? `ok      ${title}` : `FAILED  ${title}\n\n${combined.trim()}\n`);
  return code === 0;
}
