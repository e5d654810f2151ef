import { type Node, parse } from "acorn";
import { simple } from "acorn-walk";

/** What ends lines where stacks count them. */
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/** The line that names a program to run a file with; bundles keep that of their entry. Only a text's start may be one. */
const HASHBANG_LINE = /^#!.*(?:\r\n|[\n\r\u2028\u2029])?/;

/**
 * Instruments a module so that it cannot run for ever: every loop and every function begins with a look at how long
 * the code has not let anything else go on; see `runtime/loop-guard.ts`. Lines stay where they are. What loops inside
 * the runtime itself, such as a regular expression, is not stopped.
 *
 * @throws SyntaxError of acorn, which says where, for what is no module.
 */
export function guardLoops(source: string, limitMs: number): string {
  return insert(source, findInsertions(source, limitMs));
}

/**
 * Tells which column of a module one of its instrumented text is. Both count from 0, lines from 1.
 *
 * @param limitMs what it was instrumented with.
 * @throws SyntaxError as {@link guardLoops}.
 */
export function unguardColumns(source: string, limitMs: number): (line: number, column: number) => number {
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
    // What is in an insertion stands for where it is.
    return Math.min(guarded - next.before, next.at) - start;
  };
}

/** The first item of which something is true, where it is of all that follow: a stack asks for many columns. */
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

/** Something to put into a source, before the character at that place. */
interface Insertion {
  at: number;
  text: string;
}

/** What instruments a source, in the order of its places. Names differ from time to time, and lengths do not. */
function findInsertions(source: string, limitMs: number): Insertion[] {
  const name = newName();
  const guard = `${name}_guard`;
  const head = `import * as ${guard} from "berth-loop-guard"; const ${name} = ${guard}.takeWatchLoops()(${limitMs}); `;
  // Playwright takes the text of functions into pages, where there is no such name.
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
  // Those at one place stay in their order: the walk comes to the inner ones first.
  return insertions.toSorted((one, other) => one.at - other.at);
}

/** A name that nobody's code can know, and so not put something else in the place of. */
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
