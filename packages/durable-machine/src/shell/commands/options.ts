export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Whether a line that refers to `--help` follows the message. */
  readonly hasHint: boolean;
  readonly exitCode: number | undefined;

  /** @param options.exitCode replaces the `usageExitCode` of the command. */
  constructor(message: string, options: { hint?: boolean; exitCode?: number } = {}) {
    super(message);
    this.hasHint = options.hint ?? true;
    this.exitCode = options.exitCode;
  }
}

/**
 * The options of a command, as a list or in one string with spaces between them. `"a,all"` has a letter and a
 * long name, `"a"` and `",all"` one of them; `=` at the end says that it takes a value, `=?` that it may have
 * one. Its key is the letter, or the long name if it has no letter.
 */
export type OptionPatterns = readonly string[] | string;

type GivenOption = { key: string; value: string | undefined };

type OptionDefinition = ReturnType<typeof readPattern>;

function readPattern(pattern: string) {
  const [names = "", mark = ""] = pattern.split(/(?==)/);
  const [letter = "", long = ""] = names.split(",");
  return { key: letter || long, letter, long, takesValue: mark !== "", needsValue: mark === "=" };
}

export class ParsedOptions {
  readonly given: readonly GivenOption[];
  readonly operands: readonly string[];

  constructor(given: GivenOption[], operands: string[]) {
    this.given = given;
    this.operands = operands;
  }

  has(...keys: string[]): boolean {
    return this.given.some(({ key }) => keys.includes(key));
  }

  last(...keys: string[]): string | undefined {
    return this.given.findLast(({ key }) => keys.includes(key))?.key;
  }

  value(key: string): string | undefined {
    return this.given.findLast((option) => option.key === key)?.value;
  }

  values(key: string): string[] {
    return this.given.flatMap((option) => (option.key === key ? (option.value ?? []) : []));
  }
}

function findLong(definitions: OptionDefinition[], name: string): OptionDefinition {
  const candidates = definitions.filter(({ long }) => long !== "" && long.startsWith(name));
  const found = candidates.find(({ long }) => long === name) ?? candidates[0];
  if (found === undefined) throw new UsageError(`unrecognized option '--${name}'`);
  const isClear = found.long === name || candidates.every(({ key }) => key === found.key);
  if (!isClear) throw new UsageError(`option '--${name}' is ambiguous`);
  return found;
}

/**
 * Reads a command line as getopt_long(3) does.
 *
 * @param options.operandsEndOptions the first operand ends the options, as with `xargs`.
 * @param options.keepsOrder operands are also listed in `given`, with an empty key.
 */
export function parseOptions(
  args: readonly string[],
  patterns: OptionPatterns,
  options: { operandsEndOptions?: boolean; keepsOrder?: boolean } = {},
): ParsedOptions {
  const definitions = (typeof patterns === "string" ? patterns.split(/\s+/) : patterns).map(readPattern);
  const given: GivenOption[] = [];
  const operands: string[] = [];
  const rest = [...args];

  const give = ({ key, needsValue }: OptionDefinition, attached: string | undefined, missing: string) => {
    const value = needsValue ? (attached ?? rest.shift()) : attached;
    if (needsValue && value === undefined) throw new UsageError(missing);
    given.push({ key, value });
  };

  const readLong = (word: string) => {
    const [name = "", attached] = word.slice(2).split(/=(.*)/s);
    const definition = findLong(definitions, name);
    const option = `option '--${definition.long}'`;
    if (attached !== undefined && !definition.takesValue) {
      throw new UsageError(`${option} doesn't allow an argument`);
    }
    give(definition, attached, `${option} requires an argument`);
  };

  const readLetters = (word: string) => {
    for (let index = 1; index < word.length; index++) {
      const letter = word.charAt(index);
      const definition = definitions.find((candidate) => candidate.letter === letter);
      if (definition === undefined) throw new UsageError(`invalid option -- '${letter}'`);
      const attached = (definition.takesValue && word.slice(index + 1)) || undefined;
      give(definition, attached, `option requires an argument -- '${letter}'`);
      if (attached !== undefined) return;
    }
  };

  const addOperands = (words: readonly string[]) => {
    operands.push(...words);
    if (options.keepsOrder) given.push(...words.map((value) => ({ key: "", value })));
  };

  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") addOperands(rest.splice(0));
    else if (word.startsWith("--")) readLong(word);
    else if (word.startsWith("-") && word !== "-") readLetters(word);
    else addOperands(options.operandsEndOptions ? [word, ...rest.splice(0)] : [word]);
  }
  return new ParsedOptions(given, operands);
}
