import type Kernel from "@onkernel/sdk";
import type { BarePlatform } from "../bare-platform.ts";
import { DevToolsClient } from "../devtools-client.ts";
import { type Pair, timePair } from "../samples.ts";
import { openSession } from "../session.ts";
import type { Row } from "../table.ts";

const MEBIBYTE_TEXT = "'x'.repeat(1024 * 1024)";
const BASELINE = "Chrome";

/** DevTools commands through a session, compared with local Chrome and a Worker that only forwards frames. */
export async function measureDevTools(kernel: Kernel, chromeURL: string, bare: BarePlatform): Promise<Row[]> {
  await using session = await openSession(kernel);
  const berth = await DevToolsClient.connect(session.cdp_ws_url);
  const direct = await DevToolsClient.connect(chromeURL);
  await Promise.all([berth.openPage(), direct.openPage()]);
  const pair = (rounds: number, work: (client: DevToolsClient) => Promise<unknown>): Promise<Pair> =>
    timePair(rounds, { berth: () => work(berth), direct: () => work(direct) });

  const roundTrip = await pair(3000, (client) => client.send("Browser.getVersion"));
  const evaluate = await pair(2000, (client) => client.evaluate("1 + 1"));
  const largeFrame = await pair(100, (client) => client.evaluate(MEBIBYTE_TEXT));
  const piped = await DevToolsClient.connect(bare.pipeURL(await bare.launch()));
  const throughPipe = await timePair(3000, {
    berth: () => berth.send("Browser.getVersion"),
    direct: () => piped.send("Browser.getVersion"),
  });
  for (const client of [berth, direct, piped]) client.close();
  const connect = await timePair(50, {
    berth: () => DevToolsClient.tryConnection(session.cdp_ws_url),
    direct: () => DevToolsClient.tryConnection(chromeURL),
  });
  return [
    { figure: "DevTools round trip", baseline: BASELINE, target: "2x", ...roundTrip },
    { figure: "the same", baseline: "a Worker that only forwards", ...throughPipe },
    { figure: "Runtime.evaluate", baseline: BASELINE, ...evaluate },
    { figure: "1 MiB frame from the page", baseline: BASELINE, ...largeFrame },
    { figure: "connect and first response", baseline: BASELINE, ...connect },
  ];
}
