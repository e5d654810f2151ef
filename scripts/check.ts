import { join } from "node:path";
import { buildPageScripts } from "./build-page-scripts.ts";
import { captureCommand } from "./local/command.ts";
import { readSwitches } from "./local/options.ts";
import { ROOT, TOOL_FOLDER, WRANGLER } from "./local/paths.ts";
import { runScript } from "./local/set-up-error.ts";
import { wranglerEnvironment } from "./local/wrangler-environment.ts";

const USAGE = `Checks the project without running it: generated types, types, lint, format, imports between rooms, and what nothing uses.

  npm run check

\`npm run types\` renews worker-configuration.d.ts; \`npm run format\` fixes format and imports.`;

interface Check {
  title: string;
  program: string;
  args: string[];
}

const KNIP = join(ROOT, "node_modules", "knip", "bin", "knip.js");

const binary = (name: string) => join(ROOT, "node_modules", ".bin", name);

const CHECKS: readonly Check[] = [
  {
    title: "worker-configuration.d.ts is of this wrangler.toml",
    program: process.execPath,
    args: [WRANGLER, "types", "--check", "--include-runtime=false", "--strict-vars=false"],
  },
  { title: "types of the Worker", program: binary("tsc"), args: ["--noEmit", "-p", "tsconfig.json"] },
  {
    title: "types of scripts, tests and benchmarks",
    program: binary("tsc"),
    args: ["--noEmit", "-p", "tsconfig.node.json"],
  },
  {
    title: "types of the session's machine",
    program: binary("tsc"),
    args: ["--noEmit", "-p", "packages/durable-machine"],
  },
  {
    title: "types of what runs in pages",
    program: binary("tsc"),
    args: ["--noEmit", "-p", "tsconfig.page.json"],
  },
  { title: "lint, format and imports between rooms", program: binary("biome"), args: ["check"] },
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
  const { code, everything } = await captureCommand(program, args, { title, env });
  console.log(code === 0 ? `ok      ${title}` : `FAILED  ${title}\n\n${everything.trim()}\n`);
  return code === 0;
}
