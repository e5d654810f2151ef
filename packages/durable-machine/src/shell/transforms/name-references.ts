import { isNode, parseAtOnce, type SimpleCommandNode, type StatementNode } from "../just-bash.ts";
import { constantText } from "./ast.ts";

const WITH_INDEX = /^(\w+)\[/;

/** Names that a node uses as arrays. */
export function arrayNames(node: object): string[] {
  if (isNode(node, "ParameterExpansion")) return WITH_INDEX.exec(node.parameter)?.slice(1) ?? [];
  if (isNode(node, "ArithArrayElement") || isNode(node, "ArrayKeys")) return [node.array];
  if (!isNode(node, "SimpleCommand")) return [];
  const assigned = node.assignments.flatMap(({ name, array }) =>
    array ? name : (WITH_INDEX.exec(name)?.slice(1) ?? []),
  );
  const words = node.args.map((arg) => constantText(arg) ?? "");
  const command = constantText(node.name) ?? "";
  const fillsArray =
    /^(?:mapfile|readarray)$/.test(command) ||
    (command === "read" && words.some((each) => /^-\w*a/.test(each)));
  const indexed = words.flatMap((each) => WITH_INDEX.exec(each)?.slice(1) ?? []);
  return [...assigned, ...(command === "unset" ? indexed : []), ...(fillsArray ? words : [])];
}

/** Refuses a reference to an array, which just-bash would treat as text. @returns what fails instead. */
export function refusedReference(
  { name, args }: SimpleCommandNode,
  arrays: ReadonlySet<string>,
): StatementNode[] | undefined {
  if (!/^(?:declare|local|typeset)$/.test(constantText(name) ?? "")) return undefined;
  if (!args.some((arg) => /^-\w*n/.test(constantText(arg) ?? ""))) return undefined;
  for (const { parts } of args) {
    const [, reference = ""] = (parts[0]?.type === "Literal" && /^(\w+)/.exec(parts[0].value)) || [];
    if (!arrays.has(reference)) continue;
    return parseAtOnce(`echo 'bash: ${reference}: references to arrays are not supported' >&2; exit 1`)
      ?.statements;
  }
  return undefined;
}
