/** A fenced block of a Markdown page. */
export interface CodeBlock {
  language: string;
  code: string;
  /** Line of the opening fence, from 1. */
  line: number;
  /** File name in a comment on the first line, such as `// first.mjs`. */
  file: string | undefined;
}

const FENCED = /^( *)```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm;
const FILE_NAME = /^(?:\/\/|#) (\S+\.\w+)\n/;

export function readCodeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(FENCED)].map(({ 1: indent = "", 2: language = "", 3: text = "", index }) => {
    const code = text.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return {
      language,
      code,
      line: markdown.slice(0, index).split("\n").length,
      file: FILE_NAME.exec(code)?.[1],
    };
  });
}
