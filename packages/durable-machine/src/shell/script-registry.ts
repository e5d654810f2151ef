import type { FunctionDefinition, ScriptNode, StatementNode } from "./just-bash.ts";

/** The commands of a background job, as they were written and as they run. */
export interface JobScript {
  source: StatementNode;
  script: ScriptNode;
}

/** What scripts refer to by number. All shells of a process share it, as functions move from a shell to its jobs. */
export class ScriptRegistry {
  readonly jobs = new Numbered<JobScript>();
  readonly functions = new Numbered<FunctionDefinition>();
  #pipes = 0;

  nextPipe(): number {
    return this.#pipes++;
  }
}

class Numbered<Item> {
  readonly #items: Item[] = [];

  add(item: Item): number {
    return this.#items.push(item) - 1;
  }

  get(id: number): Item | undefined {
    return this.#items[id];
  }
}
