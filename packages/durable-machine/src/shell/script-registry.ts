import type { FunctionDefinition, ScriptNode, StatementNode } from "./just-bash.ts";

/** Commands that wait for the script to come to them. */
export interface JobScript {
  /** As it was written. */
  source: StatementNode;
  script: ScriptNode;
}

/**
 * What the scripts of a process refer to by number. Functions move from a shell to its jobs, and take their numbers
 * along: they are the same in all of the process's shells.
 */
export class ScriptRegistry {
  readonly #jobs: JobScript[] = [];
  readonly #functions: FunctionDefinition[] = [];
  #pipes = 0;

  /** @returns the number of the job's script. */
  addJob(source: StatementNode, script: ScriptNode): number {
    return this.#jobs.push({ source, script }) - 1;
  }

  job(id: number): JobScript | undefined {
    return this.#jobs[id];
  }

  /** @returns the number of the definition. */
  addFunction(definition: FunctionDefinition): number {
    return this.#functions.push(definition) - 1;
  }

  functionDefinition(id: number): FunctionDefinition | undefined {
    return this.#functions[id];
  }

  /** A number that no other pipe has. */
  nextPipe(): number {
    return this.#pipes++;
  }
}
