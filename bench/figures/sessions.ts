import type Kernel from "@onkernel/sdk";
import type { BarePlatform } from "../bare-platform.ts";
import { timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const ROUNDS = 12;

/** Creating and ending sessions, compared with launching and closing browsers through the browser binding. */
export async function measureSessions(kernel: Kernel, platform: BarePlatform): Promise<Row[]> {
  const sessions: string[] = [];
  const bare: string[] = [];
  const create = await timePair(ROUNDS, {
    berth: async () => {
      sessions.push((await kernel.browsers.create()).session_id);
    },
    direct: async () => {
      bare.push(await platform.launch());
    },
  });
  const close = await timePair(ROUNDS - 1, {
    berth: async () => {
      const id = sessions.pop();
      if (id !== undefined) await kernel.browsers.deleteByID(id);
    },
    direct: async () => {
      const id = bare.pop();
      if (id !== undefined) await platform.close(id);
    },
  });
  return [
    { figure: "POST /browsers", baseline: "bare launch", target: "1.5x", ...create },
    { figure: "DELETE /browsers/{id}", baseline: "bare close", ...close },
  ];
}
