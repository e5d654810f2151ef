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
  readonly jobs = new Numbered<JobScript>();
  readonly functions = new Numbered<FunctionDefinition>();
  #pipes = 0;

  /** A number that no other pipe has. */
  nextPipe(): number {
    return this.#pipes++;
  }
}

class Numbered<Item> {
  readonly #items: Item[] = [];

  /** @returns the item's number. */
  add(item: Item): number {
    return this.#items.push(item) - 1;
  }

  get(id: number): Item | undefined {
    return this.#items[id];
  }
}
