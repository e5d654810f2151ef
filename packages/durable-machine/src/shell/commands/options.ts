/** The command line is not as the command wants it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Whether the message is followed by where help is to be had. */
  readonly hasHint: boolean;
  /** Where it is not the command's usual one for this. */
  readonly exitCode: number | undefined;

  constructor(message: string, options: { hint?: boolean; exitCode?: number } = {}) {
    super(message);
    this.hasHint = options.hint ?? true;
    this.exitCode = options.exitCode;
  }
}

/**
 * An option: `"a,all"` has a letter and a long name, `"a"` and `",all"` one of them; `=` at the end says that it takes
 * a value, `=?` that it may have one. The rest of the code knows it by its first name.
 */
export type OptionPattern = string;

/** The options of a command, as a list or in one string with spaces between them. */
export type OptionPatterns = readonly OptionPattern[] | string;

interface OptionDefinition {
  key: string;
  letter: string;
  long: string;
  value: "none" | "required" | "optional";
}

function readPattern(pattern: OptionPattern): OptionDefinition {
  const [names = "", marks = ""] = pattern.split(/(?==)/);
  const [letter = "", long = ""] = names.split(",");
  const value = marks === "=" ? "required" : marks === "=?" ? "optional" : "none";
  return { key: letter || long, letter, long, value };
}

/** What a command line holds: its options in their order, and its operands. */
export class ParsedOptions {
  readonly given: readonly { key: string; value: string | undefined }[];
  readonly operands: readonly string[];

  constructor(given: { key: string; value: string | undefined }[], operands: string[]) {
    this.given = given;
    this.operands = operands;
  }

  /** Whether any of the options is given. */
  has(...keys: string[]): boolean {
    return this.given.some(({ key }) => keys.includes(key));
  }

  /** Which of the options is given last: of those that exclude each other it counts. */
  last(...keys: string[]): string | undefined {
    return this.given.findLast(({ key }) => keys.includes(key))?.key;
  }

  /** The value of an option, the last one where it is given several times. */
  value(key: string): string | undefined {
    return this.given.findLast((option) => option.key === key)?.value;
  }

  values(key: string): string[] {
    return this.given.flatMap((option) => (option.key === key ? (option.value ?? []) : []));
  }
}

function findLong(definitions: OptionDefinition[], name: string): OptionDefinition {
  const candidates = definitions.filter(({ long }) => long !== "" && long.startsWith(name));
  const [first] = candidates;
  if (first === undefined) throw new UsageError(`unrecognized option '--${name}'`);
  const exact = candidates.find(({ long }) => long === name);
  if (exact === undefined && candidates.some(({ key }) => key !== first.key)) {
    const possibilities = candidates.map(({ long }) => ` '--${long}'`).join("");
    throw new UsageError(`option '--${name}' is ambiguous; possibilities:${possibilities}`);
  }
  return exact ?? first;
}

/**
 * Reads a command line as getopt_long(3) does: letters may be joined, long names cut short, `--` ends the options.
 *
 * @param options.operandsEndOptions what follows the first operand belongs to it, as with `xargs`.
 * @param options.keepsOrder operands stand among what is given too, without a key: where options between them matter.
 * @throws UsageError
 */
export function parseOptions(
  args: readonly string[],
  patterns: OptionPatterns,
  options: { operandsEndOptions?: boolean; keepsOrder?: boolean } = {},
): ParsedOptions {
  const definitions = (typeof patterns === "string" ? patterns.split(/\s+/) : patterns).map(readPattern);
  const given: { key: string; value: string | undefined }[] = [];
  const operands: string[] = [];
  const rest = [...args];

  const give = ({ key, value }: OptionDefinition, attached: string | undefined, missing: string): void => {
    const taken = value === "required" && attached === undefined ? rest.shift() : attached;
    if (value === "required" && taken === undefined) throw new UsageError(missing);
    given.push({ key, value: taken });
  };

  const readLong = (word: string): void => {
    const [name = "", attached] = word.slice(2).split(/=(.*)/s);
    const definition = findLong(definitions, name);
    const option = `option '--${definition.long}'`;
    if (definition.value === "none" && attached !== undefined) {
      throw new UsageError(`${option} doesn't allow an argument`);
    }
    give(definition, attached, `${option} requires an argument`);
  };

  const readLetters = (letters: string): void => {
    const letter = letters.charAt(0);
    const definition = definitions.find((candidate) => candidate.letter === letter);
    if (definition === undefined) throw new UsageError(`invalid option -- '${letter}'`);
    const others = letters.slice(1);
    const takesOthers = definition.value !== "none" && others !== "";
    give(definition, takesOthers ? others : undefined, `option requires an argument -- '${letter}'`);
    if (others !== "" && !takesOthers) readLetters(others);
  };

  const addOperands = (words: readonly string[]): void => {
    operands.push(...words);
    if (options.keepsOrder) given.push(...words.map((value) => ({ key: "", value })));
  };

  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") addOperands(rest.splice(0));
    else if (word.startsWith("--")) readLong(word);
    else if (word.startsWith("-") && word !== "-") readLetters(word.slice(1));
    else addOperands(options.operandsEndOptions ? [word, ...rest.splice(0)] : [word]);
  }
  return new ParsedOptions(given, operands);
}
