import type { ContractCase } from "./case.ts";

/** Contents by path; paths of directories end with a slash. Parents come first. */
export type PreparedTree = Record<string, string | Uint8Array>;

/** Modification time of all prepared files, in milliseconds since the epoch. */
export const PREPARED_AT = Date.UTC(2024, 4, 6, 7, 8, 10);

/** A directory for each case, named by its index, with the files that it requests. */
export function prepareCases(cases: ContractCase[]): PreparedTree {
  const tree: PreparedTree = {};
  for (const [index, { files }] of cases.entries()) {
    tree[`${index}/`] = "";
    for (const name of files) {
      const contents = PREPARED_FILES[name];
      if (contents === undefined) throw new Error(`unknown prepared files: ${name}`);
      for (const [path, content] of Object.entries(contents)) tree[`${index}/${path}`] = content;
    }
  }
  return tree;
}

const PREPARED_FILES: Record<string, PreparedTree> = {
  "fruits.txt": { "fruits.txt": "banana\napple\ncherry\nfig\norange\npineapple\n" },
  "numbers.txt": { "numbers.txt": "10\n9\n2\n33\n1\n10\n-4\n" },
  "table.csv": { "table.csv": "alice,30,paris\nbob,4,rome\ncarol,27,paris\ndave,101,oslo\n" },
  "people.json": {
    "people.json": JSON.stringify([
      { name: "Alice", age: 30, tags: ["a", "b"] },
      { name: "Bob", age: 41, tags: [] },
      { name: "Zoë", age: 35 },
    ]),
  },
  "access.log": {
    "access.log": [
      '10.0.0.1 - - [10/Oct/2023:13:55:36 +0000] "GET /index.html HTTP/1.1" 200 2326',
      '10.0.0.2 - - [10/Oct/2023:13:55:40 +0000] "GET /nope HTTP/1.1" 404 153',
      '10.0.0.1 - - [10/Oct/2023:13:56:01 +0000] "POST /login HTTP/1.1" 302 0',
      '10.0.0.3 - - [10/Oct/2023:13:57:12 +0000] "GET /index.html HTTP/1.1" 200 2326',
      '10.0.0.1 - - [10/Oct/2023:13:58:00 +0000] "GET /gone HTTP/1.1" 404 153',
      "",
    ].join("\n"),
  },
  // Created by GNU tar and gzip: a text, an executable script and a symlink, all of 13 September 2020.
  "archive.tgz": {
    "archive.tgz": Buffer.from(
      "H4sIAAAAAAACA+3VSw6CMBSF4Y5dxTXOhRbargcJpgQEA2hcvkicaGLipBrj/036mJ7e02NRNomKK515a5d19rwue51543N9v3fO5kqs+oDTOBWDiPpTx1v+oWrbfjtdpnj5uzx/nb9xj/nr1GqnJCX/6JboZT/0Byk6KYYy1OdqpfBP89/WXRO7/71/v//1fLJKTOReYv7v+Q+nbjuG7/3/Jnvu/1Qb+v8TNutkV3fJGFZVGXqZXwLlDwAAAAAAAAAAAAC/6AqT2sQTACgAAA==",
      "base64",
    ),
  },
  project: {
    "docs/": "",
    "src/": "",
    "src/lib/": "",
    "README.md": "# Project\n\nTODO: write this.\n",
    "docs/guide.md": "A guide.\nTODO: more\n",
    "src/a.js": "function a() {\n  return 1; // TODO\n}\n",
    "src/b.js": "function b() {}\n",
    "src/lib/util.js": "",
  },
};
