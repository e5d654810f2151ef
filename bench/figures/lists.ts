import { type Pair, Samples, timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const CONCURRENCY = 16;
const WINDOW_MS = 2000;
const WINDOWS = 5;
const BESIDE = "with 100 rows";

export interface ListedOrganizations {
  baseURL: string;
  /** Key of an organization with 100 sessions. */
  fewKey: string;
  /** Key of an organization with 100,000 sessions. */
  manyKey: string;
}

/** A page of a long list beside a page of a short one. */
export async function measureLists({ baseURL, fewKey, manyKey }: ListedOrganizations): Promise<Row[]> {
  const page = (key: string) => () => readPage(baseURL, key);
  const alone = await timePair(200, { berth: page(manyKey), direct: page(fewKey) });
  const many: number[] = [];
  const few: number[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    many.push(await requestsPerSecond(page(manyKey)));
    few.push(await requestsPerSecond(page(fewKey)));
  }
  return [
    { figure: "GET /browsers with 100,000 rows", beside: BESIDE, target: "2x", ...alone },
    {
      figure: `the same, ${CONCURRENCY} at once: ${median(many)} requests/s`,
      beside: `${BESIDE}: ${median(few)} requests/s`,
      ...toTimes(many, few),
    },
  ];
}

async function readPage(baseURL: string, key: string): Promise<void> {
  const response = await fetch(`${baseURL}/browsers?status=all`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const page: unknown = await response.json();
  if (!Array.isArray(page) || page.length !== 20) throw new Error(`Unexpected answer: ${response.status}`);
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

/** Milliseconds per request, so that a smaller number is better here too. */
function toTimes(many: readonly number[], few: readonly number[]): Pair {
  const times = (rates: readonly number[]) => new Samples(rates.map((rate) => 1000 / rate));
  return { berth: times(many), direct: times(few) };
}
