import { type Node, parse } from "acorn";
import { simple } from "acorn-walk";

/**
 * Instruments a module so that it cannot run for ever: every loop and every function begins with a look at how long
 * the code has not let anything else go on; see `runtime/loop-guard.ts`. Lines stay where they are. What loops inside
 * the runtime itself, such as a regular expression, is not stopped.
 *
 * @throws SyntaxError of acorn, which says where, for what is no module.
 */
export function guardLoops(source: string, limitMs: number): string {
  const name = newName();
  // Playwright takes the text of functions into pages, where there is no such name.
  const check = `typeof ${name}==="function"&&${name}()`;
  const insertions: { at: number; text: string }[] = [];
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
  const guard = `${name}_guard`;
  const head = `import * as ${guard} from "berth-loop-guard"; const ${name} = ${guard}.takeWatchLoops()(${limitMs}); `;
  return head + insert(source, insertions);
}

/** A name that nobody's code can know, and so not put something else in the place of. */
function newName(): string {
  return `berth_${crypto.randomUUID().replaceAll("-", "_")}`;
}

/** Insertions at one place stay in their order: the walk comes to the inner ones first. */
function insert(source: string, insertions: { at: number; text: string }[]): string {
  const inOrder = insertions.toSorted((one, other) => one.at - other.at);
  const pieces: string[] = [];
  let position = 0;
  for (const { at, text } of inOrder) {
    pieces.push(source.slice(position, at), text);
    position = at;
  }
  return pieces.join("") + source.slice(position);
}
