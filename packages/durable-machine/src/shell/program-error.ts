/** A program that the bundled command would run differently from what was intended. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
}

const MAX_DEPTH = 200;

/** Anything nested more deeply takes too long to rewrite. @throws ProgramError */
export function requireDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new ProgramError("the program is nested too deeply");
}
