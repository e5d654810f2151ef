import type { Signal } from "../processes/process.ts";

export interface Job {
  number: number;
  pid: number;
  command: string;
  ended: Promise<number>;
  kill: (signal: Signal) => void;
  exitCode: number | undefined;
}

export class Jobs {
  #jobs: Job[] = [];

  add(job: Omit<Job, "number" | "exitCode">): void {
    const number = (this.#jobs.at(-1)?.number ?? 0) + 1;
    const added: Job = { ...job, number, exitCode: undefined };
    this.#jobs.push(added);
    void job.ended.then((exitCode) => {
      added.exitCode = exitCode;
    });
  }

  get all(): readonly Job[] {
    return this.#jobs;
  }

  get running(): readonly Job[] {
    return this.#jobs.filter(({ exitCode }) => exitCode === undefined);
  }

  /** The job of `%1`, `%+`, `%-`, `%name`, or of a process's number. */
  find(text: string): Job | undefined {
    if (!text.startsWith("%")) return this.#jobs.find(({ pid }) => String(pid) === text);
    const spec = text.slice(1);
    if (spec === "" || spec === "+" || spec === "%") return this.#jobs.at(-1);
    if (spec === "-") return this.#jobs.at(-2) ?? this.#jobs.at(-1);
    if (/^\d+$/.test(spec)) return this.#jobs.find(({ number }) => String(number) === spec);
    return this.#jobs.find(({ command }) => command.startsWith(spec));
  }

  forget(job: Job): void {
    this.#jobs = this.#jobs.filter((each) => each !== job);
  }
}
