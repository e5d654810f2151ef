import { type Node, parse } from "acorn";
import { simple } from "acorn-walk";

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/** Bundles keep the hashbang of their entry point. */
const HASHBANG_LINE = /^#!.*(?:\r\n|[\n\r\u2028\u2029])?/;

/**
 * Makes each loop and function of a module check how long the code has blocked the event loop; see
 * `runtime/loop-guard.ts`. Line numbers stay the same. Native code, such as a regular expression, is not
 * stopped.
 *
 * @throws SyntaxError of acorn, with the position.
 * @example guardLoops("for (;;) {}", 1000) // `import … for (;;) {typeof check==="function"&&check();{}}`
 */
export function guardLoops(source: string, limitMs: number): string {
  return insert(source, findInsertions(source, limitMs));
}

/**
 * Maps columns of the instrumented module to those of `source`. Columns count from 0, lines from 1.
 *
 * @example
 * const toColumn = newColumnMapper(source, limitMs);
 * const original = { line, column: toColumn(line, column) };
 */
export function newColumnMapper(source: string, limitMs: number): (line: number, column: number) => number {
  let inserted = 0;
  const insertions = findInsertions(source, limitMs).map(({ at, text }) => {
    const before = inserted;
    inserted += text.length;
    return { at, before, guardedEnd: at + inserted };
  });
  const end = { at: Number.POSITIVE_INFINITY, before: inserted };
  const breaks = source.matchAll(LINE_BREAK);
  const lineStarts = [0, ...Array.from(breaks, ({ index, 0: text }) => index + text.length)];
  return (line, column) => {
    const start = lineStarts[line - 1] ?? 0;
    const ofLine = findFirst(insertions, ({ at }) => at >= start) ?? end;
    const guarded = start + ofLine.before + column;
    const next = findFirst(insertions, ({ guardedEnd }) => guardedEnd > guarded) ?? end;
    return Math.min(guarded - next.before, next.at) - start;
  };
}

/** Binary search: `isTrue` must hold for all items after the first match. */
function findFirst<Item>(items: readonly Item[], isTrue: (item: Item) => boolean): Item | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isTrue(item)) high = middle;
    else low = middle + 1;
  }
  return items[low];
}

interface Insertion {
  at: number;
  text: string;
}

function findInsertions(source: string, limitMs: number): Insertion[] {
  const name = newName();
  const guard = `${name}_guard`;
  const head = `import * as ${guard} from "berth-loop-guard"; const ${name} = ${guard}.claimWatchLoops()(${limitMs}); `;
  // Playwright evaluates the source of functions in pages, where the name is undefined.
  const check = `typeof ${name}==="function"&&${name}()`;
  const hashbang = HASHBANG_LINE.exec(source)?.[0] ?? "";
  const insertions: Insertion[] = [{ at: hashbang.length, text: head }];
  const beginBlock = (body: Node) => {
    if (body.type === "BlockStatement") {
      insertions.push({ at: body.start + 1, text: `${check};` });
    } else {
      insertions.push({ at: body.start, text: `{${check};` }, { at: body.end, text: "}" });
    }
  };
  const loop = ({ body }: { body: Node }) => beginBlock(body);
  const callable = ({ body }: { body: Node }) => {
    if (body.type === "BlockStatement") beginBlock(body);
    else insertions.push({ at: body.start, text: `(${check},` }, { at: body.end, text: ")" });
  };
  const program = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  simple(program, {
    WhileStatement: loop,
    DoWhileStatement: loop,
    ForStatement: loop,
    ForInStatement: loop,
    ForOfStatement: loop,
    Function: callable,
  });
  // The sort is stable, and the walk visits inner nodes first.
  return insertions.toSorted((one, other) => one.at - other.at);
}

/** User code cannot guess the name, and so cannot replace the function. */
function newName(): string {
  return `berth_${crypto.randomUUID().replaceAll("-", "_")}`;
}

function insert(source: string, insertions: Insertion[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const { at, text } of insertions) {
    pieces.push(source.slice(position, at), text);
    position = at;
  }
  return pieces.join("") + source.slice(position);
}
