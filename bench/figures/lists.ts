import { type Pair, Samples, timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const CONCURRENCY = 16;
const WINDOW_MS = 2000;
const WINDOWS = 5;
const BASELINE = "with 100 rows";
const PAGE = 20;

const FILTERS: [filter: string, rows: number][] = [
  ["", PAGE],
  ["app_name=app-1", PAGE],
  ["version=version-1", PAGE],
  ["action_name=action-1", PAGE],
  ["deployment_id=deployment-1", PAGE],
  ["status=failed", PAGE],
  ["since=1h30m", PAGE],
  ["query=APP-1", PAGE],
  ["app_name=app-1&status=failed&since=1h30m", PAGE],
  // Scans all rows.
  ["query=nowhere", 0],
];

export interface ListedOrganizations {
  baseURL: string;
  /** API key of an organization with 100 sessions and 100 invocations. */
  fewKey: string;
  /** API key of an organization with 100,000 of each. */
  manyKey: string;
}

/** A page of a long session list, compared with a short list. */
export async function measureLists({ baseURL, fewKey, manyKey }: ListedOrganizations): Promise<Row[]> {
  const page = (key: string) => () => readPage(`${baseURL}/browsers?status=all`, key, PAGE);
  const alone = await timePair(200, { berth: page(manyKey), direct: page(fewKey) });
  const many: number[] = [];
  const few: number[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    many.push(await requestsPerSecond(page(manyKey)));
    few.push(await requestsPerSecond(page(fewKey)));
  }
  return [
    { figure: "GET /browsers with 100,000 rows", baseline: BASELINE, target: "2x", ...alone },
    {
      figure: `the same, ${CONCURRENCY} concurrent: ${median(many)} requests/s`,
      baseline: `${BASELINE}: ${median(few)} requests/s`,
      ...toTimes(many, few),
    },
  ];
}

/** Each filter on a long invocation list, compared with a short list. */
export async function measureInvocationLists(organizations: ListedOrganizations): Promise<Row[]> {
  const { baseURL, fewKey, manyKey } = organizations;
  const rows: Row[] = [];
  for (const [filter, count] of FILTERS) {
    const page = (key: string) => () => readPage(`${baseURL}/invocations?${filter}`, key, count);
    const pair = await timePair(100, { berth: page(manyKey), direct: page(fewKey) });
    const figure = `GET /invocations with 100,000 rows, ${filter === "" ? "no filter" : filter}`;
    rows.push({ figure, baseline: BASELINE, ...(count > 0 ? { target: "2x" } : {}), ...pair });
  }
  return rows;
}

/** @param count the expected number of rows. */
async function readPage(url: string, key: string, count: number): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const page: unknown = await response.json();
  if (!Array.isArray(page) || page.length !== count)
    throw new Error(`Unexpected response: ${response.status}`);
}

async function requestsPerSecond(request: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - startedAt < WINDOW_MS) {
      await request();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return (done * 1000) / (performance.now() - startedAt);
}

function median(rates: readonly number[]): string {
  return new Samples(rates).p50.toFixed(0);
}

/** Milliseconds per request, because lower is better in the table. */
function toTimes(many: readonly number[], few: readonly number[]): Pair {
  const times = (rates: readonly number[]) => new Samples(rates.map((rate) => 1000 / rate));
  return { berth: times(many), direct: times(few) };
}
