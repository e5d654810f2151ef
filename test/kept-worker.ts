/**
 * For each call of a Durable Object, the test pool asks vitest's main process where the Worker's module is.
 * Objects outlive their test file: a call that waits for this answer when the last file ends fails the run.
 * So the module is kept.
 */
interface ModuleRunner {
  import(specifier: string): Promise<unknown>;
}

const { moduleRunner }: { moduleRunner: ModuleRunner } = Reflect.get(globalThis, "__vitest_mocker__");
const KEPT = Symbol.for("kept Worker of the tests");

if (!Reflect.has(moduleRunner, KEPT)) {
  const load = moduleRunner.import.bind(moduleRunner);
  let worker: unknown;
  moduleRunner.import = async (specifier) => {
    if (!specifier.endsWith("/src/index.ts")) return load(specifier);
    worker ??= await load(specifier);
    return worker;
  };
  Reflect.set(moduleRunner, KEPT, true);
}
