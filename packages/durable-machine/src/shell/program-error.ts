/** A program that the bundled command would run otherwise than it is meant. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

const MAX_DEPTH = 200;

/** What is nested deeper takes too long to rewrite. @throws ProgramError */
export function requireDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new ProgramError("the program is nested too deeply");
}
