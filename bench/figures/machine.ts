import { execFile } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type Kernel from "@onkernel/sdk";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../scripts/local/temporary-folder.ts";
import type { MachineKind } from "../../src/lib/common/machines.ts";
import { timePair } from "../samples.ts";
import { openSession } from "../session.ts";
import type { Row } from "../table.ts";

const LOCAL_FILE = "local file";
const LOCAL_BASH = "local bash";
const TARGET = "15 ms";

const KIBIBYTE = 1024;
const MEBIBYTE = KIBIBYTE * KIBIBYTE;

const SIZES: [title: string, bytes: number, times: number, target?: string][] = [
  ["1 KB", KIBIBYTE, 300, TARGET],
  ["1 MB", MEBIBYTE, 60],
  ["50 MB", 50 * MEBIBYTE, 5],
];

const CREATE_FILES =
  "for d in {1..50}; do mkdir -p many/$d; for f in {1..100}; do echo line $d $f > many/$d/$f.txt; done; done";

const SCRIPTS: [title: string, script: string, times: number][] = [
  ["pipeline over 100 files", "cat many/7/*.txt | sort -r | grep -v 3 | head -n 20 | wc -l", 60],
  ["find in 5,000 files", "find many -name '*7.txt' | wc -l", 20],
  ["grep in 5,000 files", "grep -rl 'line 7 ' many | wc -l", 20],
];

const run = promisify(execFile);

/** Files and processes of a session with the SDK, compared with local ones. */
export async function measureMachine(kernel: Kernel, machine: MachineKind): Promise<Row[]> {
  const options = { timeout_seconds: 3600, headless: true, machine };
  await using session = await openSession(kernel, options);
  const { session_id: id } = session;
  const firstExec = await timeFirstExec(kernel, options);
  using cleanUp = new DisposableStack();
  const folder = cleanUp.adopt(makeTemporaryFolder(), removeTemporaryFolder);
  const files = await measureFiles(kernel, id, folder);
  const processes = await measureProcesses(kernel, id, folder);
  return [firstExec, ...files, ...processes].map((row) => ({ ...row, figure: `${machine}: ${row.figure}` }));
}

/** The first command starts the machine. */
async function timeFirstExec(kernel: Kernel, options: Parameters<typeof openSession>[1]): Promise<Row> {
  // Two are for warming up.
  const times = 20;
  await using sessions = new AsyncDisposableStack();
  const ids: string[] = [];
  for (let n = 0; n < times + 2; n += 1)
    ids.push(sessions.use(await openSession(kernel, options)).session_id);
  const timed = await timePair(times, {
    berth: () => kernel.browsers.process.exec(ids.pop() ?? "", { command: "true" }),
    direct: () => run("true"),
  });
  return { figure: "first exec of a session", baseline: LOCAL_BASH, ...timed };
}

async function measureFiles({ browsers: { fs } }: Kernel, id: string, folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [title, bytes, times, target] of SIZES) {
    const content = randomFillSync(Buffer.alloc(bytes));
    const file = join(folder, "file");
    const write = await timePair(times, {
      berth: () => fs.writeFile(id, content, { path: "/tmp/file" }),
      direct: async () => writeFileSync(file, content),
    });
    const read = await timePair(times, {
      berth: async () => (await fs.readFile(id, { path: "/tmp/file" })).arrayBuffer(),
      direct: async () => readFileSync(file),
    });
    rows.push({ figure: `write ${title}`, baseline: LOCAL_FILE, target, ...write });
    rows.push({ figure: `read ${title}`, baseline: LOCAL_FILE, target, ...read });
  }
  return rows;
}

async function measureProcesses(kernel: Kernel, id: string, folder: string): Promise<Row[]> {
  const inSession = async (command: string, args: string[]) => {
    const result = await kernel.browsers.process.exec(id, { command, args, cwd: "/tmp" });
    if (result.exit_code !== 0) throw new Error(`${command} ${args.join(" ")}: exit ${result.exit_code}`);
    return Buffer.from(result.stdout_b64 ?? "", "base64").toString();
  };
  const locally = async (command: string, args: string[]) =>
    (await run(command, args, { cwd: folder })).stdout;
  mkdirSync(join(folder, "many"));
  for (const shell of [inSession, locally]) await shell("bash", ["-c", CREATE_FILES]);
  const exec = await timePair(300, { berth: () => inSession("true", []), direct: () => locally("true", []) });
  const rows: Row[] = [{ figure: "exec `true`", baseline: LOCAL_BASH, target: TARGET, ...exec }];
  const atOnce = await timePair(5, {
    berth: () => Promise.all(Array.from({ length: 50 }, () => inSession("true", []))),
    direct: () => Promise.all(Array.from({ length: 50 }, () => locally("true", []))),
  });
  rows.push({ figure: "50 execs at once", baseline: LOCAL_BASH, ...atOnce });
  for (const [title, script, times] of SCRIPTS) {
    const [output, expected] = await Promise.all(
      [inSession, locally].map((shell) => shell("bash", ["-c", script])),
    );
    if (output !== expected) throw new Error(`${title}: expected ${expected}, got ${output}`);
    const timed = await timePair(times, {
      berth: () => inSession("bash", ["-c", script]),
      direct: () => locally("bash", ["-c", script]),
    });
    rows.push({ figure: title, baseline: LOCAL_BASH, ...timed });
  }
  return rows;
}
